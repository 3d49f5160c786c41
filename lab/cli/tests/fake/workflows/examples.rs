//! The scripts of the examples: what they install, which revisions they name, and what they call on GitLab.

use std::fs;

use super::runs::{asked, forge};
use super::scripts::Script;
use super::stand_ins::{Runner, well};
use super::yaml::root;
use crate::common::text_of;

/// Programs that install packages: `sudo` runs what it is given.
fn packages(runner: &Runner) {
    runner.stand_in("sudo", "exec \"$@\"");
    runner.stand_in("apt-get", "");
}

/// Runs a script that installs packages, these among others.
fn installs(script: &Script, needed: &[&str]) {
    let runner = Runner::new();
    packages(&runner);
    well(script, &runner.run::<&str, &str>(script, &[]));
    let calls = runner.calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("sudo ")).count(), 2, "{calls:?}");
    let calls: Vec<&str> = calls.iter().filter_map(|call| call.strip_prefix("apt-get ")).collect();
    let ["update", install] = calls[..] else { panic!("{calls:?}") };
    let given: Vec<&str> = install.split(' ').collect();
    assert!(given.starts_with(&["install", "-y"]), "it would ask: {install}");
    needed.iter().for_each(|name| assert!(given.contains(name), "{name} is not installed: {install}"));
}

/// What a build needs by `docs/from-source.md`.
pub(super) fn packages_of_mysql(script: &Script) {
    let needed =
        ["bison", "cmake", "ninja-build", "pkg-config", "libaio-dev", "libncurses-dev", "libssl-dev"];
    installs(script, &needed);
}

pub(super) fn packages_of_rocksdb(script: &Script) {
    installs(script, &["cmake", "ninja-build", "liblz4-dev"]);
}

/// Each side gets a copy of the newest server of the runner, and the extension of its own revision.
pub(super) fn extension(script: &Script) {
    let runner = Runner::new();
    packages(&runner);
    assert!(runner.real("git"), "git is not in PATH");
    for major in ["9.6", "15", "16"] {
        runner.write(&format!("usr/lib/postgresql/{major}/bin/postgres"), "");
        runner.write(&format!("usr/share/postgresql/{major}/postgres.bki"), "");
    }
    ["ls", "cp"].iter().for_each(|name| runner.with_own_usr(name));
    let to = "for one in \"$@\"; do case $one in DESTDIR=*) to=${one#DESTDIR=} ;; esac; done\ncp \"$2/version\" \"$to/installed\"";
    runner.stand_in("make", to);
    runner.before(&["git", "init", "-q", "-b", "main", "."]);
    for version in ["1", "2"] {
        runner.write("work/version", version);
        runner.before(&["git", "add", "version"]);
        runner.before(&["git", "commit", "-q", "-m", version]);
    }
    let base = runner.before(&["git", "rev-parse", "HEAD~1"]);
    let temp = ("RUNNER_TEMP".to_owned(), runner.shown("temp"));
    let values = [("github.event.pull_request.base.sha", &*base)];
    well(script, &runner.run(script, &[script.variables(&values), vec![temp]].concat()));
    let calls = runner.calls();
    assert!(calls.contains(&"apt-get install -y postgresql-server-dev-16".to_owned()), "{calls:?}");
    let made: Vec<&String> = calls.iter().filter(|call| call.starts_with("make ")).collect();
    let expected = ["base", "head"].map(|side| {
        let copy = runner.shown(&format!("temp/{side}"));
        format!("make -C {copy}/source install DESTDIR={copy} PG_CONFIG=/usr/lib/postgresql/16/bin/pg_config")
    });
    assert_eq!(made, expected.iter().collect::<Vec<_>>());
    for (side, version) in [("base", "1"), ("head", "2")] {
        assert_eq!(runner.read(&format!("temp/{side}/installed")), version);
        for file in ["lib/postgresql/16/bin/postgres", "share/postgresql/16/postgres.bki"] {
            assert!(runner.path(&format!("temp/{side}/usr/{file}")).exists(), "{side}: {file}");
        }
        assert!(!runner.path(&format!("temp/{side}/usr/lib/postgresql/15")).exists());
    }
}

