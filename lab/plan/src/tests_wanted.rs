//! `--tests`: names, groups and `all`, resolved against the workload's tests.

use std::collections::BTreeSet;

use humdrum_contract::{Outcome, Workload};
use humdrum_model::{Fault, TestInfo};

use crate::quantity::parse_bytes;
use crate::request::{Request, SUITE_DEFAULT};
use crate::scale::{at_each, parse_scales};
use crate::suggest::did_you_mean;

/// The names of the tests that a request asks for, at each number of clients. `None` for a suite that is not among `workloads`.
///
/// # Errors
/// Usage: no such test, or a scale or a memory that is none.
pub fn test_names(request: &Request, workloads: &[Box<dyn Workload>]) -> Outcome<Option<Vec<String>>> {
    let suite = request.suite.as_deref().unwrap_or(SUITE_DEFAULT);
    let Some(workload) = workloads.iter().find(|workload| workload.name() == suite) else { return Ok(None) };
    let all = workload.tests(request.compat);
    let tests = tests_wanted(&request.tests, workload.tests_default(), all, suite)?;
    let memory = request.memory.as_deref().map(parse_bytes).transpose()?;
    let scales = parse_scales(request.scale_text()?.as_deref(), memory, &**workload)?;
    Ok(Some(at_each(tests, &scales.lists).into_iter().map(|test| test.name).collect()))
}

/// The tests that `wanted` names, each once, in the workload's order. If it names none, those of `default`.
pub(crate) fn tests_wanted(
    wanted: &[String],
    default: &str,
    known: Vec<TestInfo>,
    suite: &str,
) -> Outcome<Vec<TestInfo>> {
    let default = [default.to_owned()];
    let wanted = if wanted.is_empty() { &default } else { wanted };
    let mut chosen: BTreeSet<&str> = BTreeSet::new();
    for name in wanted.iter().flat_map(|list| list.split(',')).map(str::trim) {
        let before = chosen.len();
        chosen.extend(known.iter().filter(|test| name_means(name, test)).map(|test| test.name.as_str()));
        if chosen.len() == before && !known.iter().any(|test| name_means(name, test)) {
            return Err(unknown(name, &known, suite));
        }
    }
    let chosen: BTreeSet<String> = chosen.into_iter().map(str::to_owned).collect();
    Ok(known.into_iter().filter(|test| chosen.contains(&test.name)).collect())
}

fn name_means(name: &str, test: &TestInfo) -> bool {
    name == "all" || name == test.group || name == test.name || test.also.iter().any(|group| group == name)
}

fn unknown(name: &str, known: &[TestInfo], suite: &str) -> Fault {
    if name.is_empty() {
        return Fault::usage("--tests holds an empty name")
            .hint("type --tests hot-points,scan or --tests all");
    }
    let also = known.iter().flat_map(|test| &test.also);
    let groups: BTreeSet<&str> =
        known.iter().map(|test| &test.group).chain(also).map(String::as_str).collect();
    let names = groups.into_iter().chain(["all"]).chain(known.iter().map(|test| test.name.as_str()));
    Fault::usage(format!("suite {suite} has no test or group `{name}`")).hint(did_you_mean(name, names))
}
