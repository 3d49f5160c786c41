//! The pipeline of an operation: which statements were sent in it, and what is known of them when it ends.

use humdrum_contract::SqlSession;

use super::ready::Bound;

/// A pipeline, open or not.
#[derive(Default)]
pub(super) struct Pipe {
    pub(super) open: bool,
    /// Commands whose statements were sent, in order; kept so that the hot path does not allocate.
    pub(super) sent: Vec<usize>,
    /// How many of them have answered.
    pub(super) answered: usize,
    /// No transaction was open when it began, so that each of its parts is one.
    own: bool,
    /// It has more parts than one.
    parted: bool,
}

impl Pipe {
    /// Opens it; `own`: outside of a transaction.
    pub(super) fn begin(&mut self, own: bool) {
        self.sent.clear();
        (self.open, self.answered, self.own, self.parted) = (true, 0, own, false);
    }

    pub(super) fn part(&mut self) {
        self.parted = true;
    }

    /// Whether something that was sent in it is committed, although a statement failed: what stands before that one, and all other
    /// parts.
    pub(super) fn has_committed(&self, bound: impl Fn(usize) -> Bound) -> bool {
        if !self.open {
            return false;
        }
        let before = if self.parted { self.sent.len() } else { self.answered };
        (self.own && self.parted) || self.sent[..before].iter().any(|command| bound(*command) == Bound::End)
    }

    /// What it was, now that it has succeeded: `Neither` if a transaction that began before it or in it is still open, and nothing
    /// was committed since the beginning of that one or of the pipeline.
    pub(super) fn bound(&self, bound: impl Fn(usize) -> Bound) -> Bound {
        let any = |wanted| self.sent.iter().any(|command| bound(*command) == wanted);
        let open = !self.own || (any(Bound::Begin) && !self.parted);
        if open && !any(Bound::End) { Bound::Neither } else { Bound::End }
    }

    /// Leaves a pipeline in which an operation failed. All answers are read, so that the session can be used again.
    pub(super) fn leave(&mut self, session: &mut dyn SqlSession) {
        if std::mem::take(&mut self.open)
            && let Some(pipeline) = session.pipeline()
        {
            // The operation has failed already.
            let _ = pipeline.end(&mut |_| {});
        }
    }
}
