//! `--debug`: underlines and warnings are GNU sort's.

use std::process::Command;

use crate::harness::{Place, gnu, lines, lossy, run};

const INPUT: &[u8] =
    b"b 2\n a\t10K x\n\t\tJan 5\n-1.5e3x,nan,3\n.5.b\n\n--7 +3\n1.,2.\n\x80\x01\xff \x0b7\n0x1p4 mArch\n  \
    5G-3\n\0 z\n";

const OPTIONS: &[&str] = &[
    "",
    "-r",
    "-s",
    "-u",
    "-z",
    "-b",
    "-f",
    "-n",
    "-g",
    "-h",
    "-M",
    "-V",
    "-nr",
    "-k1",
    "-k2",
    "-k2,2n",
    "-k1,2n",
    "-k2,1",
    "-k2,1n",
    "-k1.2,1.1b",
    "-k2.2,2.3",
    "-k2b,2",
    "-k2,2.1b",
    "-k1b,1.1",
    "-k2,2h -k1,1M",
    "-k2,2g -s",
    "-gk1 -t+",
    "-nk1 -t-",
    "-nk1 -t.",
    "-nk1,1 -t,",
    "-k1,1V -d -f",
    "-u -r -k1n",
    "-r -k1n",
    "-rRVMhgb -k1,1n",
    "-s -rRVMhgb -k1,1n",
    "-gbr -k1,1n -k1,1r",
    "-b -k1,1bn -k2b,2",
    "-i -k1,1d",
    "-di -k1,1i",
    "-m -k1,1n",
    "-c",
    "-C",
    "-o x",
    "-gn",
    "--check=quiet",
];

#[test]
fn annotations_and_warnings_are_gnu_sorts() {
    let place = Place::new();
    for line in OPTIONS {
        let args: Vec<&str> = line.split_whitespace().chain(["--debug"]).collect();
        place.same_as_gnu(&args, INPUT);
        let mut theirs = gnu(place.folder.path());
        theirs.args(&args);
        let theirs = lossy(&run(theirs, INPUT).stderr).replace("sort: ", "skipsort: ");
        let ours = place.run_with(&args, INPUT).1;
        // What is refused comes with a line more.
        assert!(ours.starts_with(&theirs), "{line}: {ours}and\n{theirs}");
        assert!(ours == theirs || ours.lines().count() == theirs.lines().count() + 1, "{line}: {ours}");
    }
}

#[test]
fn another_locale_is_said_in_any_case() {
    let place = Place::new();
    let mut command = place.ours(["--debug"]);
    command.env("LC_ALL", "sv_SE.UTF-8");
    let output = run(command, b"a\n");
    assert_eq!(output.stdout, b"a\n_\n");
    assert!(lossy(&output.stderr).contains("not as LC_ALL=sv_SE.UTF-8 says"));
}

#[test]
fn much_is_annotated_and_what_cannot_be_written_is_an_error() {
    let place = Place::new();
    place.put("file", lines(60_000, 1));
    place.same_as_gnu(&["--debug", "-S1M", "file"], b"");
    let (out, said, code) = place.run(&["--debug", "--limit=3", "-k1,1n", "file"]);
    assert_eq!((out.split(|byte| *byte == b'\n').count(), code), (10, 0), "{said}");
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" --debug file > /dev/full", env!("CARGO_BIN_EXE_skipsort")]);
    shell.current_dir(place.folder.path());
    let output = run(shell, b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(lossy(&output.stderr).contains("cannot write standard output: No space left"));
    let said = place.run(&["--debug", "--record-size=4"]).1;
    assert!(said.contains("--debug is about lines"), "{said}");
}
