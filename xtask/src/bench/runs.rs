//! How runs of one comparison at different hours agree: of results that were extended, the ratios of each test by run, and the share
//! of runs that lie where the others say (leave-one-out coverage of "another run"). With the results of another comparison, whose
//! runs are all of one build, how much of the scatter is the luck of a build.

use std::path::Path;

use humdrum_analyse::{RunEstimate, coverage};
use humdrum_model::{Summary, TestResult};

use super::luck::sd;
use super::{median, read_json, verbs};

/// Prints how the runs of one result scatter, or those of two.
///
/// # Errors
/// If there is no summary.json, or it has too few runs.
pub fn main(args: &[&str]) -> Result<(), String> {
    match args {
        [results] => at_other_hours(results),
        [of_many, of_one] => builds(of_many, of_one),
        _ => Err(verbs::wanted("runs")),
    }
}

/// Prints a line for each test, and the coverage over all.
fn at_other_hours(folder: &str) -> Result<(), String> {
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

/// Prints a line for each test that both results have: how runs scatter where each has builds of its own, where all have the
/// same, and what is left for the build. Subjects are of one source, so that two builds lie in each ratio.
fn builds(of_many: &str, of_one: &str) -> Result<(), String> {
    let read = |folder: &str| -> Result<Vec<(String, Vec<RunEstimate>)>, String> {
        let summary: Summary = read_json(&Path::new(folder).join("summary.json"))?;
        let tests = summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
        Ok(tests.map(|test| (test.test.clone(), estimates(test))).collect())
    };
    let (many, one) = (read(of_many)?, read(of_one)?);
    println!(
        "test\truns\truns of one build\tsd between builds, %\tsd with one build, %\tsd of one build's luck, %"
    );
    let (mut lucks, mut with, mut without) = (Vec::new(), 0.0, 0.0);
    for (test, runs) in &many {
        let Some((_, control)) = one.iter().find(|(name, _)| name == test) else { continue };
        if runs.len() < 2 || control.len() < 2 {
            continue;
        }
        let [a, b] = [runs, control].map(|runs| sd(&runs.iter().map(|run| run.mean).collect::<Vec<_>>()));
        let luck = luck_of_a_build(a, b);
        println!(
            "{test}\t{}\t{}\t{:.2}\t{:.2}\t{:.2}",
            runs.len(),
            control.len(),
            100.0 * a,
            100.0 * b,
            100.0 * luck
        );
        lucks.push(luck);
        with += a * a;
        without += b * b;
    }
    if lucks.is_empty() {
        return Err(format!("{of_many} and {of_one} have no test with several runs in both"));
    }
    let (tests, share) = (lucks.len() as f64, (1.0 - without / with).max(0.0));
    let all = luck_of_a_build((with / tests).sqrt(), (without / tests).sqrt());
    println!(
        "# share of the builds in the variance between runs, over {tests} tests: {:.0} %",
        100.0 * share
    );
    println!(
        "# sd of one build's luck: {:.2} % over all tests, median {:.2} %",
        100.0 * all,
        100.0 * median(lucks)
    );
    Ok(())
}

/// Of the scatter of a ratio with and without other builds: what one build adds to one subject.
fn luck_of_a_build(with: f64, without: f64) -> f64 {
    ((with * with - without * without).max(0.0) / 2.0).sqrt()
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
    fn a_ratio_has_the_luck_of_two_builds() {
        assert!((luck_of_a_build(0.013, 0.005) - 0.012 / 2_f64.sqrt()).abs() < 1e-12);
        assert_eq!(luck_of_a_build(0.004, 0.005), 0.0);
    }

    #[test]
    fn a_line_has_the_spread_of_runs() {
        let runs = [0.98, 1.0, 1.02].map(|ratio| RunEstimate::within(ratio, [ratio * 0.99, ratio * 1.01]));
        assert_eq!(line(&runs).as_deref(), Some("0.980\t1.020\t2.00\t1.00"));
        assert_eq!(line(&[]), None);
    }
}
