//! The steps of a job or of a composite action, and what expressions in them may refer to.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::{Check, inside, texts_in};
use super::expression::{Name, names_in, names_of};
use super::github::{Inputs, variables};

/// Functions of expressions.
const FUNCTIONS: [&str; 12] = [
    "always()",
    "cancelled()",
    "contains()",
    "endsWith()",
    "failure()",
    "format()",
    "fromJSON()",
    "hashFiles()",
    "join()",
    "startsWith()",
    "success()",
    "toJSON()",
];

/// Fields of contexts that are the same everywhere, apart from what is below `github.event`.
const GITHUB: [&str; 16] = [
    "action_path",
    "action_ref",
    "action_repository",
    "actor",
    "base_ref",
    "event",
    "event_name",
    "head_ref",
    "job",
    "ref",
    "ref_name",
    "repository",
    "run_id",
    "sha",
    "token",
    "workspace",
];
const RUNNER: [&str; 6] = ["arch", "debug", "name", "os", "temp", "tool_cache"];

/// Inputs of actions that others publish, as far as our files use these actions.
const OTHERS: [(&str, &[&str]); 4] = [
    (
        "actions/cache@v4",
        &["path", "key", "restore-keys", "enableCrossOsArchive", "fail-on-cache-miss", "lookup-only"],
    ),
    (
        "actions/checkout@v4",
        &[
            "repository",
            "ref",
            "token",
            "path",
            "clean",
            "fetch-depth",
            "fetch-tags",
            "lfs",
            "submodules",
            "persist-credentials",
        ],
    ),
    (
        "actions/download-artifact@v4",
        &["name", "path", "pattern", "merge-multiple", "github-token", "repository", "run-id"],
    ),
    (
        "actions/upload-artifact@v4",
        &[
            "name",
            "path",
            "if-no-files-found",
            "retention-days",
            "compression-level",
            "overwrite",
            "include-hidden-files",
        ],
    ),
];

/// The action of this repository, in a workflow that a project copies.
const OWN: &str = "YOUR-COPY/humdrum@main";

/// What an expression at some place may name.
pub(super) struct Scope {
    contexts: Vec<&'static str>,
    inputs: BTreeSet<String>,
    needs: BTreeSet<String>,
    /// Ids of the steps before.
    steps: BTreeSet<String>,
    is_action: bool,
}

