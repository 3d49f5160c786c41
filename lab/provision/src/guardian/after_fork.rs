//! The guardian process: the code that runs between fork and exec.
//!
//! The process that forked may have had threads, so the copy may contain locks that are never released, above all the
//! allocator's. The code here therefore uses system calls only: no allocation, no formatting, no panic, no unwinding.

use std::ffi::{CStr, CString};
use std::io;

use super::descriptors;
use super::environment;
use super::syncs::{self, Held};

/// Sent over the lifetime pipe: the program may live on without us.
pub(super) const LET_GO: u8 = b'L';

/// What the guardian must know, copied before the fork.
pub(super) struct Guarding {
    /// End of file here means that humdrum has ended.
    pub lifetime_fd: i32,
    /// Takes the program's process id.
    pub pid_fd: i32,
    /// (uid, gid) to drop to.
    pub run_as: Option<(u32, u32)>,
    /// The program's cgroup.
    pub cgroup: Option<Paths>,
    /// How long its calls that sync files are held back, nanoseconds.
    pub fsync_delay_ns: Option<u64>,
}

/// Paths of a cgroup.
pub(super) struct Paths {
    /// The cgroup itself.
    pub folder: CString,
    /// Takes the process that joins.
    pub procs: CString,
    /// What it counted; copied to `note` at the end.
    pub events: CString,
    /// A file that does not exist yet.
    pub note: CString,
}

/// Called in the forked child. Forks again: the grandchild returns and goes on to execute the program; the child
/// becomes the guardian and never returns.
pub(super) fn stand_guard(plan: &Guarding) -> io::Result<()> {
    // SAFETY: system calls on integers; neither touches memory.
    unsafe {
        libc::setsid();
        if libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    let sockets = plan.fsync_delay_ns.map(|_| syncs::socket_pair()).transpose()?;
    // SAFETY: as above. A server must not be killable from the shell's job control, hence `setsid` above.
    let guardian = unsafe { libc::getpid() };
    // SAFETY: a plain clone is fork without the C library's handlers, which may take locks. No stack is given,
    // so the child runs on a copy of this one.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) } as i32;
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => become_program(plan, guardian, sockets.map(|pair| pair[0])),
        pid => guard(plan, pid, sockets),
    }
}

/// In the grandchild: joins its cgroup, drops privileges, ties its life to the guardian's and hands its syncs to it.
fn become_program(plan: &Guarding, guardian: i32, to_guardian: Option<i32>) -> io::Result<()> {
    if let Some(cgroup) = &plan.cgroup {
        join(&cgroup.procs)?;
    }
    // SAFETY: system calls on integers; `setgroups` of length 0 reads no memory.
    let done = unsafe {
        libc::setsid();
        libc::umask(0o077);
        let dropped = plan.run_as.is_none_or(|(uid, gid)| {
            libc::setgroups(0, std::ptr::null()) == 0 && libc::setgid(gid) == 0 && libc::setuid(uid) == 0
        });
        // After setuid, which clears it. Should the guardian be killed too, the program goes with it.
        dropped && libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) == 0
    };
    if !done {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above. The guardian may have died before the line that ties us to it.
    unsafe {
        if libc::syscall(libc::SYS_getppid) as i32 != guardian {
            libc::_exit(127);
        }
    }
    // The descriptors close as the program is executed.
    to_guardian.map_or(Ok(()), |socket| syncs::send(socket, syncs::filter()?))
}

/// In the child: tells the program's id, lets go of everything else, and waits for an end.
fn guard(plan: &Guarding, program: i32, sockets: Option<[i32; 2]>) -> ! {
    let listener = sockets.map_or(-1, syncs::receive);
    // SAFETY: system calls on integers and on memory of this frame: `program` is 4 readable bytes, the name is
    // a constant that ends in NUL, and the signal set is initialised by `sigemptyset` before it is read.
    let children_fd = unsafe {
        libc::write(plan.pid_fd, (&raw const program).cast(), 4);
        descriptors::close_all_but([plan.lifetime_fd, listener]);
        environment::wipe();
        libc::prctl(libc::PR_SET_NAME, c"humdrum-guard".as_ptr(), 0, 0, 0);
        // Delays end on time, and not up to 50 µs later.
        libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        libc::signalfd(-1, &raw const set, libc::SFD_NONBLOCK)
    };
    let mut lifetime_fd = plan.lifetime_fd;
    let mut held = Held::new(listener, plan.fsync_delay_ns.unwrap_or(0));
    loop {
        // Before the first sleep too: the program may have ended before SIGCHLD was held back for the signalfd.
        if let Some(status) = reap(program, libc::WNOHANG) {
            end(plan, status);
        }
        let spoken = wait_for_news(lifetime_fd, children_fd, &mut held);
        held.release();
        match spoken {
            Spoken::Nothing => {}
            Spoken::LetGo => lifetime_fd = -1,
            Spoken::Ended => {
                send_kill(program);
                let status = reap(program, 0).unwrap_or(0);
                end(plan, status);
            }
        }
    }
}

