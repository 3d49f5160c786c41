//! `humdrum bisect --run`: a command of the user's measures, over the commits of a repository that this test makes.

use std::path::Path;
use std::process::Command;

use crate::common::{Humdrum, text_of};
use serde_json::Value;

/// Commits after the first.
const COMMITS: u32 = 12;
/// The first commit that is slower.
const BAD: u32 = 5;
/// Prints a value with noise of half a percent, from the session and the commit: the same at each run.
const MEASURE: &str = "echo measuring >&2; cat built; \
    awk -v s=$HUMDRUM_SESSION -v n=$(cat number) -v v=$(cat value) \
    'BEGIN { srand(100 * n + s + 1); print \"tps =\", v * (1 + 0.01 * (rand() - 0.5)) }'";

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        command.env(format!("GIT_{who}_DATE"), "2026-01-02T03:04:05Z");
    }
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository whose file `value` is 1000, and 970 from commit `BAD` on; `number` is the commit's.
fn repository(humdrum: &Humdrum) {
    repository_of(humdrum, |number| if number < BAD { "1000" } else { "970" });
}

/// One with other values.
fn repository_of(humdrum: &Humdrum, value: fn(u32) -> &'static str) {
    let folder = humdrum.path("repo");
    std::fs::create_dir_all(&folder).expect("made");
    git(&folder, &["init", "-q", "-b", "main"]);
    for number in 0..=COMMITS {
        std::fs::write(folder.join("number"), number.to_string()).expect("written");
        std::fs::write(folder.join("value"), value(number)).expect("written");
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "-q", "-m", &format!("change {number}")]);
    }
}

fn found(humdrum: &Humdrum, out: &str) -> Value {
    let text = std::fs::read_to_string(humdrum.path(out).join("bisect.json")).expect("a bisect");
    serde_json::from_str(&text).expect("JSON")
}

fn good() -> String {
    format!("main~{COMMITS}")
}

#[test]
fn the_commit_that_moved_is_named() {
    let humdrum = Humdrum::new();
    repository(&humdrum);
    let prepare = "echo compiled $HUMDRUM_COMMIT > built";
    let args = ["bisect", "repo", &good(), "main", "--prepare", prepare, "--run", MEASURE, "--out", "b"];
    let told = text_of(&humdrum.exits(0, &args).stdout);
    assert!(told.contains("change 5"), "{told}");
    let json = found(&humdrum, "b");
    assert_eq!((&json["state"], &json["found"]["until"]), (&"found".into(), &BAD.into()), "{told}");
    let ratio = json["found"]["ratio"]["ratio"].as_f64().expect("a ratio");
    assert!((0.96..0.98).contains(&ratio), "{ratio}");
    let name = json["positions"][0]["name"].as_str().expect("a name");
    let log = std::fs::read_to_string(humdrum.path(&format!("b/rounds/1/{name}.log"))).expect("a log");
    assert!(log.contains("measuring") && log.contains("tps = "), "{log}");
    let status =
        Command::new("git").arg("-C").arg(humdrum.path("repo")).args(["status", "--porcelain"]).output();
    assert_eq!(text_of(&status.expect("git runs").stdout), "", "the repository is only read");
}

/// A loss of a third, repaired at a later commit that has 4 % more than the first.
#[test]
fn a_change_and_its_repair_are_found_where_the_ends_differ_by_little() {
    let humdrum = Humdrum::new();
    repository_of(&humdrum, |number| match number {
        ..BAD => "1000",
        BAD..9 => "670",
        _ => "1040",
    });
    let measure = format!("touch built; {MEASURE}");
    let told = text_of(
        &humdrum.exits(0, &["bisect", "repo", &good(), "main", "--run", &measure, "--out", "b"]).stdout,
    );
    let json = found(&humdrum, "b");
    assert_eq!((&json["found"]["after"], &json["found"]["until"]), (&4.into(), &BAD.into()), "{told}");
    let joined = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        joined.contains("There is another change: after ") && joined.contains(", which has 1.5"),
        "{told}"
    );
}

