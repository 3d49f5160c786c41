//! What a sort of rows that come one by one may use, checked.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

use skipsort_external::{Meter, Options};

use crate::options::MOST_THREADS;
use crate::status::Failure;
use crate::stop::Stop;

/// Of rows with equal keys only the first comes out.
pub const SKIPSORT_DISTINCT: u32 = 4;

/// Bytes of memory where the caller names none.
const MEMORY_BYTES: usize = 64 << 20;

/// `skipsort_sorter_options` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SorterOptions {
    /// 0 means 64 MiB.
    pub memory_bytes: usize,
    /// Where files go; null for the folder of temporary files.
    pub folder: *const c_char,
    /// [`SKIPSORT_DISTINCT`].
    pub flags: u32,
    /// 0 means 1.
    pub threads: u32,
    /// Ends the sort.
    pub stop: Option<Stop>,
    /// What it is called with.
    pub context: *mut c_void,
}

impl Default for SorterOptions {
    fn default() -> Self {
        SorterOptions {
            memory_bytes: 0,
            folder: ptr::null(),
            flags: 0,
            threads: 0,
            stop: None,
            context: ptr::null_mut(),
        }
    }
}

/// A callback that a meter asks.
struct Watch(Stop, *mut c_void);

// SAFETY: a sorter that has one works on the thread of the call alone.
unsafe impl Send for Watch {}
// SAFETY: the same.
unsafe impl Sync for Watch {}

impl Watch {
    fn ask(&self) -> ControlFlow<()> {
        let Watch(stop, context) = self;
        // SAFETY: the caller's word, when the sorter was made.
        if unsafe { stop(*context) } == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Options of the library, and the folder.
///
/// # Safety
/// `options` is null or leads to options that nobody writes to, and their folder is null or a string that ends with 0. Their
/// callback can be called with their context for as long as the sorter is there.
pub(crate) unsafe fn read(options: *const SorterOptions) -> Result<(Options, Option<PathBuf>), Failure> {
    if !options.is_aligned() {
        return Err(Failure::BadArgument);
    }
    // SAFETY: null, or the caller's word; it is aligned.
    let given = unsafe { options.as_ref() }.copied().unwrap_or_default();
    let possible = given.threads <= if given.stop.is_some() { 1 } else { MOST_THREADS };
    if !possible || given.flags & !SKIPSORT_DISTINCT != 0 {
        return Err(Failure::BadArgument);
    }
    let memory_bytes = if given.memory_bytes == 0 { MEMORY_BYTES } else { given.memory_bytes };
    let mut options = Options::new(memory_bytes);
    options.threads = NonZeroUsize::new(given.threads as usize).unwrap_or(NonZeroUsize::MIN);
    options.unique = given.flags & SKIPSORT_DISTINCT != 0;
    if let Some(stop) = given.stop {
        let watch = Watch(stop, given.context);
        options.meter = Arc::new(Meter::watched(move |_| watch.ask()));
    }
    // SAFETY: the caller's word; it is not null here.
    let folder = (!given.folder.is_null()).then(|| unsafe { CStr::from_ptr(given.folder) });
    Ok((options, folder.map(|folder| PathBuf::from(OsStr::from_bytes(folder.to_bytes())))))
}
