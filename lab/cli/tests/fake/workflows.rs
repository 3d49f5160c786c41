//! The files that a project copies for its checks, and the action: their keys, inputs and expressions, and every script in them run
//! beside programs that stand in for those of a runner.

mod bad;
mod check;
mod examples;
mod expression;
mod github;
mod gitlab;
mod runs;
mod scripts;
mod stand_ins;
mod steps;
mod yaml;

use std::process::Command;

use crate::common::text_of;
use runs::RUNS;
use scripts::scripts;
use yaml::{files, parsed};

#[test]
fn the_files_are_valid() {
    let values: Vec<(String, serde_json::Value)> = files()
        .into_iter()
        .map(|(name, text)| {
            let value = parsed(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, value)
        })
        .collect();
    let of = |name: &str| values.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let (mut wrong, inputs) = github::action(of("action.yml").expect("the action"));
    for (name, value) in values.iter().filter(|(name, _)| name != "action.yml") {
        let found = match name.as_str() {
            "gitlab.yml" => gitlab::pipeline(value),
            _ => [github::workflow(value, &inputs), github::marks(value)].concat(),
        };
        wrong.extend(found.iter().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(values.len(), 8, "{:?}", values.iter().map(|(name, _)| name).collect::<Vec<_>>());
}

#[test]
fn every_script_is_one_for_bash() {
    for script in scripts() {
        let output = Command::new("bash").args(["-n", "-c", &script.text]).output().expect("bash starts");
        assert!(output.status.success(), "{}: {}", script.named(), text_of(&output.stderr));
    }
    let broken =
        Command::new("bash").args(["-n", "-c", "for x in a; do echo $x"]).output().expect("bash starts");
    assert!(!broken.status.success());
}

#[test]
fn every_script_does_its_work_beside_stand_ins() {
    let mut all: Vec<String> = RUNS.iter().map(|(named, _)| (*named).to_owned()).collect();
    for script in scripts() {
        let named = script.named();
        let (_, run) =
            RUNS.iter().find(|(own, _)| *own == named).unwrap_or_else(|| panic!("no test runs {named}"));
        run(&script);
        all.retain(|own| *own != named);
    }
    assert!(all.is_empty(), "there is no script {all:?}");
}
