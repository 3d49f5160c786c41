//! `humdrum explain`: why a test moved, from the record. With `--examine`, it runs tests that were not examined after their
//! run. With `--prove`, it measures the share of single
//! settings in fresh blocks. With `--profile`, it samples fresh servers with `perf` and a debugger, and shows
//! the functions that take the time and the waits.

mod examine;
mod profile;
mod prove;

use humdrum_explain::Experiments;
use humdrum_model::{Explanation, Fault, Results, Summary, TestResult};
use humdrum_record::{ResultsFolder, Store};
use humdrum_report::printable;

pub use profile::profile;

use super::report::style;
use crate::args::ExplainOptions;
use crate::kept;
use crate::lab::Lab;

/// `humdrum explain RESULTS [TEST]`.
///
/// # Errors
/// Usage for a missing or foreign file, an unknown test or subject; as `compare` where it measures.
pub fn explain(lab: &mut Lab, options: &ExplainOptions) -> Result<u8, Fault> {
    let out = ResultsFolder::open(&options.results)?;
    let mut store = Store::open(&out.results_at(&options.results))?;
    let mut results = store.read()?;
    let mut summary = humdrum_analyse::summarise(&results);
    if options.examine || options.prove || options.profile {
        super::import::refuse(&results, "explain")?;
        lab.adopt_kept(&results.plan, &out)?;
    }
    if options.examine {
        let asked: Vec<(String, usize)> =
            wanted(&summary, options)?.iter().map(|(number, test)| (test.test.clone(), number + 1)).collect();
        examine::examine(lab, options, &out, (&mut store, &results), &asked)?;
        results = store.read()?;
        summary = humdrum_analyse::summarise(&results);
    }
    let wanted = wanted(&summary, options)?;
    let mut explanations = Vec::new();
    for (number, test) in wanted {
        let carried = if options.prove {
            prove::prove(lab, options, &out, &results, number, test)?
        } else {
            kept::proofs(&out, &results, number, &test.test)
        };
        let profiles = if options.profile {
            profile(lab, options.allow_external, &out, &results, (number, test))?
        } else {
            kept::profiles(&out, number, &test.test)
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

/// The explanation of one test; hints name the results folder as the user typed it.
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

/// The test that the user named, on all subjects or on the named one; without a name, all tests that moved.
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
