//! Multikey quicksort that caches eight bytes per string.
//!
//! J. Bentley and R. Sedgewick, "Fast Algorithms for Sorting and Searching Strings", SODA 1997, with
//! the cache of W. Ng and K. Kakehi, "Cache Efficient Radix Sort for String Sorting", IEICE
//! Transactions E90-A(2), 2007: the next eight bytes of each string stand beside its pointer, a
//! three-way partition compares them as integers, and only the equal part fetches the next eight.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "multikey_cached",
    about: "multikey quicksort with an 8-byte cache (Ng and Kakehi)",
    partial: false,
    prepare: |rows| InPlace::job(rows, sort),
};

#[derive(Clone, Copy)]
struct Cached<'k> {
    cache: u64,
    rest: &'k [u8],
    whole: &'k [u8],
}

impl Cached<'_> {
    /// Takes the next eight bytes into the cache.
    fn advance(&mut self) {
        let take = self.rest.len().min(8);
        let mut word = [0; 8];
        word[..take].copy_from_slice(&self.rest[..take]);
        self.cache = u64::from_be_bytes(word);
        self.rest = &self.rest[take..];
    }
}

fn sort(rows: &mut [&[u8]]) {
    let mut cached: Vec<Cached> = rows.iter().map(|row| Cached { cache: 0, rest: row, whole: row }).collect();
    let mut stack = vec![(0, cached.len(), true, 0)];
    while let Some((start, end, fetch, depth)) = stack.pop() {
        let part = &mut cached[start..end];
        if fetch {
            part.iter_mut().for_each(Cached::advance);
        }
        if part.len() <= 20 {
            insertion(part, depth);
            continue;
        }
        let (less, equal) = partition(part);
        stack.push((start, start + less, false, depth));
        stack.push((start + less + equal, end, false, depth));
        let ties = &mut part[less..less + equal];
        let over = ended_first(ties, depth);
        if over < equal {
            stack.push((start + less + over, start + less + equal, true, depth + 8));
        }
    }
    for (row, sorted) in rows.iter_mut().zip(cached) {
        *row = sorted.whole;
    }
}

fn insertion(part: &mut [Cached], depth: usize) {
    for end in 1..part.len() {
        let mut at = end;
        while at > 0 && less(&part[at], &part[at - 1], depth) {
            part.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn less(a: &Cached, b: &Cached, depth: usize) -> bool {
    a.cache < b.cache || (a.cache == b.cache && a.whole[depth..] < b.whole[depth..])
}

/// Dijkstra's three-way partition; returns how many are less and how many equal.
fn partition(part: &mut [Cached]) -> (usize, usize) {
    let pick = |at: usize| part[at].cache;
    let (a, b, c) = (pick(0), pick(part.len() / 2), pick(part.len() - 1));
    let pivot = a.min(b).max(a.max(b).min(c));
    let (mut less, mut at, mut more) = (0, 0, part.len());
    while at < more {
        match part[at].cache.cmp(&pivot) {
            std::cmp::Ordering::Less => {
                part.swap(less, at);
                less += 1;
                at += 1;
            }
            std::cmp::Ordering::Equal => at += 1,
            std::cmp::Ordering::Greater => {
                more -= 1;
                part.swap(at, more);
            }
        }
    }
    (less, more - less)
}

/// Strings that are over go first, the shorter before the longer.
fn ended_first(ties: &mut [Cached], depth: usize) -> usize {
    let class = |row: &Cached| if row.whole.len() > depth + 8 { usize::MAX } else { row.whole.len() };
    ties.sort_unstable_by_key(class);
    ties.partition_point(|row| class(row) != usize::MAX)
}
