//! The part of GitHub's schemas of actions and workflows that our files use. What they do not use is refused, because nothing here has
//! looked at it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::{Check, inside, texts_in};
use super::steps::{Scope, expressions, steps};

/// Scopes of a token.
const PERMISSIONS: [&str; 8] =
    ["actions", "checks", "contents", "deployments", "issues", "packages", "pull-requests", "statuses"];

/// Events, and the keys that each may have.
const EVENTS: [(&str, &[&str]); 5] = [
    ("pull_request", &["types", "branches", "branches-ignore", "paths", "paths-ignore"]),
    ("push", &["branches", "branches-ignore", "tags", "tags-ignore", "paths", "paths-ignore"]),
    ("schedule", &[]),
    ("workflow_dispatch", &[]),
    ("workflow_run", &["workflows!", "types", "branches", "branches-ignore"]),
];

/// The inputs of an action; those that have to be given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inputs {
    pub(super) all: BTreeSet<String>,
    pub(super) needed: BTreeSet<String>,
}

/// What is wrong with a composite action, and its inputs.
pub(super) fn action(value: &Value) -> (Vec<String>, Inputs) {
    let mut check = Check::default();
    check.map("", value, &["name!", "description!", "author", "inputs", "outputs", "runs!"]);
    for key in ["name", "description"] {
        check.text(key, &value[key]);
    }
    let inputs = inputs(&mut check, &value["inputs"]);
    let runs = &value["runs"];
    check.map("runs", runs, &["using!", "steps!"]);
    check.word("runs.using", &runs["using"], &["composite"]);
    let mut scope = Scope::of_action(&inputs);
    steps(&mut check, "runs.steps", &runs["steps"], &mut scope, None);
    if !value["outputs"].is_null() {
        for (name, output) in check.named("outputs", &value["outputs"]) {
            let at = inside("outputs", name);
            check.map(&at, output, &["description!", "value!"]);
            expressions(&mut check, &at, output, &scope);
        }
    }
    (check.found, inputs)
}

fn inputs(check: &mut Check, value: &Value) -> Inputs {
    let mut inputs = Inputs::default();
    if value.is_null() {
        return inputs;
    }
    for (name, input) in check.named("inputs", value) {
        let at = inside("inputs", name);
        check.map(&at, input, &["description!", "required", "default", "deprecationMessage"]);
        if let Some(required) = input.get("required") {
            check.truth(&inside(&at, "required"), required);
            if required == true && input.get("default").is_none() {
                inputs.needed.insert(name.to_owned());
            }
        }
        if let Some(default) = input.get("default") {
            check.scalar(&inside(&at, "default"), default);
        }
        // A default is evaluated before the action runs: of contexts it has the event alone.
        expressions(check, &at, input, &Scope::of_defaults());
        inputs.all.insert(name.to_owned());
    }
    inputs
}

/// What is wrong with a workflow. `own` has the inputs of the action in this repository.
pub(super) fn workflow(value: &Value, own: &Inputs) -> Vec<String> {
    let mut check = Check::default();
    let known = ["name", "on!", "permissions", "env", "concurrency", "jobs!"];
    check.map("", value, &known);
    events(&mut check, &value["on"]);
    permissions(&mut check, "permissions", value.get("permissions"));
    concurrency(&mut check, value.get("concurrency"));
    variables(&mut check, "env", value.get("env"));
    let jobs = check.named("jobs", &value["jobs"]);
    let names: Vec<&str> = jobs.iter().map(|(name, _)| *name).collect();
    for (name, one) in jobs {
        job(&mut check, &inside("jobs", name), one, &names, own);
    }
    check.found
}

fn job(check: &mut Check, at: &str, value: &Value, jobs: &[&str], own: &Inputs) {
    let known =
        ["name", "needs", "if", "runs-on!", "permissions", "env", "timeout-minutes", "concurrency", "steps!"];
    check.map(at, value, &known);
    check.text(&inside(at, "runs-on"), &value["runs-on"]);
    permissions(check, &inside(at, "permissions"), value.get("permissions"));
    concurrency(check, value.get("concurrency"));
    variables(check, &inside(at, "env"), value.get("env"));
    if let Some(minutes) = value.get("timeout-minutes") {
        check.minutes(&inside(at, "timeout-minutes"), minutes);
    }
    let mut needed = Vec::new();
    if let Some(needs) = value.get("needs") {
        let at = inside(at, "needs");
        needed = check.texts(&at, needs);
        for unknown in needed.iter().filter(|name| !jobs.contains(name)) {
            check.refuse(&at, format!("there is no job `{unknown}`"));
        }
    }
    let mut scope = Scope::of_job(&needed);
    for key in ["name", "if", "env"] {
        if let Some(own) = value.get(key) {
            expressions(check, &inside(at, key), own, &scope);
        }
    }
    steps(check, &inside(at, "steps"), &value["steps"], &mut scope, Some(own));
}

/// `push`, `[push, pull_request]`, or a map with the keys of each event.
fn events(check: &mut Check, value: &Value) {
    if !value.is_object() {
        for name in check.texts("on", value) {
            if !EVENTS.iter().any(|(known, _)| *known == name) {
                check.refuse("on", format!("unknown event `{name}`"));
            }
        }
        return;
    }
    for (name, event) in check.named("on", value) {
        let at = inside("on", name);
        let Some((_, keys)) = EVENTS.iter().find(|(known, _)| *known == name) else {
            check.refuse("on", format!("unknown event `{name}`"));
            continue;
        };
        if event.is_null() && !keys.iter().any(|key| key.ends_with('!')) {
            continue;
        }
        for (key, list) in check.map(&at, event, keys) {
            check.texts(&inside(&at, key), list);
        }
        for unlike in ["branches", "paths", "tags"] {
            if event.get(unlike).is_some() && event.get(format!("{unlike}-ignore")).is_some() {
                check.refuse(&at, format!("`{unlike}` and `{unlike}-ignore` exclude each other"));
            }
        }
    }
}

fn permissions(check: &mut Check, at: &str, value: Option<&Value>) {
    match value {
        None => {}
        Some(word @ Value::String(_)) => check.word(at, word, &["read-all", "write-all"]),
        Some(value) => {
            for (scope, level) in check.map(at, value, &PERMISSIONS) {
                check.word(&inside(at, scope), level, &["read", "write", "none"]);
            }
        }
    }
}

fn concurrency(check: &mut Check, value: Option<&Value>) {
    match value {
        None | Some(Value::String(_)) => {}
        Some(value) => {
            check.map("concurrency", value, &["group!", "cancel-in-progress"]);
        }
    }
}

/// Variables of a workflow, a job or a step.
pub(super) fn variables(check: &mut Check, at: &str, value: Option<&Value>) {
    let Some(value) = value else { return };
    for (name, one) in check.named(at, value) {
        if name.starts_with("GITHUB_") && name != "GITHUB_TOKEN" || !is_variable(name) {
            check.refuse(at, format!("`{name}` is no name for a variable of one's own"));
        }
        check.scalar(&inside(at, name), one);
    }
}

/// What a shell takes for the name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty() && name.chars().all(plain)
}

/// Marks that a copy of the file has to fill in are nowhere but in what an action is taken from.
pub(super) fn marks(value: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    texts_in("", value, &mut texts);
    texts.retain(|(at, text)| {
        text.contains("YOUR-COPY") && !at.ends_with("uses") && !at.ends_with("repository")
    });
    texts.into_iter().map(|(at, text)| format!("{at}: `{text}`")).collect()
}
