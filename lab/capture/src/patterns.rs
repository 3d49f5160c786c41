//! All patterns of a capture, with as many samples as memory has room for.

use humdrum_contract::Random;

use crate::Options;
use crate::event::Value;
use crate::keys::Map;
use crate::memory::{SAMPLES_BYTES_MAX, TEXTS_BYTES_MAX};
use crate::pattern::{End, Pattern, Template};
use crate::reservoir::Reservoir;

/// Different patterns that are kept; statements of further ones are only counted.
pub(crate) const PATTERNS_MAX: usize = 20_000;
/// Patterns with most time, which give up samples last: more than are ever written.
const SPARED: usize = 200;

/// Patterns by their keys.
pub(crate) struct Patterns {
    options: Options,
    map: Map<Pattern>,
    /// Memory of their texts, and of their samples.
    texts_bytes: usize,
    samples_bytes: usize,
    /// Samples cannot be thinned any further.
    is_full: bool,
}

/// How one run of a pattern went.
pub(crate) struct Run {
    pub(crate) key: u64,
    pub(crate) end: End,
    pub(crate) seconds: f64,
    /// Memory of a new pattern.
    pub(crate) bytes: usize,
}

impl Patterns {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, map: Map::default(), texts_bytes: 0, samples_bytes: 0, is_full: false }
    }

    /// Counts a run; its statements and values are made where they are kept. False: there are too many patterns.
    pub(crate) fn count(
        &mut self,
        run: &Run,
        statements: impl FnOnce() -> Vec<Template>,
        values: impl FnOnce() -> Box<[Value]>,
    ) -> bool {
        let pattern = match self.map.get_mut(&run.key) {
            Some(pattern) => pattern,
            None => {
                if self.map.len() >= PATTERNS_MAX || self.texts_bytes + run.bytes > TEXTS_BYTES_MAX {
                    return false;
                }
                self.texts_bytes += run.bytes;
                let samples = Reservoir::new(self.options.samples, Random::of(self.options.seed, run.key));
                let pattern = Pattern {
                    statements: statements(),
                    end: run.end,
                    count: 0,
                    seconds: 0.0,
                    samples,
                    extras: Vec::new(),
                    remarks: Vec::new(),
                };
                self.map.entry(run.key).or_insert(pattern)
            }
        };
        pattern.count += 1;
        pattern.seconds += run.seconds;
        if self.is_full && !pattern.samples.kept.is_empty() {
            return true;
        }
        let before = pattern.samples.bytes;
        pattern.samples.offer(values);
        self.samples_bytes = self.samples_bytes + pattern.samples.bytes - before;
        if self.samples_bytes > SAMPLES_BYTES_MAX {
            self.thin();
        }
        true
    }

    /// Takes samples away until the others need half of their memory: one half of the samples of a pattern at a time, those with
    /// least time first.
    fn thin(&mut self) {
        let mut by_weight: Vec<(&u64, &mut Pattern)> = self.map.iter_mut().collect();
        by_weight.sort_by(|(left_key, left), (right_key, right)| {
            let by_time = left.seconds.total_cmp(&right.seconds).then(left.count.cmp(&right.count));
            by_time.then(left_key.cmp(right_key))
        });
        let light = by_weight.len().saturating_sub(SPARED);
        for thinned in [light, by_weight.len()] {
            let mut is_thinner = true;
            while is_thinner {
                is_thinner = false;
                for (_, pattern) in &mut by_weight[..thinned] {
                    if self.samples_bytes <= SAMPLES_BYTES_MAX / 2 {
                        return;
                    }
                    self.samples_bytes -= pattern.samples.bytes;
                    is_thinner |= pattern.samples.halve();
                    self.samples_bytes += pattern.samples.bytes;
                }
            }
        }
        self.is_full = true;
    }

    /// In the order of their keys: a map has no order, and equal logs must give equal folders.
    pub(crate) fn in_order(self) -> Vec<Pattern> {
        let mut patterns: Vec<(u64, Pattern)> = self.map.into_iter().collect();
        patterns.sort_by_key(|(key, _)| *key);
        patterns.into_iter().map(|(_, pattern)| pattern).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of patterns whose values take 100 kB each: 1000 samples of one fit into the memory, and not of several.
    #[test]
    fn samples_are_thinned_where_all_together_need_too_much_and_the_heaviest_keep_theirs() {
        let mut patterns = Patterns::new(Options { samples: 100, seed: 1 });
        let text: Box<str> = "x".repeat(100_000).into();
        for number in 0..40_000_u64 {
            // Key 0 has half of all runs.
            let key = if number % 2 == 0 { 0 } else { number % 500 };
            let run = Run { key, end: End::Alone, seconds: 1.0, bytes: 100 };
            assert!(patterns.count(&run, Vec::new, || [Value::Text(text.clone())].into()));
            assert!(patterns.samples_bytes <= SAMPLES_BYTES_MAX, "{}", patterns.samples_bytes);
        }
        let bytes: usize = patterns.map.values().map(|one| one.samples.bytes).sum();
        assert_eq!(bytes, patterns.samples_bytes);
        assert!(patterns.map.values().all(|one| !one.samples.kept.is_empty()));
        let all: Vec<usize> = patterns.in_order().iter().map(|one| one.samples.kept.len()).collect();
        assert!(all[1..].iter().all(|kept| *kept <= all[0]), "{all:?}");
    }

    #[test]
    fn there_are_not_more_texts_than_memory_has_room_for() {
        let mut patterns = Patterns::new(Options { samples: 1, seed: 1 });
        let mut count = |key| {
            let run = Run { key, end: End::Alone, seconds: 1.0, bytes: TEXTS_BYTES_MAX / 4 };
            patterns.count(&run, Vec::new, || [].into())
        };
        assert_eq!([0, 1, 2, 3, 4, 0].map(&mut count), [true, true, true, true, false, true]);
    }
}
