//! The part of GitLab's schema of `.gitlab-ci.yml` that our file uses. What it does not use is refused, because nothing here has looked
//! at it.

use serde_json::Value;

use super::check::{Check, inside};
use super::github::is_variable;

/// Stages of a file that names none.
const STAGES: [&str; 5] = [".pre", "build", "test", "deploy", ".post"];
/// Names that are keys of the whole file and no jobs.
const OF_THE_FILE: [&str; 2] = ["stages", "variables"];
const WHEN: [&str; 5] = ["always", "manual", "never", "on_failure", "on_success"];
const UNITS: [&str; 10] = ["second", "minute", "hour", "day", "week", "month", "year", "mo", "h", "min"];

/// What is wrong with the file.
pub(super) fn pipeline(value: &Value) -> Vec<String> {
    let mut check = Check::default();
    let all = check.named("", value);
    let jobs: Vec<&str> =
        all.iter().map(|(name, _)| *name).filter(|name| !OF_THE_FILE.contains(name)).collect();
    let named = value.get("stages").map(|stages| check.texts("stages", stages));
    let stages = named.map_or_else(|| STAGES.to_vec(), |own| [&[".pre"][..], &own, &[".post"]].concat());
    variables(&mut check, "variables", value.get("variables"));
    for (name, one) in all.iter().filter(|(name, _)| jobs.contains(name)) {
        job(&mut check, name, one, &jobs, &stages);
    }
    if jobs.is_empty() {
        check.refuse("", "has no job");
    }
    check.found
}

fn job(check: &mut Check, at: &str, value: &Value, jobs: &[&str], stages: &[&str]) {
    let known = [
        "stage",
        "image",
        "rules",
        "variables",
        "cache",
        "needs",
        "timeout",
        "before_script",
        "script!",
        "after_script",
        "artifacts",
        "allow_failure",
    ];
    for (key, own) in check.map(at, value, &known) {
        let place = inside(at, key);
        match key {
            "stage" => check.word(&place, own, stages),
            "image" => drop(check.text(&place, own)),
            "script" | "before_script" | "after_script" => drop(check.texts(&place, own)),
            "timeout" => duration(check, &place, own),
            "allow_failure" => check.truth(&place, own),
            "variables" => variables(check, &place, Some(own)),
            "rules" => check.list(&place, own).iter().for_each(|(at, one)| rule(check, at, one)),
            "needs" => {
                for unknown in
                    check.texts(&place, own).iter().filter(|name| !jobs.contains(name) || **name == at)
                {
                    check.refuse(&place, format!("there is no other job `{unknown}`"));
                }
            }
            "cache" => cache(check, &place, own),
            "artifacts" => artifacts(check, &place, own),
            _ => {}
        }
    }
}

fn cache(check: &mut Check, at: &str, value: &Value) {
    for (key, own) in check.map(at, value, &["key", "paths!", "policy", "when", "fallback_keys"]) {
        let place = inside(at, key);
        match key {
            "key" => drop(check.text(&place, own)),
            "policy" => check.word(&place, own, &["pull", "pull-push", "push"]),
            "when" => check.word(&place, own, &["always", "on_failure", "on_success"]),
            _ => drop(check.texts(&place, own)),
        }
    }
}

fn artifacts(check: &mut Check, at: &str, value: &Value) {
    for (key, own) in check.map(at, value, &["name", "paths!", "exclude", "when", "expire_in", "expose_as"]) {
        let place = inside(at, key);
        match key {
            "when" => check.word(&place, own, &["always", "on_failure", "on_success"]),
            "expire_in" => duration(check, &place, own),
            "paths" | "exclude" => drop(check.texts(&place, own)),
            _ => drop(check.text(&place, own)),
        }
    }
}

fn rule(check: &mut Check, at: &str, value: &Value) {
    for (key, own) in check.map(at, value, &["if", "when", "allow_failure", "changes", "variables"]) {
        let place = inside(at, key);
        match key {
            "if" => {
                if let Some(text) = check.text(&place, own).filter(|text| !is_condition(text)) {
                    check.refuse(&place, format!("`{text}` is no condition"));
                }
            }
            "when" => check.word(&place, own, &WHEN),
            "allow_failure" => check.truth(&place, own),
            "variables" => variables(check, &place, Some(own)),
            _ => drop(check.texts(&place, own)),
        }
    }
}

fn variables(check: &mut Check, at: &str, value: Option<&Value>) {
    let Some(value) = value else { return };
    for (name, one) in check.named(at, value) {
        if !is_variable(name) {
            check.refuse(at, format!("`{name}` is no name for a variable"));
        }
        check.scalar(&inside(at, name), one);
    }
}

/// `90 minutes`, `1 hour 30 minutes`, `4 weeks`.
fn duration(check: &mut Check, at: &str, value: &Value) {
    let text = value.as_str().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let pair = |pair: &[&str]| {
        let [number, unit] = pair else { return false };
        let unit = unit.strip_suffix('s').unwrap_or(unit);
        number.parse::<u32>().is_ok_and(|number| number > 0) && UNITS.contains(&unit)
    };
    if words.is_empty() || !words.chunks(2).all(pair) {
        check.refuse(at, format!("`{value}` is no duration, such as \"90 minutes\""));
    }
}

/// Variables, texts, patterns and `null`, compared and joined: `$A == "b" && ($C || $D =~ /^e/)`.
fn is_condition(text: &str) -> bool {
    let mut rest = text.trim();
    terms(&mut rest) && rest.is_empty()
}

fn terms(rest: &mut &str) -> bool {
    term(rest) && (!["&&", "||"].iter().any(|sign| take(rest, sign)) || terms(rest))
}

fn term(rest: &mut &str) -> bool {
    if take(rest, "(") {
        return terms(rest) && take(rest, ")");
    }
    if !value(rest) {
        return false;
    }
    match ["=~", "!~"].iter().any(|sign| take(rest, sign)) {
        true => quoted(rest, '/') || value(rest),
        false => !["==", "!="].iter().any(|sign| take(rest, sign)) || value(rest),
    }
}

fn value(rest: &mut &str) -> bool {
    if let Some(after) = rest.strip_prefix('$') {
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        *rest = after[end..].trim_start();
        return is_variable(&after[..end]);
    }
    take(rest, "null") || quoted(rest, '"') || quoted(rest, '\'')
}

fn quoted(rest: &mut &str, sign: char) -> bool {
    let found = rest.strip_prefix(sign).and_then(|after| after.split_once(sign));
    *rest = found.map_or(*rest, |(_, after)| after.trim_start());
    found.is_some()
}

fn take(rest: &mut &str, sign: &str) -> bool {
    let after = rest.strip_prefix(sign);
    *rest = after.map_or(*rest, str::trim_start);
    after.is_some()
}

#[test]
fn conditions_are_read_or_refused() {
    for good in [
        "$CI_PIPELINE_SOURCE == \"merge_request_event\" && $HUMDRUM_TOKEN",
        "($A || $B != null) && $C =~ /^v[0-9]/",
        "$A == 'b'",
    ] {
        assert!(is_condition(good), "{good}");
    }
    for bad in ["", "CI == \"a\"", "$A = \"b\"", "$A == \"b", "$A &&", "($A", "$A $B", "$A == b", "$1"] {
        assert!(!is_condition(bad), "{bad}");
    }
}
