//! `humdrum ci` on the fake engine: what fails a check, what was accepted, and what a runner is told.

use std::fs;

use crate::common::{Humdrum, text_of};
use serde_json::Value;

const PLAN: &str = "engine = \"fake\"\n[plan]\ntests = [\"hot-points\", \"scan\"]\nscale = \"tiny\"\n";
const ALLOW: &str = "[[gate.allow]]\ntest = \"hot-points\"\nuntil = \"2099-01-31\"\nreason = \"checks were added\"\n\
    [[gate.allow]]\ntest = \"scan\"\nuntil = \"2020-01-31\"\nreason = \"an old one\"\n";

/// A check of a change that makes everything 5 % slower, by this policy; the exit code, what was printed, and what is in the folder.
fn check(humdrum: &Humdrum, policy: &str, head: &str, out: &str) -> (i32, String, Value) {
    fs::write(humdrum.path("humdrum.toml"), policy).expect("written");
    let args = ["ci", "--base", "fake@1.0", "--head", head, "--out", out, "--quiet"];
    let output = humdrum
        .private(&args)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", humdrum.path("job.md"))
        .env("GITHUB_OUTPUT", humdrum.path("outputs"))
        .envs([
            ("GITHUB_SERVER_URL", "https://forge.example"),
            ("GITHUB_REPOSITORY", "me/db"),
            ("GITHUB_RUN_ID", "7"),
        ])
        .output()
        .expect("humdrum starts");
    let text = fs::read_to_string(humdrum.path(out).join("check.json")).unwrap_or_default();
    let told = text_of(&output.stdout) + &text_of(&output.stderr);
    (output.status.code().unwrap_or(-1), told, serde_json::from_str(&text).unwrap_or_default())
}

#[test]
fn a_regression_fails_and_an_accepted_one_does_not() {
    let humdrum = Humdrum::new();
    let slower = "fake@1.0+slowdown=5%";
    let (code, told, found) = check(&humdrum, PLAN, slower, "a");
    assert_eq!((code, found["failing"][0]["test"].as_str()), (1, Some("hot-points")), "{told}");
    assert!(
        told.contains("::error title=regression::") && told.contains("This change does not pass"),
        "{told}"
    );
    let (code, told, found) = check(&humdrum, &format!("{PLAN}{ALLOW}"), slower, "b");
    assert_eq!(code, 1, "{told}");
    assert!(
        found["accepted"].as_array().is_some_and(|all| all.iter().all(|one| one["test"] == "hot-points"))
    );
    assert!(told.contains("::notice title=accepted::") && told.contains("which is over"), "{told}");
    let comment = fs::read_to_string(humdrum.path("b/comment.md")).expect("a comment");
    assert!(
        comment.starts_with("## This change does not pass: ") && comment.contains("* accepted: hot-points"),
        "{comment}"
    );
    assert!(comment.contains("[The run](https://forge.example/me/db/actions/runs/7)"), "{comment}");
    let summary = fs::read_to_string(humdrum.path("job.md")).expect("a summary of the job");
    assert!(summary.ends_with(&comment));
    let outputs = fs::read_to_string(humdrum.path("outputs")).expect("outputs");
    assert_eq!(outputs, "results=a\ncode=1\nresults=b\ncode=1\n");
    let (code, told, found) = check(&humdrum, &format!("{PLAN}{ALLOW}"), "same=fake@1.0", "c");
    assert_eq!((code, found["idle"].as_array().map(Vec::len)), (0, Some(2)), "{told}");
    assert!(told.contains("This change passes"), "{told}");
}

#[test]
fn a_regression_may_be_a_warning() {
    let humdrum = Humdrum::new();
    let slower = "fake@1.0+slowdown=5%";
    let tests = |found: &Value, list: &str| {
        let all = found[list].as_array().cloned().unwrap_or_default();
        let mut tests: Vec<String> =
            all.iter().map(|loss| loss["test"].as_str().unwrap_or_default().to_owned()).collect();
        tests.sort();
        tests.dedup();
        tests
    };
    let gate = "[gate]\nwarn = [\"hot-points\"]\n";
    let (code, told, found) = check(&humdrum, &format!("{PLAN}{gate}"), slower, "a");
    assert_eq!(
        (code, tests(&found, "failing"), tests(&found, "warned")),
        (1, vec!["scan".into()], vec!["hot-points".into()])
    );
    assert!(
        told.contains("::error title=regression::scan")
            && told.contains("::warning title=regression::hot-points"),
        "{told}"
    );
    let comment = fs::read_to_string(humdrum.path("a/comment.md")).expect("a comment");
    assert!(comment.contains("\n* a warning: hot-points: throughput of "), "{comment}");
    let gate = "[gate]\nfail = [\"failed\", \"undecided\"]\n";
    let (code, told, found) = check(&humdrum, &format!("{PLAN}{gate}"), slower, "b");
    assert_eq!((code, tests(&found, "warned").len()), (0, 2), "{told}");
    assert!(told.contains("This change passes; ") && told.contains(" warnings"), "{told}");
}