/// A branch counts as its merge; the search then goes on in the branch, also after an interruption.
#[test]
fn a_merge_is_searched_inside() {
    let humdrum = Humdrum::new();
    repository(&humdrum);
    let folder = humdrum.path("repo");
    let commit = |number: u32, value: &str| {
        std::fs::write(folder.join("number"), number.to_string()).expect("written");
        std::fs::write(folder.join("value"), value).expect("written");
        git(&folder, &["commit", "-q", "-a", "-m", &format!("change {number}")]);
    };
    git(&folder, &["checkout", "-q", "-b", "side"]);
    (20..24).for_each(|number| commit(number, if number < 22 { "970" } else { "940" }));
    git(&folder, &["checkout", "-q", "main"]);
    std::fs::write(folder.join("other"), "").expect("written");
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "meanwhile"]);
    git(&folder, &["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    let measure = format!("touch built; {MEASURE}");
    let args = ["bisect", "repo", "main~2", "main", "--first-parent", "--run", &measure, "--out", "b"];
    let told = text_of(&humdrum.exits(0, &args).stdout);
    let joined = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("It merges 4 commits, among which the search went on"), "{told}");
    let (outer, inner) = told.split_once("among the commits that it merged:").expect("both");
    assert!(outer.contains("merge side") && inner.contains("change 22"), "{told}");
    let mut json = found(&humdrum, "b/inside");
    assert_eq!(json["state"], "found");
    assert_eq!(json["positions"][0]["about"], "2026-01-02 change 12");

    json["rounds"].as_array_mut().expect("rounds").pop();
    json["state"] = "unfinished".into();
    json["found"] = Value::Null;
    std::fs::write(humdrum.path("b/inside/bisect.json"), json.to_string()).expect("written");
    let told = text_of(&humdrum.exits(0, &["resume", "b"]).stdout);
    assert!(told.contains("change 22") && !told.contains("merge side"), "{told}");
    let told = text_of(&humdrum.exits(2, &["resume", "b"]).stderr);
    assert!(told.contains("came to its end"), "{told}");
}

#[test]
fn a_repository_is_named_by_its_top_and_may_be_anybodys() {
    let humdrum = Humdrum::new();
    repository(&humdrum);
    std::fs::create_dir_all(humdrum.path("repo/src")).expect("made");
    std::fs::create_dir_all(humdrum.path("none")).expect("made");
    let top = humdrum.path("repo").canonicalize().expect("a path").display().to_string();
    let refused = |args: &[&str], expected: &[&str]| {
        let told = text_of(&humdrum.exits(2, &[&["bisect"], args].concat()).stderr);
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(expected.iter().all(|text| told.contains(text)), "{args:?}: {told}");
    };
    let [run, scan] = [["--run", "x"], ["--tests", "scan"]];
    let below = "repo/src is not the top of a git repository";
    refused(&[&["repo/src", "main~1", "main"], &run[..]].concat(), &[below, &format!("type {top}")]);
    let typed = ["postgres@src:repo/src", "main~1", "main"];
    let expected = [&format!("postgres@src:{below}")[..], &format!("type postgres@src:{top}")];
    refused(&[&typed, &scan[..]].concat(), &expected);
    refused(&[&["none", "a", "b"], &run[..]].concat(), &["none is no git repository"]);
    let expected = ["postgres@src:none is no git repository"];
    refused(&[&["postgres@src:none", "a", "b"], &scan[..]].concat(), &expected);

    let mut command = humdrum.private(&["bisect", "repo", "main~1", "main", "--run", "x", "--dry-run"]);
    let output = command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").output().expect("it runs");
    assert!(output.status.success(), "{}", text_of(&output.stderr));
}

