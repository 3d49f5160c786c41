//! Keys without structure beyond their alphabet.
//!
//! ```text
//!   random8     3f 91 0c ..                        8 bytes, all bits vary
//!   record100   [10-byte key|90 bytes of payload]  the sort benchmark's record
//!   uuid        1b4e28ba-2fa1-4ba2-883f-0016d3cca427
//!   hash40      da39a3ee5e6b4b0d3255bfef95601890afd80709
//!   dna         GATTACA...                         2 of 8 bits vary
//!   decimal     184467440737                       1 to 12 digits
//! ```

use crate::Keys;
use crate::rng::Rng;

pub(super) fn eight(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| rng.fill(key, 8))
}

pub(super) fn record(rows: usize, rng: &mut Rng) -> Keys {
    let mut keys = Keys::new();
    let mut key = Vec::new();
    for _ in 0..rows {
        key.clear();
        rng.fill(&mut key, 10);
        keys.push_record(&key, 90);
    }
    keys
}

const HEX: &[u8; 16] = b"0123456789abcdef";

pub(super) fn uuid(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| {
        for at in 0..36 {
            key.push(match at {
                8 | 13 | 18 | 23 => b'-',
                14 => b'4',
                19 => b"89ab"[rng.below(4)],
                _ => HEX[rng.below(16)],
            });
        }
    })
}

pub(super) fn hash(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| key.extend((0..40).map(|_| HEX[rng.below(16)])))
}

pub(super) fn dna(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| key.extend((0..100).map(|_| b"ACGT"[rng.below(4)])))
}

pub(super) fn decimal(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| {
        let digits = 1 + rng.below(12) as u32;
        key.extend(rng.below_u64(10u64.pow(digits)).to_string().into_bytes());
    })
}