impl Scope {
    fn of(contexts: &[&'static str], is_action: bool) -> Self {
        let (inputs, needs, steps) = Default::default();
        Self { contexts: contexts.to_vec(), inputs, needs, steps, is_action }
    }

    /// Of a composite action, which is given no secrets.
    pub(super) fn of_action(inputs: &Inputs) -> Self {
        let contexts = ["env", "github", "inputs", "job", "runner", "steps"];
        Self { inputs: inputs.all.clone(), ..Self::of(&contexts, true) }
    }

    /// Of the defaults of inputs.
    pub(super) fn of_defaults() -> Self {
        Self::of(&["github"], true)
    }

    pub(super) fn of_job(needs: &[&str]) -> Self {
        let contexts = ["env", "github", "job", "needs", "runner", "secrets", "steps", "vars"];
        let needs = needs.iter().map(|name| (*name).to_owned()).collect();
        Self { needs, ..Self::of(&contexts, false) }
    }

    /// What is wrong with a name.
    fn refused(&self, name: &Name) -> Option<String> {
        let path = name.join(".");
        let field = |place: usize| name.get(place).map_or("", String::as_str);
        if path.ends_with("()") {
            return (!FUNCTIONS.contains(&&*path)).then(|| format!("unknown function `{path}`"));
        }
        if !self.contexts.contains(&field(0)) {
            return Some(format!("`{path}`: no such context here (known: {})", self.contexts.join(", ")));
        }
        let known = match field(0) {
            "github" => GITHUB.contains(&field(1)),
            "runner" => RUNNER.contains(&field(1)),
            "inputs" => self.inputs.contains(field(1)),
            "needs" => self.needs.contains(field(1)),
            "steps" => {
                self.steps.contains(field(1)) && matches!(field(2), "outputs" | "outcome" | "conclusion")
            }
            _ => name.len() > 1,
        };
        (!known).then(|| match field(0) {
            "inputs" => format!("`{path}` is no input that is declared"),
            "steps" => format!("`{path}`: no step before has this id, or it has no such field"),
            _ => format!("`{path}` is unknown"),
        })
    }
}

/// Checks all expressions of a value; those of `if` need no signs.
pub(super) fn expressions(check: &mut Check, at: &str, value: &Value, scope: &Scope) {
    let mut texts = Vec::new();
    texts_in(at, value, &mut texts);
    for (at, text) in texts {
        let bare = at.ends_with(".if") && !text.contains("${{");
        let names = if bare { names_of(text) } else { names_in(text) };
        match names {
            Err(error) => check.refuse(&at, error),
            Ok(names) => {
                names.iter().filter_map(|name| scope.refused(name)).for_each(|what| check.refuse(&at, what))
            }
        }
    }
}

/// Checks steps in their order. `own` has the inputs of the action of this repository, where it may be used.
pub(super) fn steps(check: &mut Check, at: &str, value: &Value, scope: &mut Scope, own: Option<&Inputs>) {
    for (at, one) in check.list(at, value) {
        step(check, &at, one, scope, own);
        let Some(id) = one.get("id") else { continue };
        let id = id.as_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if !id.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || !id.chars().all(plain) {
            check.refuse(&at, format!("`{id}` is no id"));
        }
        if !scope.steps.insert(id.to_owned()) {
            check.refuse(&at, format!("two steps have the id `{id}`"));
        }
    }
}

fn step(check: &mut Check, at: &str, value: &Value, scope: &Scope, own: Option<&Inputs>) {
    let mut known = vec![
        "name",
        "id",
        "if",
        "uses",
        "with",
        "run",
        "shell",
        "env",
        "working-directory",
        "continue-on-error",
    ];
    if !scope.is_action {
        known.push("timeout-minutes");
    }
    check.map(at, value, &known);
    variables(check, &inside(at, "env"), value.get("env"));
    expressions(check, at, value, scope);
    let has = |key: &str| value.get(key).is_some();
    match (has("run"), has("uses")) {
        (true, true) => check.refuse(at, "has both `run` and `uses`"),
        (false, false) => check.refuse(at, "has neither `run` nor `uses`"),
        (true, false) => run(check, at, value, scope),
        (false, true) => {
            for key in ["shell", "working-directory"].into_iter().filter(|key| has(key)) {
                check.refuse(at, format!("`{key}` belongs to `run`"));
            }
            uses(check, at, value, own);
        }
    }
}

fn run(check: &mut Check, at: &str, value: &Value, scope: &Scope) {
    if value.get("with").is_some() {
        check.refuse(at, "`with` belongs to `uses`");
    }
    match value.get("shell") {
        Some(shell) => check.word(&inside(at, "shell"), shell, &["bash", "sh"]),
        None if scope.is_action => check.refuse(at, "a script of an action needs `shell`"),
        None => {}
    }
    let text = check.text(&inside(at, "run"), &value["run"]).unwrap_or_default();
    if text.contains("${{") {
        check.refuse(at, "an expression in a script is read as code: give it by `env`");
    }
}

fn uses(check: &mut Check, at: &str, value: &Value, own: Option<&Inputs>) {
    let Some(named) = check.text(&inside(at, "uses"), &value["uses"]) else { return };
    let given: Vec<(&str, &Value)> =
        value.get("with").map_or_else(Vec::new, |with| check.named(&inside(at, "with"), with));
    given.iter().for_each(|(name, one)| check.scalar(&inside(at, &format!("with.{name}")), one));
    let names: BTreeSet<String> = given.iter().map(|(name, _)| (*name).to_owned()).collect();
    let inputs = match (own, OTHERS.iter().find(|(action, _)| *action == named)) {
        (Some(own), _) if named == OWN => own.clone(),
        (_, Some((_, inputs))) => {
            Inputs { all: inputs.iter().map(|name| (*name).to_owned()).collect(), ..Inputs::default() }
        }
        _ => return check.refuse(at, format!("`{named}` is an action whose inputs are not known here")),
    };
    for unknown in names.difference(&inputs.all) {
        check.refuse(at, format!("{named} has no input `{unknown}`"));
    }
    for missing in inputs.needed.difference(&names) {
        check.refuse(at, format!("{named} needs the input `{missing}`"));
    }
}
