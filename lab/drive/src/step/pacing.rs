//! When a statement of a paced writer is due.
//!
//! By default intended times are evenly spaced and fixed: after a delay, statements are late and the writer
//! catches up. The reference runs the statements of a second at once, waits for the rest of the second, and
//! starts its clock anew, so that delays do not add up. `bursts` works like the reference.

use humdrum_contract::StepWork;

const SECOND_NS: u64 = 1_000_000_000;

/// After this part of a second the reference does not wait for the rest.
const NEARLY_A_SECOND_NS: u64 = 950_000_000;

/// The pace of one client's writers within a chunk.
pub(crate) enum Pacing {
    /// As fast as possible.
    Free,
    /// Evenly.
    Steady { start_ns: u64, phase_ns: u64, first: u64, period_ns: f64 },
    /// All statements of a second at its start. The latest burst ends before statement `end`.
    Bursts { start_ns: u64, end: u64, per_second: u64 },
}

impl Pacing {
    /// The pacing of client `number` of `clients`. The phases of clients are spread over a period.
    pub(crate) fn new(work: &StepWork, first: u64, start_ns: u64, number: usize, clients: usize) -> Self {
        let Some(rows_per_second) = work.rows_per_second else { return Self::Free };
        let per_second = rows_per_second as f64 / work.rows_per_statement as f64;
        if work.bursts {
            let per_second = per_second.ceil().max(1.0) as u64;
            return Self::Bursts { start_ns, end: first + per_second, per_second };
        }
        let period_ns = SECOND_NS as f64 / per_second;
        let phase_ns = (period_ns * number as f64 / clients as f64) as u64;
        Self::Steady { start_ns, phase_ns, first, period_ns }
    }

    /// When statement `number` is due. Both writers ask, in ascending order.
    pub(crate) fn due_ns(&mut self, number: u64, now_ns: u64) -> u64 {
        match self {
            Self::Free => now_ns,
            Self::Steady { start_ns, phase_ns, first, period_ns } => {
                *start_ns + *phase_ns + ((number - *first) as f64 * *period_ns) as u64
            }
            Self::Bursts { start_ns, end, per_second } => {
                if number >= *end {
                    let waits = now_ns.saturating_sub(*start_ns) < NEARLY_A_SECOND_NS;
                    *start_ns = if waits { *start_ns + SECOND_NS } else { now_ns };
                    *end += *per_second;
                }
                // The other writer may still be in the burst before.
                if number + *per_second < *end { now_ns } else { *start_ns }
            }
        }
    }

    /// When the period of the statement before `last` ends. Asked once that statement was due. `None` without pacing.
    pub(crate) fn end_ns(&self, last: u64) -> Option<u64> {
        match self {
            Self::Free => None,
            // The same for all clients.
            Self::Steady { start_ns, first, period_ns, .. } => {
                Some(*start_ns + ((last - *first) as f64 * *period_ns) as u64)
            }
            // The last burst's second, or a part of it in proportion if the burst is not whole.
            Self::Bursts { start_ns, end, per_second } => {
                let statements = (last + *per_second).saturating_sub(*end).min(*per_second);
                Some(*start_ns + SECOND_NS * statements / *per_second)
            }
        }
    }

    /// Whether response times count from when statements are due.
    pub(crate) fn has_intended_times(&self) -> bool {
        matches!(self, Self::Steady { .. })
    }
}

#[cfg(test)]
mod tests {
    use humdrum_contract::Counts;

    use super::*;

    fn work(bursts: bool) -> StepWork {
        StepWork {
            counts: Counts::Queries,
            statements: 100,
            rows_per_statement: 50,
            rows_per_second: Some(500),
            chunked: true,
            look_up_every: 1000,
            bursts,
        }
    }

    #[test]
    fn steady_times_do_not_move_and_clients_take_turns() {
        let mut pacing = Pacing::new(&work(false), 10, 7, 0, 2);
        assert_eq!((pacing.due_ns(10, 99), pacing.due_ns(20, 10 * SECOND_NS)), (7, SECOND_NS + 7));
        let mut other = Pacing::new(&work(false), 10, 7, 1, 2);
        assert_eq!(other.due_ns(10, 0), 50_000_007);
        assert_eq!((pacing.end_ns(20), other.end_ns(20)), (Some(SECOND_NS + 7), Some(SECOND_NS + 7)));
    }

    #[test]
    fn bursts_wait_for_the_second_and_forget_a_stall() {
        let mut pacing = Pacing::new(&work(true), 0, 0, 0, 1);
        assert_eq!([0, 9, 10].map(|number| pacing.due_ns(number, 1000)), [0, 0, SECOND_NS]);
        // Three seconds lost: the next ten come at once, and no more than ten.
        let late = 4 * SECOND_NS;
        assert_eq!([20, 29, 30].map(|number| pacing.due_ns(number, late)), [late, late, late + SECOND_NS]);
    }

    #[test]
    fn the_last_burst_has_its_second_and_a_part_of_one_its_share() {
        let mut pacing = Pacing::new(&work(true), 5, 7, 0, 1);
        assert_eq!([5, 14, 15].map(|number| pacing.due_ns(number, 1000)), [7, 7, SECOND_NS + 7]);
        assert_eq!((pacing.end_ns(25), pacing.end_ns(18)), (Some(2 * SECOND_NS + 7), Some(1_300_000_007)));
    }

    #[test]
    fn the_slower_writer_does_not_wait_for_the_second_after_its_own() {
        let mut pacing = Pacing::new(&work(true), 0, 0, 0, 1);
        // The inserter begins the second second; the deleter is still in the first.
        assert_eq!([0, 10, 9, 10].map(|number| pacing.due_ns(number, 1000)), [0, SECOND_NS, 1000, SECOND_NS]);
    }
}