/// The submodule was cloned at the head alone, as `actions/checkout` does it; both of its commits are there afterwards, and are subjects
/// that humdrum understands.
pub(super) fn revisions_of_rocksdb(script: &Script) {
    let runner = Runner::new();
    assert!(runner.real("git"), "git is not in PATH");
    let git = |args: &[&str]| runner.before(&[&["git"], args].concat());
    git(&["init", "-q", "-b", "main", "../origin"]);
    git(&["-C", "../origin", "config", "uploadpack.allowAnySHA1InWant", "true"]);
    git(&["init", "-q", "-b", "main", "."]);
    let commits = ["1", "2"].map(|message| {
        git(&["-C", "../origin", "commit", "-q", "--allow-empty", "-m", message]);
        let commit = git(&["-C", "../origin", "rev-parse", "HEAD"]);
        git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},third_party/rocksdb")]);
        git(&["commit", "-q", "-m", message]);
        commit
    });
    git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &format!("file://{}", runner.shown("origin")),
        "third_party/rocksdb",
    ]);
    let base = git(&["rev-parse", "HEAD~1"]);
    let environment = ("GITHUB_ENV".to_owned(), runner.shown("environment"));
    let values = [("github.event.pull_request.base.sha", &*base)];
    well(script, &runner.run(script, &[script.variables(&values), vec![environment]].concat()));
    let subject =
        |commit: &String| format!("rocksdb@src:third_party/rocksdb#{commit}+with_lz4=on+compression=lz4");
    let [base, head] = [&commits[0], &commits[1]].map(subject);
    assert_eq!(runner.read("environment"), format!("BASE={base}\nHEAD={head}\n"));
    for commit in &commits {
        git(&["-C", "third_party/rocksdb", "cat-file", "-e", &format!("{commit}^{{commit}}")]);
    }
    // Empty commits have no sources, which is told of commits that are there.
    let output = runner.humdrum(&["ci", "--base", &base, "--head", &head, "--suite", "kv", "--dry-run"]);
    let told = text_of(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("are no sources of rocksdb"), "{told}");
}

/// On GitLab both jobs clone humdrum to a fixed place, in whose place they get one of their own here.
const CLONED: &str = "/opt/humdrum";

fn cloned(script: &Script, runner: &Runner) -> String {
    let make = format!(
        "for to in \"$@\"; do :; done; mkdir -p \"$to/lab/cli\" && ln -s '{}' \"$to/action\"",
        root().join("action").canonicalize().expect("scripts").display()
    );
    runner.stand_in("git", &make);
    runner.stand_in("apt-get", "");
    assert!(script.text.contains(CLONED));
    script.text.replace(CLONED, &runner.shown("cloned"))
}

const SOURCE: (&str, &str) = ("HUMDRUM_SOURCE", "https://forge.invalid/me/humdrum.git");

pub(super) fn gitlab_check(script: &Script) {
    let measured = |has_program: bool| {
        let runner = Runner::new();
        let text = cloned(script, &runner);
        runner.stand_in("humdrum", "");
        if !has_program {
            fs::rename(runner.path("bin/humdrum"), runner.path("built")).expect("moved");
        }
        runner
            .stand_in("cargo", &format!("cp '{}' '{}'", runner.shown("built"), runner.shown("bin/humdrum")));
        let revisions = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", "c0ffee"), ("CI_COMMIT_SHA", "d00d")];
        let output = runner.run_text(&text, script.options, &[&revisions[..], &[SOURCE]].concat());
        well(script, &output);
        let to = runner.shown("cloned");
        runner.calls().into_iter().map(|call| call.replace(&to, CLONED)).collect::<Vec<_>>()
    };
    let expected = [
        "git clone --depth 1 https://forge.invalid/me/humdrum.git /opt/humdrum",
        "cargo install --locked --path /opt/humdrum/lab/cli",
        "apt-get update",
        "apt-get install -y bison flex",
        "humdrum ci --base c0ffee --head d00d --repo . --out humdrum-check --engine postgres --tests point,scan --budget 20m",
    ];
    assert_eq!(measured(false), expected);
    assert_eq!(measured(true), [&expected[..1], &expected[2..]].concat());

    // What fails ends the job.
    let runner = Runner::new();
    let text = cloned(script, &runner);
    runner.stand_in("humdrum", "");
    runner.stand_in("git", "exit 128");
    assert!(!runner.run_text(&text, script.options, &[SOURCE]).status.success());
    assert_eq!(runner.calls().len(), 1);
}

pub(super) fn gitlab_comment(script: &Script) {
    let runner = Runner::new();
    if !forge(&runner) {
        println!("skipped: needs jq");
        return;
    }
    let text = cloned(script, &runner);
    runner.write("work/humdrum-check/comment.md", "## This change passes\n");
    let variables = [
        SOURCE,
        ("CI_API_V4_URL", "https://forge.invalid/api/v4"),
        ("CI_PROJECT_ID", "3"),
        ("CI_MERGE_REQUEST_IID", "7"),
        ("HUMDRUM_TOKEN", "secret"),
    ];
    well(script, &runner.run_text(&text, script.options, &variables));
    let calls = asked(&runner);
    let [all, post] = &calls[..] else { panic!("{calls:?}") };
    let notes = "https://forge.invalid/api/v4/projects/3/merge_requests/7/notes";
    assert_eq!(*all, format!("{notes}?per_page=100&page=1"));
    assert!(post.starts_with("--request POST --data @") && post.ends_with(notes), "{post}");
    assert!(runner.read("sent").contains("## This change passes"));
}
