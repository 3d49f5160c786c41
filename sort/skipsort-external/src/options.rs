//! What a sort may use, and who watches it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::progress::Meter;

/// What a sort may use. Each sort has its own: nothing is shared by the process.
///
/// ```
/// use std::num::NonZero;
/// use skipsort_external::Options;
///
/// let mut options = Options::new(256 << 20);
/// options.threads = NonZero::<usize>::MIN;
/// options.unique = true;
/// assert_eq!(options.memory_bytes, 256 << 20);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of memory. A sort's resident size stays below this, a tenth more and 16 MB; a row larger than the memory
    /// has to fit nevertheless, twice when it is spilled. Address space of about twice this is reserved.
    pub memory_bytes: usize,
    /// Threads; all processors by default. A thread has 256 KiB of the memory at least, so little memory means few.
    pub threads: NonZeroUsize,
    /// Of rows with equal keys only the first comes out.
    pub unique: bool,
    /// Runs merged at once, at least 2; by default as many as have buffers of 32 KiB in half of the memory.
    pub fan_in: Option<usize>,
    /// Counts what is done and stops the sort.
    pub meter: Arc<Meter>,
}

impl Options {
    /// So many bytes of memory, all processors, equal rows are kept, and a meter of its own.
    pub fn new(memory_bytes: usize) -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Options { memory_bytes, threads, unique: false, fan_in: None, meter: Arc::default() }
    }
}
