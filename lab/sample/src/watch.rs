//! Rules, declared beforehand, that discard blocks whatever their result was.
//!
//! 1. *Steal*: within a window of at least a second, the hypervisor took more than `MOST_STEAL` of the host. Steal is
//!    counted in ticks as long as a slice, so that windows can be judged and single blocks cannot.
//! 2. *Gap*: more than `LONGEST_GAP_NS` passed between two slices of one block, so that they did not share the
//!    host's disturbances.
//!
//! The rules do not use results, and they discard whole blocks, so that discarding cannot favour a subject.

use humdrum_contract::Probe;
use humdrum_model::{Block, STEAL};

/// Most steal, as a share of all processors' time in a window.
const MOST_STEAL: f64 = 0.05;

/// Longest time between the end of one slice and the start of the next within a block.
const LONGEST_GAP_NS: u64 = 100_000_000;

/// Shortest window over which steal is judged: a hundred ticks per processor.
const WINDOW_NS: u64 = 1_000_000_000;

/// The unit of `humdrum_probes::steal`.
const TICK_NS: f64 = 10_000_000.0;

/// Blocks to discard, by their indices within the test and session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discard {
    /// First block's index.
    pub first: u32,
    /// Last block's index.
    pub last: u32,
    /// The rule and what it measured.
    pub reason: String,
}

/// Watches the blocks of one test in one session.
pub struct HostWatch {
    cpus: u32,
    steal: Option<Box<dyn Probe>>,
    window: Option<Window>,
}

struct Window {
    first: u32,
    last: u32,
    start_ns: u64,
    end_ns: u64,
    ticks_before: i64,
}

impl HostWatch {
    /// A watch for a host with `cpus` processors. `steal` reads its stolen ticks, if it counts them.
    pub fn new(cpus: u32, steal: Option<Box<dyn Probe>>) -> Self {
        Self { cpus, steal, window: None }
    }

    /// Judges the next block. Returns the blocks to discard, up to and including it.
    pub fn block(&mut self, block: &Block) -> Option<Discard> {
        self.extend(block);
        let full = self.window.as_ref().is_some_and(|window| window.end_ns - window.start_ns >= WINDOW_NS);
        let stolen = if full { self.judge() } else { None };
        stolen.or_else(|| gap(block))
    }

    /// Judges what is left of the last window.
    pub fn finish(&mut self) -> Option<Discard> {
        let long =
            self.window.as_ref().is_some_and(|window| window.end_ns - window.start_ns >= WINDOW_NS / 4);
        if long { self.judge() } else { None }
    }

    fn extend(&mut self, block: &Block) {
        let Some(last) = block.slices.last() else { return };
        let end_ns = last.start_ns + last.wall_ns;
        if let Some(window) = &mut self.window {
            (window.last, window.end_ns) = (block.index, end_ns);
        } else if let Some(ticks_before) = self.ticks() {
            // The first reading is after the window's first block, so that time counts from here.
            let (first, last) = (block.index, block.index);
            self.window = Some(Window { first, last, start_ns: end_ns, end_ns, ticks_before });
        }
    }

    fn judge(&mut self) -> Option<Discard> {
        let window = self.window.take()?;
        let ticks = self.ticks()? - window.ticks_before;
        let length_ns = (window.end_ns - window.start_ns) as f64;
        let share = ticks as f64 * TICK_NS / (length_ns * f64::from(self.cpus));
        let reason = format!("{STEAL}: {:.1} % of the host over {:.1} s", share * 100.0, length_ns / 1e9);
        (share > MOST_STEAL).then_some(Discard { first: window.first, last: window.last, reason })
    }

    fn ticks(&mut self) -> Option<i64> {
        let mut readings = Vec::with_capacity(1);
        self.steal.as_mut()?.read(&mut readings).ok()?;
        readings.first().copied()
    }
}

fn gap(block: &Block) -> Option<Discard> {
    let gaps = block.slices.windows(2).map(|pair| {
        let end_ns = pair[0].start_ns + pair[0].wall_ns;
        pair[1].start_ns.saturating_sub(end_ns)
    });
    // Guards lie between slices. They are at most as long as a slice, so that only more than that is a gap.
    let allowed_ns = LONGEST_GAP_NS + block.slices.iter().map(|slice| slice.wall_ns).max().unwrap_or(0);
    let gap_ns = gaps.max().filter(|gap| *gap > allowed_ns)?;
    let reason = format!("gap: {} ms between two slices", gap_ns / 1_000_000);
    Some(Discard { first: block.index, last: block.index, reason })
}

#[cfg(test)]
mod tests {
    use humdrum_contract::Outcome;
    use humdrum_model::{Metric, Slice};

    use super::*;

    /// Steals `0` ticks more at every reading.
    struct Thief(i64, i64);

    impl Probe for Thief {
        fn metrics(&self) -> Vec<Metric> {
            Vec::new()
        }

        fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
            self.1 += self.0;
            readings.push(self.1);
            Ok(())
        }
    }

    /// Two slices of 10 ms, `gap_ms` apart.
    fn block(index: u32, gap_ms: u64) -> Block {
        let slice = |subject, start_ms: u64| Slice {
            subject,
            start_ns: start_ms * 1_000_000,
            wall_ns: 10_000_000,
            operations: 10,
            guard_operations: 1,
            rows: 10,
            client_cpu_ns: 0,
            readings: Vec::new(),
            quarter_ns: None,
            idle_ns: None,
            scripts: Vec::new(),
            blamed: false,
        };
        let start_ms = u64::from(index) * 20;
        let slices = vec![slice(0, start_ms), slice(1, start_ms + 10 + gap_ms)];
        Block { test: "t".into(), session: 0, index, slices, discarded: None }
    }

    fn watch(ticks_per_window: i64) -> HostWatch {
        HostWatch::new(2, Some(Box::new(Thief(ticks_per_window, 0))))
    }

    #[test]
    fn quiet_blocks_stay() {
        let mut watch = watch(2);
        assert!((0..500).all(|index| watch.block(&block(index, 0)).is_none()));
        assert_eq!(watch.finish(), None);
    }

    #[test]
    fn a_gap_takes_its_block() {
        let discard = watch(0).block(&block(7, 200)).expect("discarded");
        assert_eq!((discard.first, discard.last), (7, 7));
    }

    #[test]
    fn steal_takes_its_window() {
        let mut watch = watch(50);
        let discard = (0..100).find_map(|index| watch.block(&block(index, 0))).expect("discarded");
        assert_eq!((discard.first, discard.last), (0, 50));
        assert!(discard.reason.starts_with("steal: 25"), "{}", discard.reason);
    }

    #[test]
    fn a_short_rest_is_judged_too() {
        let mut watch = watch(50);
        assert!((0..30).all(|index| watch.block(&block(index, 0)).is_none()));
        assert_eq!(watch.finish().map(|discard| (discard.first, discard.last)), Some((0, 29)));
    }
}
