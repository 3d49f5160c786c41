//! What a subject can still do.
//!
//! ```text
//!            failed in a test that writes, or holds other data than the base
//!   Ready ──────────────────────────────────────────────────────────────────► Behind (rest of the session)
//!     ▲ │                                                                        │      │
//!     │ │                  next session: fresh data                              │      │
//!     └─┼────────────────────────────────────────────────────────────────────────┘      │
//!       │        its server cannot be started, or it failed three tests in a row        │
//!       └────────────────────────────► Failed (rest of the run) ◄───────────────────────┘
//! ```
//!
//! Every change of state is recorded by the event that caused it.

/// A subject that failed this many tests in a row is not started again, because it would probably fail again.
pub(super) const FAILURES_IN_A_ROW: u32 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// It takes part in everything.
    #[default]
    Ready,
    /// Its data differ from the others', so it does not count in this session from this unit on.
    Behind {
        /// The session's number.
        session: u32,
        /// Position in the session of the first unit that does not count for it.
        unit: usize,
    },
    /// It does not run in the rest of the run.
    Failed,
}

/// A subject's state, and its failures in a row.
#[derive(Default)]
pub(super) struct Standing {
    state: State,
    failures_in_a_row: u32,
}

impl Standing {
    /// The first unit of a session that does not count for the subject; `None` while all count.
    pub(super) fn ends_at(&self, session: u32) -> Option<usize> {
        match self.state {
            State::Ready => None,
            State::Behind { session: of, unit } => (of == session).then_some(unit),
            State::Failed => Some(0),
        }
    }

    /// From this unit on, no unit of the session counts.
    pub(super) fn mark_behind(&mut self, session: u32, unit: usize) {
        if self.ends_at(session).is_none_or(|end| unit < end) {
            self.state = State::Behind { session, unit };
        }
    }

    /// No further unit of the run counts.
    pub(super) fn mark_failed(&mut self) {
        self.state = State::Failed;
    }

    /// Records a test without a failure.
    pub(super) fn succeeded(&mut self) {
        self.failures_in_a_row = 0;
    }

    /// Records a failure in a test. Returns true if the subject must not be started again.
    pub(super) fn failed_again(&mut self) -> bool {
        self.failures_in_a_row += 1;
        self.failures_in_a_row >= FAILURES_IN_A_ROW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_is_for_the_rest_of_one_session() {
        let mut standing = Standing::default();
        assert_eq!(standing.ends_at(0), None);
        standing.mark_behind(1, 4);
        assert_eq!([0, 1, 2].map(|session| standing.ends_at(session)), [None, Some(4), None]);
        standing.mark_behind(2, 7);
        assert_eq!([1, 2].map(|session| standing.ends_at(session)), [None, Some(7)]);
    }

    #[test]
    fn the_first_unit_that_does_not_count_is_kept_whichever_is_known_first() {
        for units in [[2, 5], [5, 2]] {
            let mut standing = Standing::default();
            units.into_iter().for_each(|unit| standing.mark_behind(0, unit));
            assert_eq!(standing.ends_at(0), Some(2));
        }
    }

    #[test]
    fn failed_is_for_the_rest_of_the_run() {
        let mut standing = Standing::default();
        standing.mark_behind(0, 4);
        standing.mark_failed();
        standing.mark_behind(1, 2);
        standing.succeeded();
        assert_eq!([0, 1, 2].map(|session| standing.ends_at(session)), [Some(0); 3]);
    }

    #[test]
    fn three_failures_in_a_row_are_enough_and_a_success_between_them_starts_anew() {
        let mut standing = Standing::default();
        assert_eq!([standing.failed_again(), standing.failed_again()], [false; 2]);
        standing.succeeded();
        assert_eq!([0; 3].map(|_| standing.failed_again()), [false, false, true]);
    }
}
