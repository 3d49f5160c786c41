//! What a sort's memory is divided into.
//!
//! ```text
//!   sorting    arena: text and 32 bytes a row, all of it    | beside it: pieces being written, at most 1/32
//!   merging    a buffer per input and thread, half of it   | pieces being written, a quarter
//! ```
//!
//! The promise is a resident size of the memory asked for, a tenth more and 16 MB, for the program itself and what
//! stands beside the arena. Rows larger than the memory are the exception: one must fit.

use std::num::NonZeroUsize;

use crate::crew;
use crate::options::Options;

/// Less than this is not heeded: the parts beside the arena take more.
const LEAST: usize = 16 << 10;
/// What a thread has for itself at least.
const THREAD_LEAST: usize = 256 << 10;
/// The least buffer of an input of a merge.
const INPUT_LEAST: usize = 16 << 10;

/// Bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) total: usize,
    pub(crate) threads: NonZeroUsize,
}

impl Budget {
    pub(crate) fn of(options: &Options) -> Self {
        let total = options.memory_bytes.max(LEAST);
        let most = NonZeroUsize::new(total / THREAD_LEAST).unwrap_or(NonZeroUsize::MIN);
        Budget { total, threads: options.threads.min(most) }
    }

    /// With as many threads as the system gives: the library's sort asks for all of them.
    pub(crate) fn with_threads_there_are(self) -> Self {
        Budget { threads: crew::available(self.threads), ..self }
    }

    /// A read into the arena: it should stay in a second-level cache until its records are found.
    pub(crate) fn piece(&self) -> usize {
        (self.total / 64).clamp(16 << 10, 512 << 10)
    }

    /// A piece of output.
    pub(crate) fn part(&self) -> usize {
        (self.total / 256 / self.threads).clamp(32 << 10, 512 << 10)
    }

    /// Pieces of output that wait for their turn while sorting.
    pub(crate) fn waiting(&self) -> usize {
        (self.total / 64).clamp(512 << 10, 8 << 20)
    }

    /// The same while merging, when the arena is gone.
    pub(crate) fn waiting_in_merge(&self) -> usize {
        (self.total / 4).clamp(512 << 10, 64 << 20)
    }

    /// The rows that one thread merges at a time; together with what waits, not more than may wait.
    pub(crate) fn range(&self) -> usize {
        (self.waiting_in_merge() / 2 / self.threads).clamp(256 << 10, 8 << 20)
    }

    /// Inputs merged at once, each with a buffer of at least 32 KiB per thread.
    pub(crate) fn fan_in(&self) -> usize {
        (self.total / 2 / self.threads / (32 << 10)).clamp(8, 1024)
    }

    /// As many inputs as were asked for, if their buffers fit, or else `usual`.
    pub(crate) fn batch(&self, asked: Option<usize>, usual: usize) -> usize {
        let most = (self.total / 2 / self.threads / INPUT_LEAST).max(8);
        asked.map_or(usual, |asked| asked.min(most))
    }

    /// The buffer of one input of a merge in one thread.
    pub(crate) fn input(&self, inputs: usize, threads: usize) -> usize {
        (self.total / 2 / threads / inputs.max(1)).clamp(INPUT_LEAST, 256 << 10)
    }

    /// What the marks of all runs may take.
    pub(crate) fn marks(&self) -> usize {
        (self.total / 32).clamp(256 << 10, 256 << 20)
    }
}
