//! Merging sorted slices without comparing again what is known to be the same.
//!
//! ```text
//!   run 0   apple   figure 0   pear 0          each row with what it shares with the one before it in its run
//!   run 1   fig     fit 2
//!   merged  apple 0  fig 0  figure 3  fit 2  pear 0
//! ```
//!
//! A tree of losers in which each loser knows how many bytes it shares with the winner that it lost to. Of two rows that
//! are not before a third, the one that shares more with it comes first; only rows that share the same are compared, from
//! there on. So each byte of the keys is compared about once. W. Ng and K. Kakehi, "Merging String Sequences by Longest
//! Common Prefixes", IPSJ Digital Courier 4, 2008.

use alloc::vec::Vec;

use crate::bytes::Bytes;
use crate::prefix;

/// The rows of sorted runs in one order, each with what it shares with the one before; equal rows in the order of the runs.
///
/// A run is a slice of rows in order, and what each shares with the one before it ([`lcp_array`](crate::lcp_array)).
///
/// ```
/// let (a, b) = (["apple", "figure", "pear"], ["fig", "fit"]);
/// let merged: Vec<_> = skipsort::merge(&[(&a[..], &[0, 0, 0][..]), (&b[..], &[0, 2][..])]).collect();
/// assert_eq!(merged, [(&"apple", 0), (&"fig", 0), (&"figure", 3), (&"fit", 2), (&"pear", 0)]);
/// ```
///
/// If the runs are not in order, or their shared lengths are not true, the order of the result is unspecified.
///
/// # Panics
/// If a run's two slices are not of one length.
pub fn merge<'r, T: Bytes>(runs: &[(&'r [T], &'r [usize])]) -> impl Iterator<Item = (&'r T, usize)> {
    let runs: Vec<Run<'r, T>> = runs.iter().map(|(rows, lcps)| Run::new(rows, lcps)).collect();
    let mut tree = Tree::new(runs);
    core::iter::from_fn(move || tree.next())
}

/// What is left of a run.
struct Run<'r, T> {
    rows: &'r [T],
    lcps: &'r [usize],
}

impl<'r, T> Run<'r, T> {
    fn new(rows: &'r [T], lcps: &'r [usize]) -> Self {
        assert_eq!(rows.len(), lcps.len(), "a shared length for each row");
        Run { rows, lcps }
    }
}

/// A run's first row in the tree, and what it shares with the row that was handed out last.
#[derive(Clone, Copy)]
struct Player {
    run: usize,
    shared: usize,
}

/// Losers by their place: the parent of places `2i` and `2i + 1` is `i`, the runs stand at the places from `leaves` on.
struct Tree<'r, T> {
    runs: Vec<Run<'r, T>>,
    losers: Vec<Player>,
    leaves: usize,
    winner: Player,
}

impl<'r, T: Bytes> Tree<'r, T> {
    fn new(runs: Vec<Run<'r, T>>) -> Self {
        let leaves = runs.len().next_power_of_two();
        let nobody = Player { run: 0, shared: 0 };
        let mut tree = Tree { runs, losers: alloc::vec![nobody; leaves], leaves, winner: nobody };
        let mut players: Vec<Player> = (0..leaves).map(|run| Player { run, shared: 0 }).collect();
        // Level by level from the leaves: the winners play again.
        let mut place = leaves / 2;
        while players.len() > 1 {
            let pairs: Vec<Player> = players.chunks_exact(2).map(|pair| pair[0]).collect();
            for (at, winner) in pairs.iter().enumerate() {
                let mut winner = *winner;
                tree.losers[place + at] = tree.play(&mut winner, players[2 * at + 1]);
                players[at] = winner;
            }
            players.truncate(pairs.len());
            place /= 2;
        }
        tree.winner = players[0];
        tree
    }

    /// The better of the two is `winner` afterwards; the other is given back, with what it shares with that one.
    fn play(&self, winner: &mut Player, other: Player) -> Player {
        let key = |player: Player| Some(self.runs.get(player.run)?.rows.first()?.bytes());
        let (Some(a), Some(b)) = (key(*winner), key(other)) else {
            // A run that is over loses.
            let over = key(*winner).is_none();
            return if over { core::mem::replace(winner, other) } else { other };
        };
        if winner.shared != other.shared {
            let better = winner.shared > other.shared;
            return if better { other } else { core::mem::replace(winner, other) };
        }
        let shared = winner.shared + prefix::common(a, b, winner.shared, usize::MAX);
        let first = (a.get(shared..), winner.run) < (b.get(shared..), other.run);
        let loser = if first { other } else { core::mem::replace(winner, other) };
        Player { shared, ..loser }
    }

    fn next(&mut self) -> Option<(&'r T, usize)> {
        let Player { run, shared } = self.winner;
        let from = self.runs.get_mut(run)?;
        let (row, rest) = from.rows.split_first()?;
        (from.rows, from.lcps) = (rest, &from.lcps[1..]);
        let mut player = Player { run, shared: from.lcps.first().copied().unwrap_or(0) };
        let mut place = (self.leaves + run) / 2;
        while place > 0 {
            self.losers[place] = self.play(&mut player, self.losers[place]);
            place /= 2;
        }
        self.winner = player;
        Some((row, shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::lcp_array;

    /// Rows of few letters, so that many are equal or prefixes of each other.
    fn rows(count: usize, seed: u64) -> Vec<String> {
        let mut state = seed;
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..count).map(|_| (0..next(6)).map(|_| char::from(b'a' + next(2) as u8)).collect()).collect()
    }

    #[test]
    fn merges_any_number_of_runs_with_what_neighbours_share() {
        for count in [0, 1, 2, 3, 5, 8, 9] {
            let mut runs: Vec<Vec<String>> =
                (0..count).map(|run| rows(run * 7 % 11 * 3, run as u64 + 1)).collect();
            runs.iter_mut().for_each(|run| run.sort());
            let lcps: Vec<Vec<usize>> =
                runs.iter().map(|run| lcp_array(run, &(0..run.len()).collect::<Vec<_>>())).collect();
            let pairs: Vec<_> = runs.iter().zip(&lcps).map(|(rows, lcps)| (&rows[..], &lcps[..])).collect();
            let merged: Vec<(&String, usize)> = merge(&pairs).collect();
            let mut expected: Vec<&String> = runs.iter().flatten().collect();
            expected.sort();
            let all: Vec<usize> = (0..expected.len()).collect();
            let got: Vec<&String> = merged.iter().map(|row| row.0).collect();
            assert!(got.iter().zip(&expected).all(|(a, b)| core::ptr::eq(*a, *b)), "{count} runs, stable");
            assert_eq!(merged.iter().map(|row| row.1).collect::<Vec<_>>(), lcp_array(&expected, &all));
        }
    }
}
