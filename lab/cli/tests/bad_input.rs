//! Bad input: each kind ends with exit code 2, one clear message, and words on what to type instead. The snapshot
//! is the list; read it as a user would.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use common::{Humdrum, text_of};

/// Each line is what a user types after `humdrum`.
const TYPED: &[&str] = &[
    // Subjects.
    "compare oracle@23 fake@1.0",
    "compare fake@1.0 fake@9.9",
    "compare postgres@17.99 postgres@17.7",
    "compare postgres@8 postgres@17",
    "compare fake fake@1.0",
    "compare fake@ fake@1.0",
    "compare @1.0 fake@1.0",
    "compare fake@1.0+ fake@1.0",
    "compare fake@1.0+slowdwn=3% fake@1.0",
    "compare fake@1.0+slowdown=much fake@1.0",
    "compare postgres@17.7+x99z fake@1.0",
    "compare postgres@17.7+=5 fake@1.0",
    "compare =fake@1.0 fake@1.0",
    "compare a=fake@1.0 a=fake@1.1",
    "compare fake@1.0 fake@1.0",
    "compare fake@1.0",
    "compare postgres@/no/such/folder postgres@17.7",
    "compare postgres@./empty postgres@17.7",
    "compare postgres@src:/no/such/checkout postgres@17.7",
    "compare postgres@postgres://me@127.0.0.1/db postgres@17.7",
    "compare postgres@postgres:// postgres@17.7 --allow-external",
    "compare postgres@postgres://me@127.0.0.1:99999/db postgres@17.7 --allow-external",
    // Options.
    "compare fake@1.0 fake@1.1 --suite tpcc",
    "compare fake@1.0 fake@1.1 --tests hotpoints",
    "compare fake@1.0 fake@1.1 --tests wrote",
    "compare fake@1.0 fake@1.1 --scale enormous",
    "compare fake@1.0 fake@1.1 --scale rows=many",
    "compare fake@1.0 fake@1.1 --scale rows=0",
    "compare fake@1.0 fake@1.1 --budget soon",
    "compare fake@1.0 fake@1.1 --budget 0s",
    "compare fake@1.0 fake@1.1 --budget 1s",
    "compare fake@1.0 fake@1.1 --mode parallel",
    "compare fake@1.0 fake@1.1 --mode sequential",
    "compare fake@1.0 fake@1.1 --timeout 1ms --slice-ms 100",
    "compare fake@1.0 fake@1.1 --delta lots",
    "compare fake@1.0 fake@1.1 --delta 200%",
    "compare fake@1.0 fake@1.1 --slice-ms 0",
    "compare fake@1.0 fake@1.1 --seed minus-one",
    "compare fake@1.0 fake@1.1 --timeout never",
    "compare fake@1.0 fake@1.1 --sessions 1",
    "compare fake@1.0 fake@1.1 --fast",
    "compare fake@1.0 fake@1.1 --out file/below",
    "compare fake@1.0 fake@1.1 --out done",
    "conpare fake@1.0 fake@1.1",
    // Plans.
    "run no-such-plan.toml",
    "run empty",
    "run typo.toml",
    "run wrong-type.toml",
    "run broken.toml",
    "run one-subject.toml",
    // Results.
    "report no-such-results",
    "report empty",
    "report text.sqlite",
    "report foreign.sqlite",
    "report done --format pdf",
    "explain no-such-results scan",
    "explain text.sqlite",
    "explain done hotpoints",
    "explain done scan --subject nobody",
    "explain done scan --budget 5s",
    "explain done scan --prove --settings jit",
    "explain done --prove",
    "resume done",
    "resume no-such-results",
    // The rest.
    "versions oracle",
    "fetch oracle@23",
    "fetch postgres@17.99",
    "up postgres@17.99",
    "down nobody",
];

#[test]
fn every_kind_of_bad_input_is_told_what_to_type() {
    let lab = Humdrum::new();
    prepare(&lab);
    let mut told = String::new();
    for typed in TYPED {
        let args: Vec<&str> = typed.split(' ').collect();
        let output = lab.run(&args);
        let complaint = text_of(&output.stderr).replace(&lab.folder().display().to_string(), "HERE");
        assert_eq!(output.status.code(), Some(2), "{typed}: {complaint}");
        assert!(!complaint.contains("panicked"), "{typed}: {complaint}");
        assert!(complaint.contains("error: "), "{typed}: {complaint}");
        told.push_str(&format!("$ humdrum {typed}\n{}\n\n", complaint.trim_end()));
    }
    insta::assert_snapshot!("bad_input", told);
}

#[test]
fn a_house_that_cannot_be_used_says_so() {
    let lab = Humdrum::new();
    fs::write(lab.path("file"), "").expect("written");
    let mut command = lab.command(&["compare", "fake@1.0", "fake@1.1"]);
    let output = command.env("HUMDRUM_CACHE", lab.path("file/below")).output().expect("starts");
    let complaint = text_of(&output.stderr);
    assert!(matches!(output.status.code(), Some(2 | 3)), "{complaint}");
    assert!(complaint.contains("HUMDRUM_CACHE"), "{complaint}");
}

/// Files that the lines above name.
fn prepare(lab: &Humdrum) {
    let write = |name: &str, text: &str| fs::write(lab.path(name), text).expect("written");
    fs::create_dir(lab.path("empty")).expect("made");
    fs::set_permissions(lab.path("empty"), fs::Permissions::from_mode(0o755)).expect("opened");
    write("file", "");
    write("typo.toml", "suite = \"sysbench\"\nbugdet = \"5m\"\nsubjects = [\"fake@1.0\", \"fake@1.1\"]\n");
    write("wrong-type.toml", "subjects = [\"fake@1.0\", \"fake@1.1\"]\nsessions = \"many\"\n");
    write("broken.toml", "subjects = [\"fake@1.0\",\n");
    write("one-subject.toml", "subjects = [\"fake@1.0\"]\n");
    write("text.sqlite", "these are no results\n");
    let foreign = lab.path("foreign.sqlite");
    // A database of somebody else: the magic of SQLite and another application's tables.
    let made = std::process::Command::new("python3")
        .args([
            "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('create table t(x)'); c.commit()",
        ])
        .arg(&foreign)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        write("foreign.sqlite", "SQLite format 3\0 but not for long");
    }
    let done = ["compare", "fake@1.0", "fake@1.1", "--tests", "scan", "--quiet", "--out", "done"];
    assert_eq!(lab.run(&done).status.code(), Some(0));
}
