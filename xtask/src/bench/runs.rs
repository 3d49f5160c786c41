//! How runs of one comparison at different hours agree: of results that were extended, the ratios of each test by run, and the share
//! of runs that lie where the others say (leave-one-out coverage of "another run").

use std::path::Path;

use humdrum_analyse::{RunEstimate, coverage};
use humdrum_model::{Summary, TestResult};

use super::luck::sd;
use super::{median, read_json};

/// Prints a line for each test, and the coverage over all.
///
/// # Errors
/// If there is no summary.json, or its runs are too few.
pub fn main(folder: &str) -> Result<(), String> {
    let summary: Summary = read_json(&Path::new(folder).join("summary.json"))?;
    let tests: Vec<&TestResult> =
        summary.comparisons.iter().flat_map(|comparison| &comparison.tests).collect();
    let first = tests.first().ok_or("the summary has no tests")?;
    let begun: Vec<&str> = first.runs.iter().map(|run| run.started.as_str()).collect();
    println!("test\truns\tlowest\thighest\tsd between runs, %\thalf-width of a run, median, %");
    let mut all = Vec::new();
    for test in &tests {
        let runs = estimates(test);
        if let Some(line) = line(&runs) {
            println!("{}\t{}\t{line}", test.test, runs.len());
        }
        all.push(runs);
    }
    let held = coverage(&all).ok_or("leave-one-out coverage needs four runs or more")?;
    println!("# runs begun at {}", begun.join(", "));
    println!("# leave-one-out coverage of another run: {:.1} %", 100.0 * held);
    Ok(())
}

fn estimates(test: &TestResult) -> Vec<RunEstimate> {
    test.runs.iter().filter_map(|run| Some(RunEstimate::within(run.rqps?, run.ci95?))).collect()
}

/// `lowest, highest, sd, half-width`.
fn line(runs: &[RunEstimate]) -> Option<String> {
    let means: Vec<f64> = runs.iter().map(|run| run.mean).collect();
    let low = means.iter().copied().reduce(f64::min)?.exp();
    let high = means.iter().copied().reduce(f64::max)?.exp();
    let half = median(runs.iter().map(|run| 1.96 * run.standard_error).collect());
    Some(format!("{low:.3}\t{high:.3}\t{:.2}\t{:.2}", 100.0 * sd(&means), 100.0 * half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_spread_of_runs() {
        let runs = [0.98, 1.0, 1.02].map(|ratio| RunEstimate::within(ratio, [ratio * 0.99, ratio * 1.01]));
        assert_eq!(line(&runs).as_deref(), Some("0.980\t1.020\t2.00\t1.00"));
        assert_eq!(line(&[]), None);
    }
}
