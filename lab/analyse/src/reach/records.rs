//! The shipped table of the variance between runs, computed from the records of one comparison at many hours.
//!
//! ```text
//! cargo test -p humdrum-analyse --lib -- --ignored between_runs_table
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Forecast, LEVEL, RunEstimate, coverage, known, paule_mandel};
use crate::dist::t_critical;
use crate::recorded::{Recorded, read, records};
use crate::robust::{mean, quantile};

/// Twelve runs of Postgres 16.11 against 17.7, twenty minutes each, over two days.
const RECORDS: [&str; 2] = ["2026-11-21-epyc-vm-2-cores", "2026-11-23-epyc-vm-2-cores"];
const RUNS: &str = "20m-";
const BASIS: &str = "12 runs of Postgres 16.11 and 17.7 (records/2026-11-21-epyc-vm-2-cores and records/2026-11-23-epyc-vm-2-cores, 20m-*.tsv; trimmed means of that time)";

/// Runs by (group, test).
fn runs() -> BTreeMap<(String, String), Vec<RunEstimate>> {
    let mut files: Vec<PathBuf> = RECORDS
        .iter()
        .flat_map(|record| std::fs::read_dir(records().join(record)).expect("a record"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(RUNS)))
        .collect();
    files.sort();
    let mut found: BTreeMap<(String, String), Vec<RunEstimate>> = BTreeMap::new();
    for row in files.iter().flat_map(|file| read(file)) {
        let Recorded { group, test, mean, sd, sessions } = row;
        let run = RunEstimate { mean, standard_error: sd / sessions.sqrt(), freedom: sessions - 1.0 };
        found.entry((group, test)).or_default().push(run);
    }
    found
}

/// The sd between runs of a class is the median over its tests, because one test in twenty differs by ten
/// times as much (a plan or a layout that changes from run to run). Tests of one run share its hour, so more
/// tests add no degrees of freedom.
fn table() -> String {
    let runs = runs();
    let mut classes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for ((group, _), runs) in &runs {
        classes.entry(group).or_default().push(paule_mandel(runs));
    }
    let freedom = runs.values().map(|runs| runs.len() - 1).min().expect("runs");
    let row = |(class, variances): (&&str, &Vec<f64>)| {
        format!("{class}\t{:.5}\t{freedom}\t{BASIS}\n", quantile(variances, 0.5).expect("tests").sqrt())
    };
    format!("class\tsd\tfreedom\tbasis\n{}", classes.iter().map(row).collect::<String>())
}

#[test]
fn the_shipped_table_is_what_the_records_say() {
    assert_eq!(include_str!("../../data/between-runs.tsv"), table());
}

#[test]
#[ignore = "writes lab/analyse/data/between-runs.tsv from the records"]
fn between_runs_table() {
    std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/between-runs.tsv"), table())
        .expect("written");
    let all: Vec<Vec<RunEstimate>> = runs().into_values().collect();
    for ((group, test), runs) in runs() {
        println!("{group} {test} {:.5}", paule_mandel(&runs).sqrt());
    }
    println!("{}leave-one-out coverage {:.3}", table(), coverage(&all).expect("enough runs"));
    println!("of another run, from one run and the table: {:.3}", from_one());
    println!("of another run, from this run's own interval: {:.3}", from_itself());
}

/// Share of pairs of runs in which one run lies in the interval predicted by the other and the table.
fn from_one() -> f64 {
    share(|group, one, other| {
        let [low, high] = Forecast::of(&[*one], known(&[], group).as_ref())
            .expect("a forecast")
            .interval(LEVEL, other.standard_error.powi(2));
        (low..=high).contains(&other.mean)
    })
}

/// The same share, assuming that runs differ by their own errors alone.
fn from_itself() -> f64 {
    share(|_, one, other| {
        let error = one.standard_error.hypot(other.standard_error);
        (one.mean - other.mean).abs() <= t_critical(0.05, one.freedom) * error
    })
}

fn share(holds: impl Fn(&str, &RunEstimate, &RunEstimate) -> bool) -> f64 {
    let mut held = Vec::new();
    for ((group, _), runs) in &runs() {
        for (number, one) in runs.iter().enumerate() {
            let others = runs.iter().enumerate().filter(|(other, _)| *other != number);
            held.extend(others.map(|(_, other)| f64::from(u8::from(holds(group, one, other)))));
        }
    }
    mean(&held)
}

/// Nine in ten of the recorded runs lie in the interval predicted by the other eleven.
#[test]
fn recorded_runs_lie_where_the_others_say() {
    let all: Vec<Vec<RunEstimate>> = runs().into_values().collect();
    assert!(all.len() == 22 && all.iter().all(|runs| runs.len() == 12));
    assert!(coverage(&all).expect("enough runs") >= 0.9);
}
