//! A sample of a stream whose length is not known: each item is in it with the same probability (Vitter, "Random sampling with a
//! reservoir", 1985, algorithm R).

use humdrum_contract::Random;

/// At most so many items of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Reservoir<T> {
    most: usize,
    seen: u64,
    random: Random,
    pub(crate) kept: Vec<T>,
}

impl<T> Reservoir<T> {
    /// An empty one.
    pub(crate) fn new(most: usize, random: Random) -> Self {
        Self { most, seen: 0, random, kept: Vec::new() }
    }

    /// Offers the next item, which is made only if it is kept.
    pub(crate) fn offer(&mut self, item: impl FnOnce() -> T) {
        self.seen += 1;
        if self.kept.len() < self.most {
            self.kept.push(item());
            return;
        }
        let place = self.random.below(self.seen) as usize;
        if place < self.most {
            self.kept[place] = item();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_as_probable() {
        let mut counts = [0_u32; 20];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(5, Random::new(seed));
            (0..20).for_each(|item| reservoir.offer(|| item));
            reservoir.kept.iter().for_each(|item| counts[*item as usize] += 1);
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "a quarter of 4000 each: {counts:?}");
    }
}
