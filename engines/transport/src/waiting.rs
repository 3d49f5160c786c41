//! How a client waits for an answer, piece by piece: woken no sooner than there is something to read, and without pushing
//! the server off the processor that they share while it has more to send (`docs/host-effects.md`).

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// The last piece of an answer that is waited for like any other; an answer of more pieces is a long one.
const SHORT_MOST: u32 = 2;

/// Waits for a piece of an answer, by its number from 1 up, and reads it into `free`.
///
/// A thread that waits in `recv` on a Unix socket is woken twice for the first piece: first when the other end has taken
/// the question, since there is room to write again, and it goes to sleep again with nothing done, having pushed the
/// server off the processor. `poll` wakes it for what it waits for alone. For more of the answer it waits in `recv`: then
/// the other end has no question to take, and a wait is one call.
///
/// Whoever wakes up takes the processor from who runs there, the sooner the longer it has slept. For a short answer that
/// is what a client should do: the next question is there before the server has gone to sleep. A long answer comes in
/// pieces of 8 KiB (Postgres' send buffer), and the server would lose the processor with each.
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

/// Does `work` in the kernel's class for batch work, which pushes nobody off. Any thread of the usual class may enter and
/// leave it; one that somebody has put into another class stays there.
fn in_the_background<T>(work: impl FnOnce() -> T) -> T {
    let enters = class() == libc::SCHED_OTHER && enter(libc::SCHED_BATCH);
    let done = work();
    if enters {
        enter(libc::SCHED_OTHER);
    }
    done
}

fn class() -> libc::c_int {
    // SAFETY: takes no memory; 0 is the calling thread.
    unsafe { libc::sched_getscheduler(0) }
}

fn enter(class: libc::c_int) -> bool {
    let priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: `priority` lives through the call, which only reads it; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, class, &raw const priority) == 0 }
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
