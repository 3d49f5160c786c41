//! How each script is run, and what it has to call: those of the action, and of the comment after it.

use std::os::unix::fs::symlink;

use super::examples::{
    extension, gitlab_check, gitlab_comment, packages_of_mysql, packages_of_rocksdb, revisions_of_rocksdb,
};
use super::scripts::Script;
use super::stand_ins::{Runner, well};
use super::yaml::root;
use crate::common::{Humdrum, text_of};

/// What runs the script of this name.
type Run = fn(&Script);

/// Every script, by its file and step.
pub(super) const RUNS: [(&str, Run); 11] = [
    ("action.yml: Install", install),
    ("action.yml: Key of the base's build", key),
    ("action.yml: Check", check),
    ("action.yml: Number of the pull request, for the comment", number),
    ("comment.yml: jobs.comment.steps[2]", comment),
    ("gitlab.yml: performance", gitlab_check),
    ("gitlab.yml: performance comment", gitlab_comment),
    ("mysql-fork.yml: jobs.check.steps[1]", packages_of_mysql),
    ("postgres-extension.yml: Install both revisions", extension),
    ("rocksdb-user.yml: jobs.check.steps[1]", packages_of_rocksdb),
    ("rocksdb-user.yml: Name both revisions", revisions_of_rocksdb),
];

/// Where a runner has the action.
fn action_path() -> (String, String) {
    ("GITHUB_ACTION_PATH".into(), root().display().to_string())
}

/// The program in PATH is used; without it the release that is named, checked by its sum; without a release the sources.
fn install(script: &Script) {
    let runner = Runner::new();
    runner.stand_in("humdrum", "");
    runner.stand_in("cargo", "");
    // What no release offers.
    runner.stand_in("gh", "echo no such release >&2; exit 1");
    let installed = |release: &str| {
        let values = [
            ("inputs.release", release),
            ("github.action_repository", "me/humdrum"),
            ("github.token", "secret"),
        ];
        let temp = ("RUNNER_TEMP".to_owned(), runner.shown("temp"));
        let output = runner.run(script, &[script.variables(&values), vec![action_path(), temp]].concat());
        (output, runner.calls())
    };
    let (output, calls) = installed("v0.1.0");
    well(script, &output);
    assert!(calls.is_empty(), "{calls:?}");
    runner.without("humdrum");
    let (output, calls) = installed("");
    well(script, &output);
    let expected = format!(
        "cargo install --locked --path {}/lab/cli",
        root().canonicalize().expect("a folder").display()
    );
    assert_eq!(calls, [expected]);
    let (output, calls) = installed("v0.1.0");
    assert!(!output.status.success() && text_of(&output.stderr).contains("no such release"));
    let [call] = &calls[..] else { panic!("{calls:?}") };
    let to = runner.shown("temp/humdrum-v0.1.0");
    assert!(call.starts_with(&format!("gh release download v0.1.0 --repo me/humdrum --dir {to} ")), "{call}");
}

/// Inputs of the action as a workflow gives them, each another word.
const INPUTS: [(&str, &str); 12] = [
    ("inputs.engine", "postgres"),
    ("inputs.base", "c0ffee"),
    ("inputs.head", "HEAD"),
    ("inputs.repo", "a b/db"),
    ("inputs.policy", "perf.toml"),
    ("inputs.suite", "./perf"),
    ("inputs.tests", "point,scan"),
    ("inputs.scale", "tiny"),
    ("inputs.budget", "20m"),
    ("inputs.history", "origin/past"),
    ("inputs.name", "reads"),
    ("inputs.release", ""),
];

/// Every input becomes an argument that the program knows; those that are empty become none.
fn check(script: &Script) {
    let runner = Runner::new();
    runner.stand_in("humdrum", "");
    let checked = |values: &[(&str, &str)]| {
        let output = runner.run(script, &[script.variables(values), vec![action_path()]].concat());
        well(script, &output);
        runner.calls()
    };
    let calls = checked(&INPUTS);
    let expected = "humdrum ci --base c0ffee --head HEAD --repo 'a b/db' --out reads --engine postgres --policy perf.toml \
                    --suite ./perf --tests point,scan --scale tiny --budget 20m --history origin/past";
    assert_eq!(calls, [expected]);
    let known = text_of(&Humdrum::new().exits(0, &["ci", "--help"]).stdout);
    let options = expected.split(' ').filter(|word| word.starts_with("--"));
    options.for_each(|option| assert!(known.contains(option), "ci has no {option}"));
    let empty = INPUTS.map(|(name, value)| match name {
        "inputs.base" | "inputs.head" | "inputs.name" => (name, value),
        "inputs.repo" => (name, "."),
        _ => (name, ""),
    });
    assert_eq!(checked(&empty), ["humdrum ci --base c0ffee --head HEAD --repo . --out reads"]);
}

