//! A tournament of sources in which no byte that two keys share is compared twice.
//!
//! Every source has a code: where its key first differs from the last winner's, and the four bytes there. Of two keys
//! the one that differs later, or by a smaller byte at the same place, is smaller, and the loser's code then holds
//! against the new winner as well, because both differ from the loser at that very place. If a later one of the four
//! bytes has decided, the loser's code is moved there. Only equal codes are compared byte by byte, from that place on.
//!
//! ```text
//!   last winner   /usr/lib/a
//!   source 0      /usr/lib/b     differs at 9, "b"
//!   source 1      /usr/share     differs at 5, "shar"     9 is later: source 0 wins without a look at the keys,
//!                                                         and source 1 differs from it at 5, too
//! ```
//!
//! The tree of losers is Knuth's (volume 3, 5.4.1); codes of offset and value are those of W. M. Conner (1977), and
//! the same thing as the merge by longest common prefixes of W. Ng and K. Kakehi (2008).

use crate::bytes;
use crate::error::Result;
use crate::source::Source;

/// Differences beyond this place are all said to be there, and compared.
const FAR: usize = u32::MAX as usize - 1;
/// The code of a source at its end, above all others.
const DONE: u64 = u64::MAX;

/// Sources and the tree of those that have lost.
pub(crate) struct Tournament<S> {
    sources: Vec<S>,
    codes: Vec<u64>,
    /// The loser of each match; `losers[0]` is the winner of all.
    losers: Vec<u32>,
    /// Turns values over, for descending order.
    flip: u32,
}

impl<S: Source> Tournament<S> {
    pub(crate) fn new(sources: Vec<S>, live: &[bool], descending: bool) -> Self {
        let flip = if descending { u32::MAX } else { 0 };
        let code = |(source, live): (&S, &bool)| if *live { code(source.key(), 0, flip) } else { DONE };
        let codes: Vec<u64> = sources.iter().zip(live).map(code).collect();
        let losers = vec![0; sources.len().max(1)];
        let mut tournament = Tournament { sources, codes, losers, flip };
        tournament.play_all();
        tournament
    }

    pub(crate) fn into_sources(self) -> Vec<S> {
        self.sources
    }

    /// Leaf i stands behind the inner nodes, at place n + i; the parent of place p is p / 2.
    fn play_all(&mut self) {
        let n = self.sources.len();
        let mut winners: Vec<u32> = (0..2 * n as u32).map(|place| place.saturating_sub(n as u32)).collect();
        for node in (1..n).rev() {
            let (winner, loser) = self.play(winners[2 * node], winners[2 * node + 1]);
            winners[node] = winner;
            self.losers[node] = loser;
        }
        self.losers[0] = if n > 1 { winners[1] } else { 0 };
    }

    /// The source with the smallest key, and what that shares with the last winner's.
    #[inline(always)]
    pub(crate) fn winner(&self) -> Option<(&S, usize)> {
        let winner = self.losers[0] as usize;
        match *self.codes.get(winner)? {
            DONE => None,
            code => Some((&self.sources[winner], place_of(code))),
        }
    }

