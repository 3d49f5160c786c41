//! What samples a server beside the chunks of a step, as the step sees it.

use humdrum_model::{Fault, Slice};

/// The outcome of one subject's turn.
pub(crate) type Turn = Result<Slice, Fault>;

/// One subject of a step, as a sampler needs it.
pub(crate) struct Sampled<'w> {
    pub(crate) subject: usize,
    /// Processes and threads that serve its clients.
    pub(crate) serving: &'w [u32],
    /// All processes and threads of the server.
    pub(crate) server: &'w [u32],
    /// Positions of the readings of CPU and of waiting for a processor; `None` where the host shows neither.
    pub(crate) busy: Option<[usize; 2]>,
}

/// Samples servers during chunks of a step.
pub(crate) trait ChunkSampler: Sync {
    /// Whether it is for this step.
    fn is_for(&self, test: &str) -> bool;
    /// Does one subject's part of a chunk by `turn`, once, and samples its server meanwhile. `place` is the chunk's index and how many
    /// chunks there are.
    ///
    /// # Errors
    /// There is no tool that may sample. The outcome of the turn is inside.
    fn chunk(
        &self,
        place: (u64, u64),
        who: &Sampled<'_>,
        turn: &mut dyn FnMut() -> Turn,
    ) -> Result<Turn, Fault>;
}
