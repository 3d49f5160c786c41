//! A sample of a stream whose length is not known: each item is in it with the same probability (Vitter, "Random sampling with a
//! reservoir", 1985, algorithm R).

use humdrum_contract::Random;

/// How much memory something takes.
pub(crate) trait Bytes {
    /// About so many bytes.
    fn bytes(&self) -> usize;
}

/// At most so many items of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Reservoir<T> {
    most: usize,
    seen: u64,
    random: Random,
    /// Memory of what is kept.
    pub(crate) bytes: usize,
    pub(crate) kept: Vec<T>,
}

impl<T: Bytes> Reservoir<T> {
    /// An empty one.
    pub(crate) fn new(most: usize, random: Random) -> Self {
        Self { most, seen: 0, random, bytes: 0, kept: Vec::new() }
    }

    /// Offers the next item, which is made only if it is kept.
    pub(crate) fn offer(&mut self, item: impl FnOnce() -> T) {
        self.seen += 1;
        if self.kept.len() < self.most {
            self.kept.push(item());
            self.bytes += self.kept.last().map_or(0, Bytes::bytes);
            return;
        }
        let place = self.random.below(self.seen) as usize;
        if place < self.most {
            self.bytes -= self.kept[place].bytes();
            self.kept[place] = item();
            self.bytes += self.kept[place].bytes();
        }
    }

    /// Keeps half of the items, drawn at random, and takes no more than so many from now on: a sample of a sample is one of the
    /// stream. One item stays. Returns whether there were more.
    pub(crate) fn halve(&mut self) -> bool {
        if self.kept.len() < 2 {
            return false;
        }
        self.most = self.kept.len() / 2;
        while self.kept.len() > self.most {
            let place = self.random.below(self.kept.len() as u64) as usize;
            self.bytes -= self.kept.swap_remove(place).bytes();
        }
        self.kept.shrink_to_fit();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Bytes for i32 {
        fn bytes(&self) -> usize {
            4
        }
    }

    fn counts(halved: bool) -> [u32; 20] {
        let mut counts = [0_u32; 20];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(if halved { 10 } else { 5 }, Random::new(seed));
            (0..15).for_each(|item| reservoir.offer(|| item));
            if halved {
                assert!(reservoir.halve());
            }
            (15..20).for_each(|item| reservoir.offer(|| item));
            assert_eq!((reservoir.kept.len(), reservoir.bytes), (5, 20));
            reservoir.kept.iter().for_each(|item| counts[*item as usize] += 1);
        }
        counts
    }

    #[test]
    fn every_item_is_as_probable() {
        for halved in [false, true] {
            let counts = counts(halved);
            assert!(
                counts.iter().all(|count| (900..1100).contains(count)),
                "a quarter of 4000 each: {counts:?}"
            );
        }
    }

    #[test]
    fn one_item_stays() {
        let mut reservoir = Reservoir::new(3, Random::new(1));
        (0..3).for_each(|item| reservoir.offer(|| item));
        assert_eq!([reservoir.halve(), reservoir.halve()], [true, false]);
        assert_eq!((reservoir.kept.len(), reservoir.bytes), (1, 4));
    }
}
