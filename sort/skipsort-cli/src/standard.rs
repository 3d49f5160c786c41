//! Standard input and output, as whoever started this program gave them.
//!
//! Before `main`, Rust's runtime opens `/dev/null` for each of them that is closed. A sort would read nothing, or write
//! to nobody, and say that all is well. So it is noted before the runtime starts which of them are open.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault::{Fault, Result};

static CLOSED: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

// SAFETY: the loader calls what stands in this section once, before `main`, while there is one thread. It passes
// arguments that a function of the C convention may leave alone.
#[used]
#[unsafe(link_section = ".init_array")]
static NOTE: extern "C" fn() = note;

/// Makes two system calls and allocates nothing, so it needs no runtime.
extern "C" fn note() {
    for (descriptor, closed) in (0 as RawFd..).zip(&CLOSED) {
        // SAFETY: the kernel only looks the number up, and answers EBADF if it is not open; nobody opens or closes
        // anything meanwhile, and the borrow ends with the call.
        let flags = rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(descriptor) });
        closed.store(flags.is_err(), Ordering::Relaxed);
    }
}

pub(crate) fn input() -> Result<File> {
    if CLOSED[0].load(Ordering::Relaxed) {
        return Err(Fault::new("cannot read standard input: it is closed").hint("name a file to read"));
    }
    let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    file.map_err(|error| Fault::reading("-".as_ref(), &error))
}

pub(crate) fn output() -> Result<File> {
    if CLOSED[1].load(Ordering::Relaxed) {
        let fault = Fault::new("cannot write standard output: it is closed");
        return Err(fault.hint("name a file by -o"));
    }
    let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    file.map_err(|error| Fault::writing("standard output", &error))
}