    /// Takes the winner's next record and plays its matches again.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Result<()> {
        let mut winner = self.losers[0];
        let source = &mut self.sources[winner as usize];
        self.codes[winner as usize] =
            if source.advance()? { code(source.key(), source.shared(), self.flip) } else { DONE };
        let mut node = (self.sources.len() + winner as usize) / 2;
        while node > 0 {
            let other = self.losers[node];
            let (code, other_code) = (self.codes[winner as usize], self.codes[other as usize]);
            if other_code < code {
                self.lost(winner, other, code ^ other_code);
                self.losers[node] = winner;
                winner = other;
            } else if other_code > code {
                self.lost(other, winner, code ^ other_code);
            } else {
                let (won, lost) = self.compare(winner, other);
                self.losers[node] = lost;
                winner = won;
            }
            node /= 2;
        }
        self.losers[0] = winner;
        Ok(())
    }

    fn play(&mut self, a: u32, b: u32) -> (u32, u32) {
        match self.codes[a as usize].cmp(&self.codes[b as usize]) {
            std::cmp::Ordering::Equal => self.compare(a, b),
            order => {
                let (winner, loser) = if order.is_lt() { (a, b) } else { (b, a) };
                self.lost(loser, winner, self.codes[a as usize] ^ self.codes[b as usize]);
                (winner, loser)
            }
        }
    }

    /// A code of four bytes has decided, and perhaps not by the first of them: then the loser shares more with the
    /// winner than its code says. `differ` is where the codes do.
    #[inline(always)]
    fn lost(&mut self, loser: u32, winner: u32, differ: u64) {
        if differ >> 24 == 0 {
            self.shared_more(loser as usize, winner as usize, differ as u32);
        }
    }

    fn shared_more(&mut self, loser: usize, winner: usize, differ: u32) {
        let more = differ.leading_zeros() as usize / 8;
        // Zeros behind the end of a key are not shared.
        let least = self.sources[winner].key().len().min(self.sources[loser].key().len());
        let place = (place_of(self.codes[loser]) + more).min(least);
        self.codes[loser] = code(self.sources[loser].key(), place, self.flip);
    }

    /// Codes are equal: the bytes decide, then the number of the source. The loser's code is made anew.
    fn compare(&mut self, a: u32, b: u32) -> (u32, u32) {
        let code_of_both = self.codes[a as usize];
        if code_of_both == DONE {
            return (a.min(b), a.max(b));
        }
        let (key_a, key_b) = (self.sources[a as usize].key(), self.sources[b as usize].key());
        let from = place_of(code_of_both).min(key_a.len()).min(key_b.len());
        let (order, shared) = bytes::compare(key_a, key_b, from);
        let order = if self.flip == 0 { order } else { order.reverse() };
        let a_wins = order.then(a.cmp(&b)).is_lt();
        let (winner, loser) = if a_wins { (a, b) } else { (b, a) };
        self.codes[loser as usize] = code(self.sources[loser as usize].key(), shared, self.flip);
        (winner, loser)
    }
}

/// The code of a key that differs from the last winner's at `place`: smaller codes win.
#[inline(always)]
fn code(key: &[u8], place: usize, flip: u32) -> u64 {
    let place = place.min(FAR);
    let value = (bytes::eight(key, place) >> 32) as u32 ^ flip;
    ((FAR - place) as u64) << 32 | u64::from(value)
}

#[inline(always)]
fn place_of(code: u64) -> usize {
    FAR - (code >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::common;

    struct Words(Vec<Vec<u8>>, usize);

    impl Source for Words {
        fn advance(&mut self) -> Result<bool> {
            self.1 += 1;
            Ok(self.1 < self.0.len())
        }
        fn key(&self) -> &[u8] {
            &self.0[self.1]
        }
        fn line(&self) -> &[u8] {
            self.key()
        }
        fn shared(&self) -> usize {
            common(&self.0[self.1 - 1], &self.0[self.1], 0)
        }
    }

    fn merged(descending: bool, sources: usize, seed: u64) {
        let mut rng = skipsort_testkit::rng::Rng::new(seed);
        let mut word =
            || -> Vec<u8> { (0..rng.below(9)).map(|_| [0, b'a', b'b', 255][rng.below(4)]).collect() };
        let order = |a: &Vec<u8>, b: &Vec<u8>| if descending { b.cmp(a) } else { a.cmp(b) };
        let mut all: Vec<(Vec<u8>, usize)> = Vec::new();
        let mut lists = Vec::new();
        for source in 0..sources {
            let mut words: Vec<Vec<u8>> = (0..source * 7 % 60).map(|_| word()).collect();
            words.sort_by(order);
            all.extend(words.iter().map(|word| (word.clone(), source)));
            lists.push(Words(words, 0));
        }
        all.sort_by(|a, b| order(&a.0, &b.0));
        let live: Vec<bool> = lists.iter().map(|list| !list.0.is_empty()).collect();
        let mut tournament = Tournament::new(lists, &live, descending);
        let mut before = Vec::new();
        for (expected, _) in &all {
            let (source, shared) = tournament.winner().expect("as many as went in");
            assert_eq!(source.key(), expected);
            assert_eq!(shared, common(&before, expected, 0));
            before = expected.clone();
            tournament.advance().unwrap();
        }
        assert!(tournament.winner().is_none());
    }

    #[test]
    fn order_and_shared_prefixes_are_right() {
        for seed in 0..20 {
            for sources in [0, 1, 2, 3, 7, 16, 33] {
                merged(false, sources, seed);
                merged(true, sources, seed);
            }
        }
    }
}
