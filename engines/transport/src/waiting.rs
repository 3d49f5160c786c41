//! How a client waits for an answer, piece by piece. It wakes when there is something to read and not before, and while
//! the server has more to send it does not preempt the server on the processor that they share (`docs/host-effects.md`).

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// Pieces of a short answer at most; an answer of more pieces is a long one.
const SHORT_MOST: u32 = 2;

/// Waits for a piece of an answer, by its number from 1 up, and reads it into `free`.
///
/// A thread that waits in `recv` on a Unix socket is woken twice for the first piece. The first time is when the server
/// has read the question, because there is room to write again: the thread preempts the server, finds nothing, and sleeps
/// again. `poll` wakes it for an answer only. Later pieces are waited for in `recv`: then the server has no question to
/// read, and a wait is one call.
///
/// A thread that wakes up preempts the one that runs, the sooner the longer it has slept. For a short answer this is
/// wanted: the next question is there before the server sleeps. A long answer comes in pieces of 8 KiB (Postgres' send
/// buffer), and the server would be preempted at each.
#[inline]
pub(crate) fn read_piece(number: u32, file: &OwnedFd, free: &mut [u8]) -> Result<usize, Errno> {
    match number {
        1 => wait_to_read(file)?,
        ..=SHORT_MOST => {}
        _ => return in_the_background(|| read(file, free)),
    }
    read(file, free)
}

#[inline]
fn wait_to_read(file: &OwnedFd) -> Result<(), Errno> {
    loop {
        match poll(&mut [PollFd::new(file, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

#[inline]
fn read(file: &OwnedFd, free: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match recv(file, &mut *free, RecvFlags::empty()) {
            Ok((bytes, _)) => return Ok(bytes),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Does `work` in the kernel's scheduling class for batch work, which preempts no other thread. Any thread of the usual
/// class may enter and leave it; a thread of another class stays where it is.
fn in_the_background<T>(work: impl FnOnce() -> T) -> T {
    let enters = class() == libc::SCHED_OTHER && enter(libc::SCHED_BATCH);
    let done = work();
    if enters {
        enter(libc::SCHED_OTHER);
    }
    done
}

// Both ask the kernel itself: musl's functions of these names always refuse, and its `sched_param` has other fields.

fn class() -> libc::c_int {
    // SAFETY: takes no memory; 0 is the calling thread. Classes are small numbers.
    unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) as libc::c_int }
}

fn enter(class: libc::c_int) -> bool {
    // The kernel's `sched_param` is this one number.
    let priority: libc::c_int = 0;
    // SAFETY: `priority` lives through the call, which only reads it; 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, class, &raw const priority) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_in_the_background_for_its_work_alone() {
        assert_eq!(in_the_background(class), libc::SCHED_BATCH);
        assert_eq!(class(), libc::SCHED_OTHER);
        assert!(enter(libc::SCHED_IDLE));
        assert_eq!(in_the_background(class), libc::SCHED_IDLE);
    }
}
