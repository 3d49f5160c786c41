//! Outputs that are written in place, and inputs that are the output: nothing is read that was written, and nothing is
//! lost that was not read.

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::{Command, Stdio};

use crate::harness::{NOBODY, Place, lines, run, sorted};

/// A folder that takes no new files, with one in it that may be written. Permissions come back for the removal.
struct Locked(Place);

impl Locked {
    fn new() -> Self {
        let place = Place::new();
        if rustix::process::geteuid().is_root() {
            chown(place.put("mine", ""), Some(NOBODY), Some(NOBODY)).unwrap();
        } else {
            place.put("mine", "");
        }
        place.put("other", "c\n");
        Locked(place)
    }

    fn allow(&self, mode: u32) {
        std::fs::set_permissions(self.0.folder.path(), Permissions::from_mode(mode)).unwrap();
    }

    /// What is in the file after the program has run with these arguments.
    fn after(&self, args: &[&str]) -> Option<(Vec<u8>, Option<i32>)> {
        self.0.put("mine", "b\nd\n");
        let temporary = std::env::temp_dir();
        let mut command = self.0.unprivileged(args)?;
        command.arg("-T").arg(temporary);
        self.allow(0o555);
        let code = run(command, b"").status.code();
        self.allow(0o755);
        Some((self.0.get("mine"), code))
    }
}

#[test]
fn a_folder_that_takes_no_files() {
    let locked = Locked::new();
    for (args, expected, code) in [
        (&["-r", "-o", "mine", "mine"][..], &b"d\nb\n"[..], 0),
        (&["--limit=1", "-o", "mine", "mine"], b"b\n", 0),
        (&["-m", "-o", "mine", "mine", "other"], b"b\nc\nd\n", 0),
        (&["-o", "mine", "."], b"b\nd\n", 2),
        (&["-m", "-o", "mine", "mine", "."], b"b\nd\n", 2),
        (&["-o", "mine", "/dev/null"], b"", 0),
    ] {
        let Some(after) = locked.after(args) else { return };
        assert_eq!(after, (expected.to_vec(), Some(code)), "{args:?}");
    }
}

#[test]
fn merging_to_an_input_that_is_standard_output() {
    let place = Place::new();
    let (a, b) = (sorted(&lines(30_000, 1)), sorted(&lines(30_000, 2)));
    let merged = sorted(&[&*a, &b].concat());
    place.put("b", &b);
    for parallel in ["--parallel=1", "--parallel=4"] {
        for (input, output) in [(&["a"][..], &[][..]), (&["-"], &[]), (&["a"], &["-o", "/dev/stdout"])] {
            for append in [true, false] {
                let path = place.put("a", &a);
                let mut command = place.ours(["-m", "-S1M", parallel, "b"]);
                command.args(input).args(output);
                let out = OpenOptions::new().append(append).write(true).open(&path).unwrap();
                // A merge that reads what it writes has no end, unless files cannot grow for ever.
                let mut command = limited(command);
                command.stdin(File::open(&path).unwrap()).stdout(out);
                assert!(command.status().unwrap().success());
                let expected = if append { [&*a, &merged].concat() } else { merged.clone() };
                assert!(place.get("a") == expected, "{parallel} {input:?} {output:?} {append}");
            }
        }
    }
}

/// The command in a shell that limits the length of files, to 50 MB or so.
fn limited(command: Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 100000; exec \"$0\" \"$@\""]).arg(command.get_program());
    shell.args(command.get_args()).current_dir(command.get_current_dir().expect("a folder"));
    shell
}

#[test]
fn a_shells_output_stays_the_file_it_is() {
    let place = Place::new();
    place.put("file", "b\na\n");
    for (options, redirected, expected) in [
        ("-o /dev/stdout", ">log", "head\na\nb\ntail\n"),
        ("-o /dev/stdout", ">>log", "old\nhead\na\nb\ntail\n"),
        ("-o log", ">>log", "a\nb\ntail\n"),
    ] {
        place.put("log", "old\n");
        let mut shell = Command::new("sh");
        let line = format!("{{ echo head; \"$0\" {options} file; echo tail; }} {redirected}");
        shell.current_dir(place.folder.path()).args(["-c", &line, env!("CARGO_BIN_EXE_skipsort")]);
        assert!(shell.stderr(Stdio::inherit()).status().unwrap().success());
        assert_eq!(String::from_utf8(place.get("log")).unwrap(), expected, "{options} {redirected}");
    }
}

/// Each in a name space of its own, for which tests need the rights to make one.
#[test]
fn mount_points_no_inodes_and_no_proc() {
    let may = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no name space can be made here");
        return;
    }
    for (mounts, by, target) in [
        ("mount --bind other old", "", "old"),
        ("mount -t tmpfs -o size=1m,nr_inodes=2 none disk && cp old disk", "", "disk/old"),
        ("mount -t tmpfs none /proc", "", "old"),
        ("mount -t tmpfs none /proc", "", "new"),
        ("mount -t tmpfs none /proc", "setpriv --bounding-set=-all", "old"),
        ("mount -t tmpfs none /proc", "setpriv --bounding-set=-all", "new"),
    ] {
        let place = Place::new();
        for name in ["old", "other", "input"] {
            place.put(name, "b\na\n");
        }
        std::fs::create_dir(place.path("disk")).unwrap();
        let line =
            format!("{{ {mounts}; }} 2>/dev/null || exit 77; {by} \"$0\" -o {target} input && cat {target}");
        let mut shell = Command::new("unshare");
        shell.current_dir(place.folder.path()).args([
            "-m",
            "sh",
            "-c",
            &line,
            env!("CARGO_BIN_EXE_skipsort"),
        ]);
        let output = run(shell, b"");
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(77) {
            eprintln!("skipped: nothing can be mounted here");
            return;
        }
        assert_eq!(
            (&*output.stdout, output.status.code()),
            (&b"a\nb\n"[..], Some(0)),
            "{mounts} {by}: {said}"
        );
        assert!(!place.names().iter().any(|name| name.starts_with('.')), "{mounts} {by}");
    }
}
