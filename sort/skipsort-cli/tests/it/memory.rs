//! The promise of `-S`: a resident size of at most that, a tenth more and 16 MB.

use std::process::{Command, Stdio};

use crate::harness::{Place, lines};

/// Peak resident size of a child, bytes.
#[expect(clippy::zombie_processes, reason = "waited for by wait4, which tells what was used")]
fn resident(mut command: Command) -> u64 {
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut status = 0;
    // SAFETY: all-zero bytes are a valid `rusage`, which is integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers lead to live variables of the right types; the child is ours.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, &raw mut usage) };
    assert_eq!((waited, status), (child.id() as libc::pid_t, 0));
    usage.ru_maxrss as u64 * 1024
}

#[test]
fn resident_size_stays_within_the_promise() {
    let place = Place::new();
    place.put("urls", lines(400_000, 1));
    place.put("short", (0..3_000_000u32).flat_map(|n| [b'a' + (n % 23) as u8, b'\n']).collect::<Vec<u8>>());
    place.put("empty", vec![b'\n'; 3 << 20]);
    // This process's own size counts until the child has become another program.
    let base = resident(place.ours(["--version"]));
    for (name, options) in [
        ("urls", &[][..]),
        ("urls", &["-r"]),
        ("urls", &["-k2,2n"]),
        ("urls", &["-u"]),
        ("urls", &["--limit", "10"]),
        ("urls", &["-f", "-s"]),
        ("short", &[]),
        ("short", &["-n"]),
        ("empty", &[]),
        ("urls", &["-m"]),
    ] {
        for size in [1u64, 4, 16, 64] {
            let bytes = size << 20;
            let mut command = place.ours(options);
            command.args([&format!("-S{size}M"), name]);
            let used = resident(command);
            let promised = bytes + bytes / 10 + (16 << 20);
            assert!(
                used <= promised.max(base + promised / 2),
                "{name} {options:?} -S{size}M: {used} of {promised}"
            );
        }
    }
}
