//! Holds back a program's calls that sync files, as a slower device would.
//!
//! A filter of the kernel (seccomp(2), with user notifications) hands each such call to the guardian before anything of it
//! is done. The guardian lets it go on once the delay has passed; the kernel then does what was asked. Children of the
//! program have the filter too. Other calls pass at the speed of a bitmap in the kernel.
//!
//! ```text
//!   server:   fsync ───▶ kernel: held …………………… goes on ───▶ device ───▶ returns
//!                           │                       ▲
//!   guardian:               └─▶ waits for the delay ┘
//! ```
//!
//! As `after_fork.rs`: system calls and memory of this process only, because this runs between fork and exec.

use std::{io, mem, ptr};

/// How the kernel calls this processor's system calls (`AUDIT_ARCH_…` of linux/audit.h).
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
/// None that there is: the filter lets all calls pass, and `IS_SUPPORTED` says so.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: u32 = 0;

/// Whether the filter knows this processor's calls.
pub(super) const IS_SUPPORTED: bool = ARCHITECTURE != 0;

/// Calls that are held at the same time. Further ones wait in the kernel until one of these goes on.
const HELD_MAX: usize = 1024;
/// What the kernel may write for one call: 80 bytes today, and it may grow.
const NOTIFICATION_WORDS: usize = 64;

const fn instruction(code: u32, yes: u8, no: u8, value: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: yes, jf: no, k: value }
}

const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
const IS: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const RETURN: u32 = libc::BPF_RET | libc::BPF_K;

/// Jumps are counted from the next instruction.
static FILTER: [libc::sock_filter; 8] = [
    instruction(LOAD, 0, 0, mem::offset_of!(libc::seccomp_data, arch) as u32),
    instruction(IS, 0, 4, ARCHITECTURE),
    instruction(LOAD, 0, 0, mem::offset_of!(libc::seccomp_data, nr) as u32),
    instruction(IS, 3, 0, libc::SYS_fsync as u32),
    instruction(IS, 2, 0, libc::SYS_fdatasync as u32),
    instruction(IS, 1, 0, libc::SYS_syncfs as u32),
    instruction(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    instruction(RETURN, 0, 0, libc::SECCOMP_RET_USER_NOTIF),
];

/// A pair of sockets, over which the filter's descriptor goes from the program to its guardian.
pub(super) fn socket_pair() -> io::Result<[i32; 2]> {
    let mut pair = [-1; 2];
    // SAFETY: `pair` takes two descriptors.
    let made = unsafe {
        libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, pair.as_mut_ptr())
    };
    if made == 0 { Ok(pair) } else { Err(io::Error::last_os_error()) }
}

/// Filters this thread's calls, and those of the program that it becomes. Returns the descriptor at which calls are
/// answered. Until somebody answers there, they wait.
pub(super) fn filter() -> io::Result<i32> {
    let program = libc::sock_fprog { len: FILTER.len() as u16, filter: FILTER.as_ptr().cast_mut() };
    let plain = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // A call that is held is not begun anew by a signal of the server's own; from Linux 5.19 on.
    let steady = plain | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    // SAFETY: the kernel reads `program` and the instructions behind it, which are static, and writes to neither.
    let listener = unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let set = |flags: libc::c_ulong| {
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
        };
        match set(steady) {
            -1 => set(plain),
            listener => listener,
        }
    };
    if listener < 0 { Err(io::Error::last_os_error()) } else { Ok(listener as i32) }
}

/// Memory for a message that carries one descriptor, aligned as its header asks for.
#[repr(C)]
struct Carried {
    header: libc::cmsghdr,
    descriptor: i32,
    padding: i32,
}

/// A message of one byte of `body` with room for a descriptor in `carried`. It holds addresses of all three.
fn message(part: &mut libc::iovec, body: &mut u8, carried: &mut Carried) -> libc::msghdr {
    *part = libc::iovec { iov_base: ptr::from_mut(body).cast(), iov_len: 1 };
    // SAFETY: a header of zeros is one that names nothing.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = ptr::from_mut(carried).cast();
    message.msg_controllen = size_of::<Carried>() as _;
    message
}

fn empty() -> Carried {
    // SAFETY: integers alone, for which zeros are values. The length is that of the header and one descriptor.
    let mut header: libc::cmsghdr = unsafe { mem::zeroed() };
    header.cmsg_len = mem::offset_of!(Carried, padding) as _;
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SCM_RIGHTS;
    Carried { header, descriptor: -1, padding: 0 }
}

