//! `humdrum explain`: why a test moved, from what is on record; with `--prove`, what single settings carry of it, from
//! fresh blocks; with `--profile`, in which functions its time goes and where it waits, from fresh servers under `perf` and a
//! debugger.

mod profile;
mod prove;

use std::path::PathBuf;

use humdrum_explain::Experiments;
use humdrum_model::{Explanation, Fault, Mode, Results, Subject, Summary, TestResult};
use humdrum_plan::Request;
use humdrum_record::Store;
use humdrum_report::printable;

use super::report::style;
use crate::args::ExplainOptions;
use crate::files::Out;
use crate::lab::Lab;

/// `humdrum explain RESULTS [TEST]`.
///
/// # Errors
/// Usage for a missing or foreign file, an unknown test or subject; as `compare` where it measures.
pub fn explain(lab: &Lab, options: &ExplainOptions) -> Result<u8, Fault> {
    let out = Out::open(&options.results)?;
    let results = Store::open(&out.results_at(&options.results))?.read()?;
    let summary = humdrum_analyse::summarise(&results);
    let wanted = wanted(&summary, options)?;
    let mut explanations = Vec::new();
    for (number, test) in wanted {
        let carried = if options.prove {
            prove::prove(lab, options, &out, &results, number, test)?
        } else {
            prove::earlier(&out, &results, number, &test.test)
        };
        let profiles = if options.profile {
            profile::profile(lab, options, &out, &results, number, test)?
        } else {
            profile::earlier(&out, number, &test.test)
        };
        let apart = Experiments { carried, profiles };
        explanations.push(told(&results, &summary, number, test, apart, options));
    }
    if options.json {
        anstream::print!("{}", humdrum_report::explanations_json(&explanations, &summary.host));
        return Ok(0);
    }
    if explanations.is_empty() {
        let names = printable(&names(&summary));
        anstream::println!("nothing moved; name a test to see where its time goes: {names}");
    }
    for (number, one) in explanations.iter().enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        anstream::print!("{gap}{}", humdrum_report::explanation(one, style(lab)));
    }
    if !explanations.is_empty() {
        anstream::print!("{}", humdrum_report::host_lines(&summary, style(lab)));
    }
    Ok(0)
}

/// Hints name the results as the user did.
fn told(
    results: &Results,
    summary: &Summary,
    number: usize,
    test: &TestResult,
    apart: Experiments,
    options: &ExplainOptions,
) -> Explanation {
    let mut one = humdrum_explain::explain(results, summary, number, test, apart);
    let path = options.results.display().to_string();
    one.remarks.iter_mut().for_each(|line| *line = line.replace("RESULTS", &path));
    one
}

/// The test that was named, on all subjects or the one that was named; without one, those that moved.
fn wanted<'s>(summary: &'s Summary, options: &ExplainOptions) -> Result<Vec<(usize, &'s TestResult)>, Fault> {
    if let Some(label) = &options.subject
        && !summary.comparisons.iter().any(|one| one.subject == *label)
    {
        let labels: Vec<&str> = summary.comparisons.iter().map(|one| one.subject.as_str()).collect();
        let what = format!("no subject `{label}` in these results");
        return Err(Fault::usage(what).hint(format!("subjects: {}", labels.join(", "))));
    }
    let ours =
        |one: &humdrum_model::Comparison| options.subject.as_ref().is_none_or(|label| *label == one.subject);
    let comparisons = summary.comparisons.iter().enumerate().filter(|(_, one)| ours(one));
    let all = comparisons.flat_map(|(number, one)| one.tests.iter().map(move |test| (number, test)));
    let Some(name) = &options.test else {
        return Ok(all.filter(|(_, test)| humdrum_explain::moved(test)).collect());
    };
    let found: Vec<_> = all.filter(|(_, test)| test.test == *name).collect();
    if found.is_empty() {
        let what = format!("no test `{name}` in these results");
        return Err(Fault::usage(what).hint(format!("tests: {}", names(summary))));
    }
    Ok(found)
}

fn names(summary: &Summary) -> String {
    let tests = summary.comparisons.first().map(|one| one.tests.as_slice()).unwrap_or_default();
    tests.iter().map(|test| test.test.as_str()).collect::<Vec<_>>().join(", ")
}

/// Explanations of what moved, with what was proven and sampled of it before, for reports.
pub fn of_moved(out: &Out, results: &Results, summary: &Summary) -> Vec<Explanation> {
    let comparisons = summary.comparisons.iter().enumerate();
    let tests = comparisons.flat_map(|(number, one)| one.tests.iter().map(move |test| (number, test)));
    tests
        .filter(|(_, test)| humdrum_explain::moved(test))
        .map(|(number, test)| {
            let carried = prove::earlier(out, results, number, &test.test);
            let profiles = profile::earlier(out, number, &test.test);
            humdrum_explain::explain(results, summary, number, test, Experiments { carried, profiles })
        })
        .collect()
}

/// Where what is measured apart of one test is kept, beneath the results.
fn folder(out: &Out, what: &str, number: usize, test: &str) -> PathBuf {
    let subject = if number == 0 { String::new() } else { format!("-{}", number + 1) };
    out.folder.join(what).join(format!("{}{subject}", plain(test)))
}

/// A name that is a folder's.
fn plain(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric() && !"-_=".contains(c), "_")
}

/// One test of the run again, on these subjects, in a folder of its own: the same work in the same way. How long it takes
/// and how many sessions that buys is the caller's to say.
fn again(results: &Results, test: &TestResult, subjects: Vec<String>, folder: PathBuf) -> Request {
    let plan = &results.plan;
    let design = &plan.design;
    let writes = writes(results, test);
    // Slices of whole steps follow from the steps.
    let slice_ms = if writes { design.slice_ms_writes } else { design.slice_ms };
    // Fresh data that the run had for the sake of tests that are not run again is no part of this one's work.
    let for_others = design.reload && !writes && plan.tests.iter().any(|one| one.writes);
    Request {
        suite: Some(plan.suite.clone()),
        tests: vec![test.test.clone()],
        subjects,
        scale: Some(plan.scale.to_string()),
        mode: Some(plan.mode.word().to_owned()),
        slice_ms: (plan.mode == Mode::Interleaved).then_some(slice_ms),
        restart: Some(design.restart),
        reload: (!for_others).then_some(design.reload),
        timeout: Some(format!("{}s", design.timeout_seconds)),
        seed: Some(plan.seed),
        out: Some(folder),
        compat: plan.compat,
        ..Request::default()
    }
}

/// Whether a test changes data, as the run's plan has it.
fn writes(results: &Results, test: &TestResult) -> bool {
    results.plan.tests.iter().any(|one| one.name == test.test && one.writes)
}

fn labelled(label: &str, subject: &Subject) -> String {
    format!("{label}={subject}")
}
