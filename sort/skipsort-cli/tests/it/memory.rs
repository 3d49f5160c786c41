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
    place.put(
        "wide",
        (0..2200u32)
            .flat_map(|n| {
                let mut line = vec![b'x'; 30_000];
                line.splice(..0, (9999 - n).to_string().into_bytes());
                line.push(b'\n');
                line
            })
            .collect::<Vec<u8>>(),
    );
    for part in 0..300 {
        place.put(&format!("part-{part:03}"), lines(300, part));
    }
    let parts: Vec<String> = (0..300).map(|part| format!("part-{part:03}")).collect();
    place.put("parts", parts.iter().flat_map(|name| format!("{name}\0").into_bytes()).collect::<Vec<u8>>());
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
        ("wide", &["--limit", "1"]),
        ("wide", &["--limit", "1", "-k2"]),
        ("urls", &["--parallel=256"]),
        ("short", &["--parallel=8", "--batch-size=1000"]),
        ("--files0-from=parts", &["-m", "--batch-size=1500"]),
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

#[test]
fn a_limit_of_the_address_space_is_heeded() {
    let place = Place::new();
    place.put("file", "b\na\n");
    let limited = |options: &str| {
        let program = env!("CARGO_BIN_EXE_skipsort");
        let script = format!("ulimit -v 1000000; exec '{program}' {options} file");
        Command::new("sh").args(["-c", &script]).current_dir(place.folder.path()).output().unwrap()
    };
    let output = limited("");
    assert_eq!((output.stdout, output.status.code()), (b"a\nb\n".to_vec(), Some(0)));
    let output = limited("-S2G");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("less address space than -S asks for") && said.contains("ulimit -v"), "{said}");
}
