//! The scripts in the files: every `run:` of GitHub's, and every `script:` of GitLab's.

use serde_json::Value;

use super::check::inside;
use super::yaml::{files, parsed};

/// A script and where it stands.
pub(super) struct Script {
    file: String,
    /// The name of its step or job, or its place in the file.
    place: String,
    pub(super) text: String,
    /// The arguments with which a runner starts bash.
    pub(super) options: &'static [&'static str],
    /// Variables of its step, as they are written.
    env: Vec<(String, String)>,
}

impl Script {
    /// `action.yml: Install`.
    pub(super) fn named(&self) -> String {
        format!("{}: {}", self.file, self.place)
    }

    /// The variables of its step, with these values in the place of expressions.
    pub(super) fn variables(&self, values: &[(&str, &str)]) -> Vec<(String, String)> {
        let value = |(name, text): &(String, String)| {
            let Some(expression) = text.strip_prefix("${{").and_then(|text| text.strip_suffix("}}")) else {
                assert!(!text.contains("${{"), "{}: {name} is more than an expression", self.named());
                return (name.clone(), text.clone());
            };
            let known = values.iter().find(|(own, _)| *own == expression.trim());
            let (_, value) = known.unwrap_or_else(|| panic!("{}: no value of `{expression}`", self.named()));
            (name.clone(), (*value).to_owned())
        };
        self.env.iter().map(value).collect()
    }
}

/// All of them, in the order of files and steps.
pub(super) fn scripts() -> Vec<Script> {
    let mut found = Vec::new();
    for (file, text) in files() {
        let value = parsed(&text).expect("YAML");
        match file.as_str() {
            "action.yml" => of_steps(&file, "runs.steps", &value["runs"]["steps"], &mut found),
            "gitlab.yml" => of_gitlab(&file, &value, &mut found),
            _ => {
                for (job, own) in value["jobs"].as_object().expect("jobs") {
                    of_steps(&file, &format!("jobs.{job}.steps"), &own["steps"], &mut found);
                }
            }
        }
    }
    found
}

fn of_steps(file: &str, at: &str, steps: &Value, found: &mut Vec<Script>) {
    for (place, step) in steps.as_array().expect("steps").iter().enumerate() {
        let Some(text) = step["run"].as_str() else { continue };
        let place = step["name"].as_str().map_or_else(|| format!("{at}[{place}]"), str::to_owned);
        let options: &[&str] = match step["shell"].as_str() {
            Some("bash") => &["--noprofile", "--norc", "-eo", "pipefail"],
            None => &["-e"],
            other => panic!("{file}, {place}: how is {other:?} started?"),
        };
        let env = step["env"].as_object().into_iter().flatten();
        let env = env.map(|(name, value)| (name.clone(), text_of(value))).collect();
        found.push(Script { file: file.to_owned(), place, text: text.to_owned(), options, env });
    }
}

/// GitLab's runner joins the lines, and takes bash where an image has it.
fn of_gitlab(file: &str, value: &Value, found: &mut Vec<Script>) {
    for (job, own) in value.as_object().expect("jobs") {
        for key in ["before_script", "script", "after_script"] {
            let Some(lines) = own[key].as_array() else { continue };
            let lines: Vec<String> = lines.iter().map(text_of).collect();
            let place = if key == "script" { job.clone() } else { inside(job, key) };
            let options = &["-eo", "pipefail"];
            found.push(Script {
                file: file.to_owned(),
                place,
                text: lines.join("\n"),
                options,
                env: Vec::new(),
            });
        }
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
