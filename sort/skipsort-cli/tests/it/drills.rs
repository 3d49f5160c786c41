//! What can go wrong with inputs, disks and pipes: each ends with a clear message and code 2, and nothing lost.

use std::fs::{OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Place, lines, run, sorted};

#[test]
fn missing_unreadable_and_folder() {
    let place = Place::new();
    place.put("good", "b\na\n");
    for name in ["missing", "."] {
        for mode in [&[][..], &["-m"], &["-c"], &["--limit", "1"]] {
            let files = if mode == ["-c"] { vec![name] } else { vec!["good", name] };
            let (out, said, code) = place.run(&[mode, &files].concat());
            assert_eq!(code, 2, "{name} {mode:?}: {said}");
            assert!(said.contains(&format!("cannot read {name}")), "{said}");
            assert!(out.is_empty(), "{name} {mode:?}");
        }
    }
}

#[test]
fn a_file_without_permission() {
    let place = Place::new();
    let path = place.put("secret", "b\na\n");
    std::fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
    let Some(command) = place.unprivileged(["secret"]) else { return };
    let output = run(command, b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.stdout.len(), output.status.code()), (0, Some(2)), "{said}");
    assert!(said.contains("cannot read secret: Permission denied"), "{said}");
}

#[test]
fn full_output() {
    let place = Place::new();
    let input = lines(20_000, 1);
    for options in ["", "-S1M", "-m", "--limit=5", "--help", "--version"] {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec \"$0\" {options} > /dev/full")).arg(env!("CARGO_BIN_EXE_skipsort"));
        shell.env("TMPDIR", place.folder.path());
        let output = run(shell, &input);
        assert_eq!(output.status.code(), Some(2), "{options}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("No space left on device") && said.contains("standard output"), "{said}");
    }
}

/// As a shell leaves them after `<&-` and `>&-`.
#[test]
fn closed_descriptors() {
    let place = Place::new();
    place.put("file", "b\na\n");
    let run = |line: &str| {
        let mut shell = Command::new("sh");
        shell.current_dir(place.folder.path()).args(["-c", line, env!("CARGO_BIN_EXE_skipsort")]);
        run(shell, b"")
    };
    for (line, expected) in [
        ("exec $0 file >&-", "cannot write standard output"),
        ("exec $0 -m file >&-", "cannot write standard output"),
        ("exec $0 --limit 1 file >&-", "cannot write standard output"),
        ("exec $0 -o /dev/stdout file >&-", "cannot write standard output"),
        ("exec $0 <&-", "cannot read standard input"),
        ("exec $0 -m file - <&-", "cannot read standard input"),
    ] {
        let output = run(line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
    }
    // What is not needed may be closed, and a device that swallows all is as good as any.
    for line in ["exec $0 -o out file >&- <&-", "exec $0 file 1<>/dev/null", "exec $0 -o out - <>/dev/null"] {
        assert_eq!(run(line).status.code(), Some(0), "{line}");
    }
}

#[test]
fn closed_output() {
    let place = Place::new();
    place.put("file", lines(200_000, 1));
    for options in [&[][..], &["-S1M"], &["-m"]] {
        let mut command = place.ours(options);
        let mut child = command.arg("file").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 10]).unwrap();
        drop(out);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.signal(), Some(libc::SIGPIPE), "{options:?}");
        assert!(ended.stderr.is_empty(), "a closed pipe is not worth a word");
    }
    assert_eq!(place.names(), ["file"]);
}

/// A small disk, where the tests may mount one.
struct Disk<'p>(&'p Path);

impl<'p> Disk<'p> {
    fn mount(path: &'p Path, size: &str) -> Option<Disk<'p>> {
        std::fs::create_dir(path).ok()?;
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(path).stderr(Stdio::null());
        mount.status().ok()?.success().then_some(Disk(path))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn full_temporary_disk() {
    let place = Place::new();
    let path = place.path("disk");
    let Some(_disk) = Disk::mount(&path, "512k") else {
        eprintln!("skipped: a disk cannot be mounted here");
        return;
    };
    place.put("file", lines(150_000, 1));
    place.put("out", "old");
    for more in [&[][..], &["--compress-program=gzip"]] {
        let args = [&["-S1M", "-T", "disk", "-o", "out", "file"], more].concat();
        let (_, said, code) = place.run(&args);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("-T"), "{said}");
        assert_eq!(place.get("out"), b"old");
    }
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0, "nothing is left on the full disk");
    // The output's own disk is full.
    std::fs::write(path.join("target"), "old").unwrap();
    let (_, said, code) = place.run(&["-o", "disk/target", "file"]);
    assert_eq!(code, 2);
    assert!(said.contains("No space left"), "{said}");
    assert_eq!(std::fs::read(path.join("target")).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1);
}

#[test]
fn spilled_records_make_room_for_the_output() {
    let place = Place::new();
    let path = place.path("disk");
    let Some(_disk) = Disk::mount(&path, "34m") else {
        eprintln!("skipped: a disk cannot be mounted here");
        return;
    };
    // 23 MB that do not become shorter in a run: both together would be 46.
    let mut rng = skipsort_testkit::rng::Rng::new(5);
    let input: Vec<u8> =
        (0..700_000).flat_map(|_| format!("{:016x}{:016x}\n", rng.word(), rng.word()).into_bytes()).collect();
    place.put("file", &input);
    let (_, said, code) = place.run(&["-S8M", "-T", "disk", "-o", "disk/out", "file"]);
    assert_eq!(code, 0, "{said}");
    assert!(std::fs::read(path.join("out")).unwrap() == sorted(&input));
}

/// Rewrites a file while it is sorted: whatever it holds then, the program must end in order.
#[test]
fn input_that_changes_while_it_is_read() {
    let place = Place::new();
    let input = lines(100_000, 2);
    let limited = &["--limit=10000", "-S64M"][..];
    for options in [&["-S1M"][..], &["-m", "-S1M"], &[], &["-k1n", "-S1M"], limited] {
        for round in 0..4u64 {
            place.put("file", &input);
            place.put("other", sorted(&input));
            let child = place
                .ours(options)
                .args(["file", "other"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            let child = child.unwrap();
            let path = place.path("file");
            let vandal = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(2 * round));
                let file = OpenOptions::new().write(true).open(&path).unwrap();
                file.set_len(1000 * round).unwrap();
                (&file).write_all(b"something else\n").unwrap();
            });
            let output = child.wait_with_output().unwrap();
            vandal.join().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) if options == limited => {
                    assert_eq!(output.stdout.split(|byte| *byte == b'\n').count(), 10_001);
                }
                // All of the other file is there, whatever became of this one.
                Some(0) => assert!(output.stdout.len() >= input.len(), "{options:?}"),
                Some(2) => assert!(said.contains("became shorter"), "{options:?}: {said}"),
                other => panic!("{options:?}: {other:?} {said}"),
            }
        }
    }
}

#[test]
fn input_that_grows_while_it_is_read() {
    let place = Place::new();
    let path = place.put("file", lines(50_000, 2));
    let child = place.ours(["-S1M", "file"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    (0..100).for_each(|n| writeln!(file, "zzz{n}").unwrap());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout == sorted(&output.stdout));
}