/// Sends a descriptor to the guardian.
pub(super) fn send(socket: i32, descriptor: i32) -> io::Result<()> {
    let (mut body, mut carried) = (0, Carried { descriptor, ..empty() });
    let mut part = libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 };
    let message = message(&mut part, &mut body, &mut carried);
    // SAFETY: all that the message names is on this frame.
    let sent = unsafe { libc::sendmsg(socket, &raw const message, 0) };
    if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes the descriptor that the program sends; -1 if it ended without. The guardian's copy of the program's end is closed
/// first, so that a program that ends is noticed.
pub(super) fn receive([to_guardian, socket]: [i32; 2]) -> i32 {
    // SAFETY: nothing else in this process uses the descriptor.
    unsafe { libc::close(to_guardian) };
    let (mut body, mut carried) = (0, empty());
    let mut part = libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 };
    let mut message = message(&mut part, &mut body, &mut carried);
    // SAFETY: all that the message names is on this frame, and as long as it says.
    let received = unsafe { libc::recvmsg(socket, &raw mut message, libc::MSG_CMSG_CLOEXEC) };
    let has_one = received == 1 && message.msg_controllen as usize >= mem::offset_of!(Carried, padding);
    if has_one { carried.descriptor } else { -1 }
}

/// The calls that are held, the oldest first: all have the same delay, so that they go on in the order in which they came.
pub(super) struct Held {
    /// Where calls come in; -1 if none can come.
    listener: i32,
    delay_ns: u64,
    calls: [Call; HELD_MAX],
    first: usize,
    count: usize,
}

#[derive(Clone, Copy)]
struct Call {
    id: u64,
    due_ns: u64,
}

impl Held {
    /// None held yet. Without a listener, -1, there never are.
    pub fn new(listener: i32, delay_ns: u64) -> Self {
        Self { listener, delay_ns, calls: [Call { id: 0, due_ns: 0 }; HELD_MAX], first: 0, count: 0 }
    }

    /// What to wait for; -1 is nothing.
    pub fn descriptor(&self) -> i32 {
        if self.count < HELD_MAX { self.listener } else { -1 }
    }

    /// How long until the next call may go on; `None` without one.
    pub fn wait(&self) -> Option<libc::timespec> {
        if self.count == 0 {
            return None;
        }
        let left = self.calls[self.first].due_ns.saturating_sub(now_ns());
        Some(libc::timespec {
            tv_sec: (left / 1_000_000_000) as libc::time_t,
            tv_nsec: (left % 1_000_000_000) as libc::c_long,
        })
    }

    /// Takes in the call that has come, or learns that none will: every process with the filter has ended.
    pub fn heard(&mut self, events: libc::c_short) {
        if events & libc::POLLIN != 0 {
            self.take();
        } else if events != 0 {
            self.listener = -1;
        }
    }

    fn take(&mut self) {
        let mut words = [0_u64; NOTIFICATION_WORDS];
        // SAFETY: `words` is zeroed, as the kernel wants it, aligned, and longer than what it writes.
        let taken =
            unsafe { libc::ioctl(self.listener, libc::SECCOMP_IOCTL_NOTIF_RECV as _, words.as_mut_ptr()) };
        // Else the caller was killed meanwhile.
        if taken == 0 {
            // The id is the first field (linux/seccomp.h).
            let call = Call { id: words[0], due_ns: now_ns().saturating_add(self.delay_ns) };
            self.calls[(self.first + self.count) % HELD_MAX] = call;
            self.count += 1;
        }
    }

    /// Lets go on what has waited long enough.
    pub fn release(&mut self) {
        while self.count > 0 && self.calls[self.first].due_ns <= now_ns() {
            let flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
            let mut answer =
                libc::seccomp_notif_resp { id: self.calls[self.first].id, val: 0, error: 0, flags };
            // SAFETY: the kernel reads `answer`. An error means that the caller was killed meanwhile.
            unsafe { libc::ioctl(self.listener, libc::SECCOMP_IOCTL_NOTIF_SEND as _, &raw mut answer) };
            self.first = (self.first + 1) % HELD_MAX;
            self.count -= 1;
        }
    }
}

fn now_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` takes the time. This clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
