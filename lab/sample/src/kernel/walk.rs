//! A random walk over memory: each cache line holds the number of the next one, in one cycle over all lines.

/// Number of cache lines: 64 MB, more than any second-level cache.
const LINES: u32 = 1 << 20;

/// Steps of a batch: some microseconds.
pub(super) const STEPS: u32 = 64;

/// A cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Line {
    next: u32,
}

/// The cache lines and the current position. The next reading continues from there, so that no line is read twice before
/// all lines were read.
#[derive(Debug)]
pub(super) struct Walk {
    lines: Vec<Line>,
    at: u32,
}

impl Walk {
    /// A walk over 64 MB.
    pub(super) fn new() -> Self {
        Self::over(LINES)
    }

    /// Sattolo's algorithm: swapping each line with an earlier one, never with itself, makes a single cycle.
    fn over(count: u32) -> Self {
        let mut lines: Vec<Line> = (0..count).map(|next| Line { next }).collect();
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for last in (1..count as usize).rev() {
            // Marsaglia's xorshift with a fixed seed: the same cycle for everyone.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let earlier = (random % last as u64) as usize;
            let next = lines[last].next;
            lines[last].next = lines[earlier].next;
            lines[earlier].next = next;
        }
        Self { lines, at: 0 }
    }

    /// Does a batch; returns how many steps that was.
    pub(super) fn steps(&mut self) -> u32 {
        for _ in 0..STEPS {
            self.at = self.lines[self.at as usize].next;
        }
        STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_contains_all_lines() {
        for count in [2, 3, 1000] {
            let walk = Walk::over(count);
            let mut at = 0;
            let mut met = 0;
            loop {
                at = walk.lines[at as usize].next;
                met += 1;
                if at == 0 {
                    break;
                }
            }
            assert_eq!(met, count);
        }
    }

    #[test]
    fn a_line_is_a_cache_line_and_a_walk_continues() {
        assert_eq!(size_of::<Line>() * LINES as usize, 64 << 20);
        let mut walk = Walk::over(1000);
        walk.steps();
        let first = walk.at;
        assert_eq!(walk.steps(), STEPS);
        assert_ne!(walk.at, first);
    }
}