/// The key is what the program says; if it says nothing, the step fails, and nothing is cached under half a name.
fn key(script: &Script) {
    let runner = Runner::new();
    let outputs = ("GITHUB_OUTPUT".to_owned(), runner.shown("outputs"));
    let variables = [script.variables(&INPUTS), vec![action_path(), outputs]].concat();
    runner.stand_in("humdrum", "echo postgres-src-0123456789ab");
    well(script, &runner.run(script, &variables));
    let expected = "humdrum ci --base c0ffee --head HEAD --repo 'a b/db' --out humdrum-check --build-key --engine postgres \
                    --policy perf.toml";
    assert_eq!(runner.calls(), [expected]);
    assert_eq!(runner.read("outputs"), "key=postgres-src-0123456789ab\n");
    runner.stand_in("humdrum", "echo no revision >&2; exit 2");
    assert!(!runner.run(script, &variables).status.success());
    assert_eq!(runner.read("outputs"), "key=postgres-src-0123456789ab\n");
}

fn number(script: &Script) {
    let runner = Runner::new();
    std::fs::create_dir(runner.path("work/a b")).expect("made");
    let values = [("github.event.pull_request.number", "7"), ("steps.check.outputs.results", "a b")];
    well(script, &runner.run(script, &script.variables(&values)));
    assert_eq!(runner.read("work/a b/pull-request"), "7\n");
}

/// A stand-in for the forge that the comment is written to: it has no comment yet, and `sent` keeps what it is sent.
pub(super) fn forge(runner: &Runner) -> bool {
    let sent = runner.shown("sent");
    let answers = format!(
        "for one in \"$@\"; do case $one in\n*/pulls/7) echo '{{\"head\": {{\"sha\": \"c0ffee\"}}}}' ;;\n\
         *per_page=*) echo '[]' ;;\n@*/body) cat \"${{one#@}}\" >'{sent}' ;;\nesac; done"
    );
    runner.stand_in("curl", &answers);
    ["jq", "mktemp", "rm", "tr"].iter().all(|name| runner.real(name))
}

/// The calls of curl without what all of them have.
pub(super) fn asked(runner: &Runner) -> Vec<String> {
    let own = |call: String| {
        assert!(!call.contains("secret"), "a list of processes shows the token: {call}");
        call.split_once("Content-Type: application/json' ").map(|(_, own)| own.to_owned())
    };
    runner.calls().into_iter().filter_map(own).collect()
}

fn comment(script: &Script) {
    let runner = Runner::new();
    if !forge(&runner) {
        println!("skipped: needs jq");
        return;
    }
    symlink(root().join("action").canonicalize().expect("scripts"), runner.path("work/action"))
        .expect("linked");
    runner.write("work/check/humdrum-check/pull-request", "7\n");
    runner.write("work/check/humdrum-check/comment.md", "## This change passes\n");
    let commented = |head: &str| {
        let values = [
            ("github.token", "secret"),
            ("github.event.workflow_run.head_sha", head),
            ("github.event.workflow_run.name", "performance"),
        ];
        let api = [("GITHUB_API_URL", "https://forge.invalid"), ("GITHUB_REPOSITORY", "me/db")];
        let api = api.map(|(name, value)| (name.to_owned(), value.to_owned()));
        runner.run(script, &[script.variables(&values), api.to_vec()].concat())
    };
    well(script, &commented("c0ffee"));
    let calls = asked(&runner);
    let [pull, all, post] = &calls[..] else { panic!("{calls:?}") };
    assert_eq!(pull, "https://forge.invalid/repos/me/db/pulls/7");
    assert_eq!(all, "https://forge.invalid/repos/me/db/issues/7/comments?per_page=100&page=1");
    assert!(post.starts_with("--request POST --data @"), "{post}");
    assert!(
        runner
            .read("sent")
            .contains("## This change passes\\n\\n\\n<!-- humdrum: the check performance of this")
    );
    // The artifact is of a fork: its number does not count for another commit.
    let refused = commented("5ee");
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(asked(&runner).len(), 1);
}