#[test]
fn commits_that_do_not_compile_or_say_125_are_skipped() {
    let humdrum = Humdrum::new();
    repository(&humdrum);
    let prepare = "test $(cat number) != 6 || { echo 'x.c:1: error: no' >&2; exit 2; }; touch built";
    let measure = format!("test $(cat number) != 4 || exit 125; {MEASURE}");
    let args = ["bisect", "repo", &good(), "main", "--prepare", prepare, "--run", &measure, "--out", "b"];
    let told = text_of(&humdrum.exits(0, &args).stdout);
    let json = found(&humdrum, "b");
    assert_eq!((&json["found"]["after"], &json["found"]["until"]), (&3.into(), &BAD.into()), "{told}");
    let skipped: Vec<(usize, &Value)> = json["rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .enumerate()
        .filter(|(_, round)| !round["skipped"].is_null())
        .map(|(number, round)| (number + 1, &round["skipped"]))
        .collect();
    let (number, why) = skipped.iter().find(|(_, why)| why[0] == 6).expect("6 does not compile");
    assert!(why[1].as_str().is_some_and(|why| why.contains("failed (exit status 2)")), "{why}");
    let log = std::fs::read_to_string(humdrum.path(&format!("b/rounds/{number}/failure.txt"))).expect("kept");
    assert!(log.contains("x.c:1: error: no"), "{log}");
    let says = |(_, why): &(usize, &Value)| why[1].as_str().is_some_and(|why| why.contains("125"));
    assert!(skipped.iter().any(says), "{told}");
}

#[test]
fn an_interrupted_round_goes_on_from_its_sessions() {
    let humdrum = Humdrum::new();
    repository(&humdrum);
    // The fifth session of the first round fails at the good end until the file is there.
    let measure = format!(
        "touch built; test -e {0} || test $HUMDRUM_SESSION != 4 || exit 1; {MEASURE}",
        humdrum.path("repaired").display()
    );
    let args = ["bisect", "repo", &good(), "main", "--run", &measure, "--out", "b"];
    let refused = text_of(&humdrum.exits(3, &args).stderr);
    assert!(refused.contains("failed (exit status 1)") && refused.contains("humdrum resume b"), "{refused}");
    let runs = std::fs::read_to_string(humdrum.path("b/rounds/1/runs.json")).expect("runs");
    let before: Value = serde_json::from_str(&runs).expect("JSON");
    assert_eq!(before["sessions"].as_array().map(Vec::len), Some(4));
    std::fs::write(humdrum.path("repaired"), "").expect("written");
    humdrum.exits(0, &["resume", "b"]);
    let runs = std::fs::read_to_string(humdrum.path("b/rounds/1/runs.json")).expect("runs");
    let after: Value = serde_json::from_str(&runs).expect("JSON");
    assert_eq!(before["sessions"][3], after["sessions"][3], "nothing is measured twice");
    assert_eq!(found(&humdrum, "b")["found"]["until"], BAD);
}

#[test]
fn what_a_command_cannot_tell_is_refused() {
    let humdrum = Humdrum::new();
    repository(&humdrum);
    let refused = |code: i32, args: &[&str]| text_of(&humdrum.exits(code, args).stderr);
    let told = refused(3, &["bisect", "repo", &good(), "main", "--run", "echo fast", "--out", "a"]);
    assert!(told.contains("printed no number above 0") && told.contains("fast"), "{told}");
    let told = refused(
        3,
        &["bisect", "repo", &good(), "main", "--run", "sleep 60", "--timeout", "1s", "--out", "c"],
    );
    assert!(told.contains("did not end within its --timeout"), "{told}");
    let told = refused(2, &["bisect", "repo", &good(), "main", "--run", "x", "--tests", "scan"]);
    assert!(told.contains("cannot be used with"), "{told}");
    let told = refused(2, &["bisect", "repo", "main", "--run", "x"]);
    assert!(told.contains("--run needs a repository and two revisions"), "{told}");
    let told = refused(2, &["bisect", "repo", &good(), "main", "--prepare", "make", "--tests", "scan"]);
    assert!(told.contains("'--prepare <COMMAND>' cannot be used with '--tests"), "{told}");
    let told = refused(2, &["bisect", "fake@1.0", "fake@2.0"]);
    assert!(told.contains("--tests"), "{told}");
    let dry = text_of(
        &humdrum.exits(0, &["bisect", "repo", &good(), "main", "--run", "./b.sh", "--dry-run"]).stdout,
    );
    assert!(dry.contains("`./b.sh`, 8 times for each of three commits"), "{dry}");
}
