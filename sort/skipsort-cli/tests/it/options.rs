//! Options that are refused, and how.

use crate::harness::{Place, gnu, run};

#[test]
fn unknown_options_are_refused_by_name() {
    let place = Place::new();
    for (args, word) in [(&["-k2,2N"][..], "'N'"), (&["--nonsense"], "--nonsense")] {
        let (out, said, code) = place.run_with(args, b"b\na\n");
        assert_eq!(code, 2, "{args:?}");
        assert!(said.contains(word), "{args:?}: {said}");
        assert!(out.is_empty());
    }
}

#[test]
fn combined_and_long_forms_mean_what_they_mean_to_gnu() {
    let place = Place::new();
    let input = b"b 2\na 10\nc 1\na 10\n";
    for args in [
        &["-rnk2,2"][..],
        &["-k", "2,2", "-n", "-r"],
        &["--key=2,2", "--numeric-sort", "--reverse"],
        &["--key", "1,1", "--unique"],
        &["-t", " ", "-k2n"],
        &["--field-separator= ", "-k2,2n"],
        &["-suk1,1"],
        &["--sort=numeric", "-k2"],
        &["-", "-r"],
        &["--ignore-case", "--stable"],
        &["--check=quiet"],
        &["--check"],
        &["-cu"],
        &["-r", "-r"],
    ] {
        place.same_as_gnu(args, input);
    }
}

/// Spellings that GNU sort takes, and what it refuses beside them. Standard input is read where no file is named.
const SPELLINGS: &[&str] = &[
    "-t= -k2n",
    "-nt= -k2",
    "-nt= -t = -k2",
    "-t= -t+",
    "-k=2",
    "-S=1M",
    "-n=",
    "-n-",
    "-rn- -k2",
    "--rev",
    "--rev=1",
    "--reverse=",
    "--buf=1M",
    "--buf 1M --key 1.2",
    "--k 1.3",
    "--ke=1.3 --sta",
    "--re --p=2",
    "--fie== --numeric -k2",
    "--ignore",
    "--ignore-c --u",
    "--out",
    "--sort=n",
    "--sort=v",
    "--sort=month --sort=numeric",
    "-g --sort=general-numeric",
    "-Mr +1",
    "+0V",
    "-gh",
    "-Vn",
    "-dih",
    "-dVk1",
    "-n -k2V",
    "--random-source=d",
    "-R --random-source=d",
    "-R --random-source=missing",
    "--random-source=d --random-source=e",
    "--sort=num --sort=numeric",
    "--check=q",
    "--check=s",
    "--check=d",
    "+1",
    "+1 -2",
    "+0.2 -0.4",
    "-n +0.2 -1",
    "+0 -0 -s",
    "+0.2nr d",
    "+0f -1b +1",
    "d +1 -2",
    "./+1",
    "+1x",
    "+1.",
    "+1 -2x",
    "-2",
    "-- +1",
    "-cm",
    "-mC d",
    "-cC",
    "-c --check=quiet",
    "-C --check=silent",
    "-c --check=diag",
    "--compress-program=a --compress-program=b",
    "--compress-program=gzip --compress-program gzip",
    "-S101%",
    "-S1E",
    "-S16E",
    "-S+1M",
    "-k+1.+3",
    "-k1.+3,+1",
    "-k -1",
    "-k",
    "-y",
    "-y 100",
    "-y100 -r",
    "-ry d",
    "-t -",
    "-t -k",
    "-T -x",
];

#[test]
fn spellings_are_gnu_sorts() {
    let place = Place::new();
    let input = "b=2 x\na=10 y\nc=1 z\nA=10 y\n";
    place.put("+1", input);
    place.put("d", "c\nb\n");
    for line in SPELLINGS {
        let args: Vec<&str> = line.split(' ').collect();
        place.same_as_gnu(&args, input.as_bytes());
    }
}

#[test]
fn outputs_have_the_names_that_gnu_sort_gives_them() {
    let names_after = |of: fn(&Place, &[&str]) -> i32, args: &[&str]| {
        let place = Place::new();
        assert_eq!(of(&place, args), 0, "{args:?}");
        place.names()
    };
    let ours = |place: &Place, args: &[&str]| place.run(args).2;
    let theirs = |place: &Place, args: &[&str]| {
        let mut sort = gnu(place.folder.path());
        sort.args(args);
        run(sort, b"").status.code().unwrap_or(-1)
    };
    for (args, name) in [
        (&["-o=x"][..], "=x"),
        (&["-o", "-x"], "-x"),
        (&["-o-x", "-"], "-x"),
        (&["--out", "--reverse"], "--reverse"),
        (&["-o", "+1"], "+1"),
        (&["-ro="], "="),
    ] {
        assert_eq!(names_after(ours, args), [name]);
        assert_eq!(names_after(theirs, args), [name]);
    }
}

#[test]
fn what_is_refused_comes_with_what_to_type() {
    let place = Place::new();
    place.put("short", "123456789012345");
    for (line, word) in [
        ("--ignore", "--ignore-case, --ignore-nonprinting"),
        ("--sort=", "use one of general-numeric"),
        // GNU sort ends with 1 here, which says disorder.
        ("--sort=x", "--sort=x is not known"),
        ("--check=x", "diagnose-first, quiet, silent"),
        ("--sort=month --sort=numeric", "'-Mn' are incompatible"),
        ("--random-source=missing -R", "cannot read missing"),
        ("--random-source=short -k2R", "short: end of file"),
        ("--random-source=a --random-source=b", "--random-source is given twice"),
        ("--progress=a", "auto, always, never"),
        ("+1 -2x", "-k F[.C]"),
        ("-cC", "-C does not"),
        ("--key-=1", "--key-offset, --key-size"),
    ] {
        let (_, said, code) = place.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 2, "{line}");
        assert!(said.contains(word), "{line}: {said}");
    }
}

#[test]
fn names_come_from_a_list() {
    let place = Place::new();
    place.put("a", "3\n1");
    place.put("b", "2\n");
    place.put("list", "a\0b\0");
    place.same_as_gnu(&["--files0-from=list"], b"");
    place.same_as_gnu(&["--files0-from=-"], b"a\0b");
    place.same_as_gnu(&["--files0-from=list", "a"], b"");
    place.same_as_gnu(&["--files0-from=-"], b"a\0\0b");
    place.same_as_gnu(&["--files0-from=missing"], b"");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let place = Place::new();
    let (out, _, code) = place.run(&["--help"]);
    assert_eq!(code, 0);
    assert!(String::from_utf8(out).unwrap().contains("--compress-program"));
    assert_eq!(place.run(&["--version"]).2, 0);
}

/// On a terminal only: a script's standard error stays clean.
#[test]
fn another_locale_is_no_word_in_a_script() {
    let place = Place::new();
    let mut command = place.ours(["-"]);
    command.env("LC_ALL", "sv_SE.UTF-8");
    let output = run(command, b"b\na\n");
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"a\nb\n"[..], &b""[..]));
}
