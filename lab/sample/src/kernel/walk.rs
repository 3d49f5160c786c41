//! A random walk over memory: each place holds the number of the next one, on one closed way over all places.

/// Places: 64 MB of cache lines, more than the second-level cache of any processor.
const PLACES: u32 = 1 << 20;

/// Steps of a batch: some microseconds.
pub(super) const STEPS: u32 = 64;

/// A cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Place {
    next: u32,
}

/// The places, and where the walk has come to. It goes on there at the next reading, so that it meets no place twice
/// before it has met all.
#[derive(Debug)]
pub(super) struct Walk {
    places: Vec<Place>,
    at: u32,
}

impl Walk {
    /// Lays out the way.
    pub(super) fn new() -> Self {
        Self::over(PLACES)
    }

    /// Sattolo's algorithm: exchanging each place with an earlier one, never with itself, gives one closed way over all.
    fn over(count: u32) -> Self {
        let mut places: Vec<Place> = (0..count).map(|next| Place { next }).collect();
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for last in (1..count as usize).rev() {
            // Marsaglia's xorshift; the same way for everyone.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let earlier = (random % last as u64) as usize;
            let next = places[last].next;
            places[last].next = places[earlier].next;
            places[earlier].next = next;
        }
        Self { places, at: 0 }
    }

    /// Does a batch; returns how many steps that was.
    pub(super) fn steps(&mut self) -> u32 {
        for _ in 0..STEPS {
            self.at = self.places[self.at as usize].next;
        }
        STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_leads_over_all_places_before_it_returns() {
        for count in [2, 3, 1000] {
            let walk = Walk::over(count);
            let mut at = 0;
            let mut met = 0;
            loop {
                at = walk.places[at as usize].next;
                met += 1;
                if at == 0 {
                    break;
                }
            }
            assert_eq!(met, count);
        }
    }

    #[test]
    fn a_place_is_a_cache_line_and_a_walk_goes_on() {
        assert_eq!(size_of::<Place>() * PLACES as usize, 64 << 20);
        let mut walk = Walk::over(1000);
        walk.steps();
        let first = walk.at;
        assert_eq!(walk.steps(), STEPS);
        assert_ne!(walk.at, first);
    }
}
