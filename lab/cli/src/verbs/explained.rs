//! `humdrum explain` without measuring: why a test moved, from the record and from what was proven and profiled before.

use humdrum_explain::Experiments;
use humdrum_model::{Comparison, Explanation, Fault, Results, Summary, TestResult};
use humdrum_record::{ResultsFolder, Store};
use humdrum_report::printable;

use super::report::style;
use crate::args::ExplainOptions;
use crate::kept;
use crate::reader::Reader;

/// `humdrum explain RESULTS [TEST]`, where it only reads.
///
/// # Errors
/// Usage for a missing or foreign file, an unknown test or subject.
pub fn explain(reader: &Reader, options: &ExplainOptions) -> Result<u8, Fault> {
    let out = ResultsFolder::open(&options.results)?;
    let results = Store::open(&out.results_at(&options.results))?.read()?;
    let summary = humdrum_analyse::summarise(&results);
    let explanation = |(number, test): (usize, &TestResult)| {
        let carried = kept::proofs(&out, &results, number, &test.test);
        let apart = Experiments { carried, profiles: kept::profiles(&out, number, &test.test) };
        told(&results, &summary, number, test, apart, options)
    };
    let explanations: Vec<Explanation> = wanted(&summary, options)?.into_iter().map(explanation).collect();
    show(reader, &summary, &explanations, options);
    Ok(0)
}

/// Prints explanations as they were asked for.
pub fn show(reader: &Reader, summary: &Summary, explanations: &[Explanation], options: &ExplainOptions) {
    if options.json {
        anstream::print!("{}", humdrum_report::explanations_json(explanations, &summary.host));
        return;
    }
    if explanations.is_empty() {
        let names = printable(&names(summary));
        anstream::println!("nothing moved; name a test to see where its time goes: {names}");
    }
    for (number, one) in explanations.iter().enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        anstream::print!("{gap}{}", humdrum_report::explanation(one, style(reader)));
    }
    if !explanations.is_empty() {
        anstream::print!("{}", humdrum_report::host_lines(summary, style(reader)));
    }
}

/// The explanation of one test; hints name the results folder as the user typed it.
pub fn told(
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
///
/// # Errors
/// Usage: there is no such test or subject.
pub fn wanted<'s>(
    summary: &'s Summary,
    options: &ExplainOptions,
) -> Result<Vec<(usize, &'s TestResult)>, Fault> {
    if let Some(label) = &options.subject
        && !summary.comparisons.iter().any(|one| one.subject == *label)
    {
        let labels: Vec<&str> = summary.comparisons.iter().map(|one| one.subject.as_str()).collect();
        let what = format!("no subject `{label}` in these results");
        return Err(Fault::usage(what).hint(format!("subjects: {}", labels.join(", "))));
    }
    let ours = |one: &Comparison| options.subject.as_ref().is_none_or(|label| *label == one.subject);
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