/// What came over the lifetime pipe.
enum Spoken {
    Nothing,
    LetGo,
    Ended,
}

/// Sleeps until a child ends, the pipe speaks, the program syncs a file or one of its syncs is due. A negative descriptor
/// is ignored by `poll`.
fn wait_for_news(lifetime_fd: i32, children_fd: i32, held: &mut Held) -> Spoken {
    let listener = held.descriptor();
    let mut fds =
        [lifetime_fd, children_fd, listener].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    // Without a signalfd (no descriptor to be had) children are looked at ten times a second instead.
    let looking = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    let timeout = held.wait().or((children_fd < 0).then_some(looking));
    let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let mut news = [0_u8; 128];
    // SAFETY: `fds` is an array of three, and `timeout` is null or names a local that lives on; both reads write at most
    // `news.len()` bytes into `news`. One signalfd_siginfo is 128 bytes.
    unsafe {
        libc::ppoll(fds.as_mut_ptr(), 3, timeout, std::ptr::null());
        held.heard(fds[2].revents);
        if fds[1].revents != 0 {
            libc::read(children_fd, news.as_mut_ptr().cast(), news.len());
        }
        if fds[0].revents == 0 {
            return Spoken::Nothing;
        }
        match libc::read(lifetime_fd, news.as_mut_ptr().cast(), 1) {
            1 if news[0] == LET_GO => Spoken::LetGo,
            -1 => Spoken::Nothing,
            _ => Spoken::Ended,
        }
    }
}

/// Reaps children; the program's status once it is among them. With `flags` 0, waits for it.
fn reap(program: i32, flags: i32) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is a live i32.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, flags) };
        match pid {
            _ if pid == program => return Some(status),
            1.. => {}
            _ => return None,
        }
    }
}

/// Kills orphans until there are none: each one's children come to us when it dies.
fn kill_the_rest() {
    loop {
        each_child(send_kill);
        // SAFETY: no status is asked for.
        if unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } == -1 {
            return;
        }
    }
}

/// Calls `act` with each child's id. Where the kernel lacks the list (CONFIG_PROC_CHILDREN), nothing is called:
/// the program itself is still killed, only daemons that it made are waited for and not killed.
fn each_child(act: fn(i32)) {
    let mut text = [0_u8; 4096];
    // SAFETY: the path is a constant that ends in NUL, and `read` writes at most `text.len()` bytes.
    let length = unsafe {
        let fd = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let length = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        libc::close(fd);
        length
    };
    let mut pid = 0;
    // A number that the buffer cut off lacks the space after it and is left for the next round.
    for byte in text.iter().take(usize::try_from(length).unwrap_or(0)) {
        if byte.is_ascii_digit() {
            pid = pid * 10 + i32::from(byte - b'0');
        } else if pid > 0 {
            act(pid);
            pid = 0;
        }
    }
}

/// SIGKILL ends stopped processes too; SIGCONT besides, for kernels and tracers that hold them.
fn send_kill(pid: i32) {
    // SAFETY: system calls on integers.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        libc::kill(pid, libc::SIGCONT);
    }
}

/// Moves this process, before it is the program, into a cgroup. Its children are born there.
fn join(procs: &CStr) -> io::Result<()> {
    // SAFETY: the path ends in NUL, and `0`, which means the process that writes, is one readable byte.
    let joined = unsafe {
        let fd = libc::open(procs.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        let written = libc::write(fd, c"0".as_ptr().cast(), 1);
        if fd >= 0 && written == 1 {
            libc::close(fd);
        }
        written == 1
    };
    if joined { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Copies what the cgroup counted to a new file and removes the cgroup. Errors are ignored: the next start of humdrum
/// removes what is left.
fn leave(cgroup: &Paths) {
    const TRIES: u32 = 2_000;
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    let mut text = [0_u8; 512];
    // SAFETY: the paths end in NUL, `read` writes at most `text.len()` bytes into `text`, and `write` reads no more than
    // those. The file is new, so that no link of the program's user is followed.
    unsafe {
        let fd = libc::open(cgroup.events.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let length = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        let note = libc::open(cgroup.note.as_ptr(), flags, 0o644 as libc::c_uint);
        libc::write(note, text.as_ptr().cast(), usize::try_from(length).unwrap_or(0));
        // The kernel needs a moment until a process that has ended has left the cgroup.
        for _ in 0..TRIES {
            if libc::rmdir(cgroup.folder.as_ptr()) == 0 || *libc::__errno_location() != libc::EBUSY {
                return;
            }
            libc::nanosleep(&raw const pause, std::ptr::null_mut());
        }
    }
}

/// Kills what is left of the program, removes its cgroup and ends the guardian.
fn end(plan: &Guarding, status: i32) -> ! {
    kill_the_rest();
    if let Some(cgroup) = &plan.cgroup {
        leave(cgroup);
    }
    exit(status)
}

/// Ends the guardian the way the program ended.
fn exit(status: i32) -> ! {
    let code =
        if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) };
    // SAFETY: ends the process without running anything of the copied program.
    unsafe { libc::_exit(code) }
}
