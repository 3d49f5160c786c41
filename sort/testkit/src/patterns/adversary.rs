//! Keys aimed at one part of a sort each.
//!
//! ```text
//!   ladder          a aa aaa aaaa ...            one row ends per byte: naive recursion is that deep
//!   last_bit        xxxx....xxx[0|1]             everything is shared, the answer is at the end
//!   fooler          xxxx....xxx.  x  xxxx....    sampled rows agree for long, a few others at once not
//!   median_killer   small where a median of five looks, at each level of the split
//!   one_bit         [0|1]0000000[0|1]0000000...  a digit finds one bit, eight bytes further the next
//!   zeros           "" 0 00 000 a0 a00           padding must not be mistaken for content
//!   lengths         prefixes of one text         all tie, lengths decide
//!   fan             b ab aab aaab ...            each level parts one row from the rest
//!   huge            64 KiB and more              lengths that fit no 16-bit field
//! ```

use crate::Keys;
use crate::rng::Rng;

/// The rungs share one block of letters, so that 100,000 of them fit into memory.
pub(super) fn ladder(rows: usize, rng: &mut Rng) -> Keys {
    let mut keys = Keys::new();
    keys.push_bytes(&vec![b'a'; rows]);
    for len in 1..=rows {
        keys.push_prefix_of_tail(rows, len);
    }
    keys.reorder(|_, spans| rng.shuffle(spans));
    keys
}

pub(super) fn last_bit(rows: usize, rng: &mut Rng) -> Keys {
    // Up to 64 KiB each, and 64 MiB together.
    let len = ((64 << 20) / rows.max(1)).clamp(64, 65_536);
    let len = if cfg!(miri) { 300 } else { len };
    Keys::build(rows, |_, key| {
        key.resize(len - 1, b'x');
        key.push(b'0' + rng.below(2) as u8);
    })
}

pub(super) fn fooler(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |row, key| {
        let broken = row % 97 == 50;
        let shared = if broken { rng.below(200) } else { 240 };
        key.resize(shared, b'x');
        rng.fill(key, 8);
    })
}

/// Against a median of five at the tenths 1, 3, 5, 7, 9: the smallest keys left stand there.
pub(super) fn median_killer(rows: usize, _: &mut Rng) -> Keys {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut rank = vec![usize::MAX; rows];
    let mut next = 0;
    while order.len() >= 5 {
        let step = order.len() / 5;
        let looked_at: Vec<usize> = (0..5).map(|i| order[i * step + step / 2]).collect();
        for &place in looked_at.iter().take(3) {
            rank[place] = next;
            next += 1;
        }
        order.retain(|place| rank[*place] == usize::MAX);
        // Quadratic to build; beyond this the rest is in order.
        if next > 3_000 {
            break;
        }
    }
    for place in order {
        rank[place] = next;
        next += 1;
    }
    Keys::build(rows, |row, key| key.extend((rank[row] as u64).to_be_bytes()))
}

pub(super) fn one_bit(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| {
        for _ in 0..24 {
            key.extend([b'0' + rng.below(2) as u8, 0, 0, 0, 0, 0, 0, 0]);
        }
    })
}

pub(super) fn zeros(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| key.extend((0..rng.below(20)).map(|_| (rng.below(8) == 0) as u8)))
}

pub(super) fn lengths(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| key.resize(rng.below(50), b'q'))
}

pub(super) fn fan(rows: usize, rng: &mut Rng) -> Keys {
    let most = if cfg!(miri) { 60 } else { 1000 };
    Keys::build(rows, |_, key| {
        key.resize(rng.below(most), b'a');
        key.push(b'b');
    })
}

pub(super) fn huge(rows: usize, rng: &mut Rng) -> Keys {
    let mut keys = Keys::new();
    keys.push_bytes(&vec![b'h'; 70_000]);
    for row in 0..rows {
        // Some beyond 64 KiB, the others short.
        let short = if row % 1000 == 7 { 1_000 } else { 69_999 - rng.below(100) };
        keys.push_prefix_of_tail(70_000, 70_000 - short);
    }
    keys
}