/// Commits of one tree are one build; a runner that has built one of them need not build the other.
#[test]
fn a_build_is_cached_by_what_goes_into_it() {
    let humdrum = Humdrum::new();
    let commit = |change: &str| {
        fs::write(
            humdrum.path("configure"),
            format!("PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='16.4'\n{change}"),
        )
        .expect("written");
        git(humdrum.folder(), &["add", "configure"]);
        git(humdrum.folder(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    };
    git(humdrum.folder(), &["init", "-q", "-b", "trunk"]);
    ["", "", "# changed\n", ""].iter().for_each(|change| commit(change));
    let key = |args: &[&str]| {
        let told = text_of(&humdrum.exits(0, &[&["ci", "--build-key", "--quiet"], args].concat()).stdout);
        told.strip_suffix('\n').filter(|key| !key.contains('\n')).expect("one line").to_owned()
    };
    let of = |revision: &str| key(&["--engine", "postgres", "--base", revision]);
    let first = of("HEAD~3");
    assert!(first.starts_with("postgres-src-"), "{first}");
    assert_eq!([of("HEAD~2"), of("HEAD")], [first.clone(), first.clone()]);
    assert_ne!(of("HEAD~1"), first);
    assert_eq!(key(&["--base", "old=fake@1"]), "fake-1.1");
    let missing = humdrum.exits(2, &["ci", "--build-key", "--engine", "postgres", "--base", "nowhere"]);
    assert!(text_of(&missing.stderr).contains("no revision `nowhere`") && missing.stdout.is_empty());
}

#[test]
fn a_strict_check_fails_on_what_is_undecided() {
    let humdrum = Humdrum::new();
    // Noise that no budget of a minute can decide.
    let noisy = "fake@1.0+session_noise=9%";
    let (code, told, found) = check(&humdrum, PLAN, noisy, "a");
    assert_eq!((code, found["undecided"].as_array().map(Vec::len)), (0, Some(0)), "{told}");
    assert_eq!(found["open"].as_array().map(Vec::len), Some(2));
    assert!(told.contains("This change passes, but no test could be decided"), "{told}");
    let strict = PLAN.replace("[plan]\n", "[plan]\nstrict = true\n");
    let (code, told, found) = check(&humdrum, &strict, noisy, "b");
    assert_eq!((code, found["undecided"].as_array().map(Vec::len)), (4, Some(2)), "{told}");
}

#[test]
fn what_cannot_be_checked_is_told_before_anything_is_measured() {
    let humdrum = Humdrum::new();
    for (policy, head, expected) in [
        ("", "HEAD", "no engine is named"),
        ("engine = \"oracle\"\n", "HEAD", "oracle"),
        ("[gate]\nallow_all = true\n", "fake@1.1", "unknown key `allow_all`"),
        (
            "[[gate.allow]]\ntest = \"scan\"\nuntil = \"soon\"\nreason = \"x\"\n",
            "fake@1.1",
            "`soon` is no date",
        ),
        (
            "[[gate.allow]]\ntest = \"hot-point\"\nuntil = \"2099-01-31\"\nreason = \"x\"\n",
            "fake@1.1",
            "`hot-point`, which an acceptance names, is no test of sysbench",
        ),
        ("[gate]\nfail = [\"slower\"]\n", "fake@1.1", "unknown word `slower`"),
        (
            "[gate]\nwarn = [\"hot-point\"]\n",
            "fake@1.1",
            "`hot-point`, which `warn` names, is no test of sysbench",
        ),
        ("", "oracle@17", "oracle"),
    ] {
        let (code, told, _) = check(&humdrum, policy, head, "out");
        assert!(code == 2 && told.contains(expected), "{code} {told}");
        assert!(!humdrum.path("out").exists());
    }
    let part = ["ci", "--base", "fake@1.0", "--head", "fake@1.1", "--shard", "1/2", "--quiet"];
    assert!(text_of(&humdrum.exits(2, &part).stderr).contains("a part of a plan is no check"));
    let missing =
        humdrum.exits(2, &["ci", "--base", "fake@1.0", "--head", "fake@1.1", "--policy", "no.toml"]);
    assert!(text_of(&missing.stderr).contains("cannot read no.toml"));
}

/// Signs that subjects give another meaning may be in the name of a branch: it is told which commit is no Postgres, not that there is no
/// such revision.
#[test]
fn branches_may_have_any_name() {
    let humdrum = Humdrum::new();
    git(humdrum.folder(), &["init", "-q", "-b", "feature+fast"]);
    git(humdrum.folder(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    for name in ["me@x", "a+b@c"] {
        git(humdrum.folder(), &["branch", name]);
    }
    for (base, head) in [("feature+fast", "me@x"), ("me@x", "a+b@c")] {
        let args = ["ci", "--engine", "postgres", "--base", base, "--head", head, "--dry-run"];
        let told = text_of(&humdrum.exits(2, &args).stderr);
        assert!(!told.contains("no revision") && !told.contains("engine `"), "{told}");
        assert!(told.contains("are no sources of postgres"), "{told}");
    }
    let args = ["ci", "--engine", "postgres", "--base", "a+c", "--dry-run"];
    assert!(text_of(&humdrum.exits(2, &args).stderr).contains("no revision `a+c`"));
    let args = ["ci", "--engine", "postgres", "--base", "me@x", "--repo", "a+b", "--dry-run"];
    assert!(text_of(&humdrum.exits(2, &args).stderr).contains("give --repo a path without `+`"));
}

fn git(folder: &std::path::Path, args: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=it", "-c", "user.email=it@it", "-C"])
        .arg(folder)
        .args(args)
        .output()
        .expect("git starts");
    assert!(output.status.success(), "{args:?}: {}", text_of(&output.stderr));
    text_of(&output.stdout)
}

#[test]
fn checks_are_kept_on_a_branch_with_their_series() {
    let humdrum = Humdrum::new();
    git(humdrum.folder(), &["init", "-q", "-b", "trunk"]);
    fs::write(humdrum.path("humdrum.toml"), PLAN).expect("written");
    let check = |head: &str, branch: &str, out: &str| {
        let args = ["ci", "--base", "fake@1.0", "--head", head, "--history", branch, "--out", out, "--quiet"];
        let output = humdrum.private(&args).output().expect("humdrum starts");
        (output.status.code(), text_of(&output.stdout) + &text_of(&output.stderr))
    };
    let (code, told) = check("same=fake@1.0", "past", "a");
    assert!(code == Some(0) && told.contains("1 check on the branch past"), "{told}");
    // A regression fails the check and is kept all the same.
    let (code, told) = check("fake@1.0+slowdown=5%", "past", "b");
    assert!(code == Some(1) && told.contains("2 checks on the branch past"), "{told}");
    let listed = git(humdrum.folder(), &["ls-tree", "-r", "--name-only", "past"]);
    let charts = listed.lines().filter(|name| name.starts_with("charts/")).count();
    assert_eq!((listed.lines().count(), charts), (5, 2), "{listed}");
    let page = git(humdrum.folder(), &["show", "past:README.md"]);
    assert!(
        page.contains("2 checks, ") && page.contains("| hot-points | ") && page.contains("| 1.0 | 2 | 0.9"),
        "{page}"
    );
    assert!(git(humdrum.folder(), &["show", "past:charts/1.svg"]).contains("down=5%"));

    // What cannot be kept is told before anything is measured.
    git(humdrum.folder(), &["checkout", "-q", "past"]);
    let (code, told) = check("same=fake@1.0", "past", "c");
    assert!(code == Some(2) && told.contains("is checked out") && !humdrum.path("c").exists(), "{told}");
    // A branch that this program does not understand stays as it is.
    git(humdrum.folder(), &["checkout", "-q", "-b", "newer"]);
    fs::write(humdrum.path("checks/0.json"), "{\"schema\": 99}").expect("written");
    git(humdrum.folder(), &["add", "checks/0.json"]);
    git(humdrum.folder(), &["commit", "-qm", "x"]);
    git(humdrum.folder(), &["checkout", "-q", "past"]);
    let before = git(humdrum.folder(), &["rev-parse", "newer"]);
    let (code, told) = check("same=fake@1.0", "newer", "d");
    assert!(code == Some(3) && told.contains("checks/0.json on the branch `newer` is no check"), "{told}");
    assert_eq!(git(humdrum.folder(), &["rev-parse", "newer"]), before);
}
