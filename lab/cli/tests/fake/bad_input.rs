//! Bad input: each kind ends with exit code 2, one message, and what to type instead. The snapshot lists all
//! messages.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Humdrum, text_of};

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
    "compare postgres@17.7+cc=clang postgres@17.7",
    "compare fake@1.0 fake@1.1 --from source",
    "compare fake@1.0 fake@1.1 --from elsewhere",
    "build fake@1.0",
    "build postgres@/no/such/folder",
    "build postgres@src:./empty",
    "build postgres@src:./empty#master",
    "build postgres@src:package",
    "build postgres@src:package#17.7+lto=on",
    "build postgres@src:package#17.7 --patch no-such.patch",
    "compare postgres@postgres://me@127.0.0.1/db postgres@17.7",
    "compare postgres@postgres:// postgres@17.7 --allow-external",
    "compare postgres@postgres://me@127.0.0.1:99999/db postgres@17.7 --allow-external",
    "compare postgres@postgres://me@localhost/db?host=/a/folder/that/is/so/deep/in/other/folders/that/no/socket/in/it/can/be/connected/to/by/anyone/from/any/place postgres@17.7 --allow-external",
    "compare mysql@mysql://me@localhost?socket=/a/folder/that/is/so/deep/in/other/folders/that/no/socket/in/it/can/be/connected/to/by/anyone/from/any/place/x mysql@8.0.33 --allow-external",
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
    "compare fake@1.0 fake@1.1 --timeout 1ms --slice-ms 100",
    "compare fake@1.0 fake@1.1 --delta lots",
    "compare fake@1.0 fake@1.1 --delta 200%",
    "compare fake@1.0 fake@1.1 --slice-ms 0",
    "compare fake@1.0 fake@1.1 --seed minus-one",
    "compare fake@1.0 fake@1.1 --timeout never",
    "compare fake@1.0 fake@1.1 --sessions 1",
    "compare fake@1.0 fake@1.1 --slice-ms short",
    "compare fake@1.0 fake@1.1 --sessions few",
    "compare fake@1.0 fake@1.1 --seed",
    "compare fake@1.0 fake@1.1 --color red",
    "compare fake@1.0 fake@1.1 --seeds 1",
    "compare fake@1.0 fake@1.1 --fast",
    "compare fake@1.0 fake@1.1 --out file/below",
    "compare fake@1.0 fake@1.1 --out done",
    "conpare fake@1.0 fake@1.1",
    // Selftests.
    "selftest",
    "selftest fake@9.9",
    "selftest fake@1.0 fake@1.1",
    "selftest fake@1.0+inject=2%",
    "selftest postgres@postgres://me@127.0.0.1/db",
    "selftest fake@1.0 --inject lots",
    "selftest fake@1.0 --inject 0%",
    "selftest fake@1.0 --inject 2%,none",
    "selftest fake@1.0 --runs 0",
    "selftest fake@1.0 --runs many",
    "selftest fake@1.0 --budget 1s",
    "selftest fake@1.0 --on-busy sleep",
    "selftest fake@1.0 --suite insert --inject 2%",
    "selftest fake@1.0 --out file/below",
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
    "report folder-for-file",
    "report folder-for-file/results.sqlite",
    "report done --format pdf",
    "report done --base nobody",
    "report done --base fake@1",
    "report done --subjects fake@1.1,nobody",
    "report done --base fake@1.1 --subjects fake@1.1",
    "report done --base fake@1.1 --format html --out done/report.html",
    "report done --subjects fake@1.1 --format json --out done/../done/summary.json",
    "report done --out done/results.sqlite",
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
        assert!(complaint.contains("error: ") && complaint.contains("help: "), "{typed}: {complaint}");
        told.push_str(&format!("$ humdrum {typed}\n{}\n\n", complaint.trim_end()));
    }
    insta::assert_snapshot!("bad_input", told);
}

#[test]
fn a_cache_that_cannot_be_used_says_so() {
    let lab = Humdrum::new();
    fs::write(lab.path("file"), "").expect("written");
    let mut command = lab.command(&["compare", "fake@1.0", "fake@1.1"]);
    let output = command.env("HUMDRUM_CACHE", lab.path("file/below")).output().expect("starts");
    let complaint = text_of(&output.stderr);
    assert!(matches!(output.status.code(), Some(2 | 3)), "{complaint}");
    assert!(complaint.contains("HUMDRUM_CACHE"), "{complaint}");
}

/// The mirror is the user's choice, so what it gives instead of a release is bad input, in the cache as on the wire.
#[test]
fn a_corrupted_download_is_thrown_away_and_told() {
    let lab = Humdrum::new();
    let mirror = wrong_mirror();
    for verb in [&["fetch", "postgres@17.7"][..], &["compare", "postgres@16.11", "postgres@17.7"]] {
        let output = lab.private(verb).env("HUMDRUM_MAVEN_REPOSITORY", &mirror).output().expect("starts");
        let complaint = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains("is not what was expected"), "{complaint}");
        assert!(complaint.contains("help: it was removed: run the command again"), "{complaint}");
    }
    let kept = fs::read_dir(lab.path("cache/downloads")).expect("listed").flatten();
    let kept: Vec<_> =
        kept.map(|entry| entry.path()).filter(|path| path.extension() != Some("lock".as_ref())).collect();
    assert!(kept.is_empty(), "{kept:?}");
}

/// A repository that has another file in place of every one; it ends with this process.
fn wrong_mirror() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().expect("cloned")).lines();
            // The head must be read before the connection is closed.
            let _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let body = "something else";
            let head = format!("HTTP/1.1 200 x\r\nContent-Length: {}\r\nConnection: close", body.len());
            let _ = write!(stream, "{head}\r\n\r\n{body}");
        }
    });
    address
}

#[test]
fn results_that_may_not_be_read_are_told() {
    let lab = Humdrum::new();
    prepare(&lab);
    let file = lab.path("done/results.sqlite");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("closed");
    if fs::read(&file).is_ok() {
        // Root may read everything.
        return;
    }
    for verb in ["report", "resume", "explain"] {
        let complaint = text_of(&lab.exits(2, &[verb, "done"]).stderr);
        assert!(complaint.contains("help: check its permissions"), "{complaint}");
    }
}

/// Files that the lines above name.
fn prepare(lab: &Humdrum) {
    let write = |name: &str, text: &str| fs::write(lab.path(name), text).expect("written");
    fs::create_dir(lab.path("empty")).expect("made");
    fs::create_dir_all(lab.path("folder-for-file/results.sqlite")).expect("made");
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
    lab.exits(0, &done);
}
