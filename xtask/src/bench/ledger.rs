//! Many selftests as one table: a row for each cell of each selftest, and their sum.

use std::path::Path;

use humdrum_analyse::rate;
use humdrum_model::{Certificate, Rate, Selftest};

use super::{read_json, verbs};

/// Prints the table of the selftests in these folders.
///
/// # Errors
/// If no folder is named, or a folder has no selftest.json.
pub fn main(folders: &[&str]) -> Result<(), String> {
    if folders.is_empty() {
        return Err(verbs::wanted("ledger"));
    }
    let all: Vec<Selftest> = folders
        .iter()
        .map(|folder| read_json(&Path::new(folder).join("selftest.json")))
        .collect::<Result<_, _>>()?;
    println!(
        "subject\tsuite\tclass\tclients\tinjected_pct\tverdicts\tcalled\twrong\tseconds_per_run\tseed\tlatest"
    );
    for one in &all {
        for found in &one.found {
            rows(found).iter().for_each(|row| {
                println!(
                    "{}\t{}\t{row}\t{}\t{}\t{}",
                    one.subject, one.suite, one.budget_seconds, one.seed, found.latest
                );
            });
        }
    }
    let found = || all.iter().flat_map(|one| &one.found);
    let alarms = sum(found().filter_map(|one| one.false_alarms.as_ref()));
    let losses = || found().flat_map(|one| &one.losses);
    let [called, wrong] = [sum(losses().map(|loss| &loss.called)), sum(losses().map(|loss| &loss.wrong))];
    println!("# {} selftests of {} runs", all.len(), all.iter().map(|one| one.runs).sum::<u32>());
    println!("# A/A verdicts that were false alarms: {}", told(alarms));
    println!("# injected losses: called {}; wrong verdicts {}", told(called), told(wrong));
    Ok(())
}

/// `class, clients, injected, verdicts, called, wrong` of a cell: A/A first, then each loss.
fn rows(found: &Certificate) -> Vec<String> {
    let cell = format!("{}\t{}", found.scope.class, found.scope.clients);
    let equal = found.false_alarms.iter().map(|rate| format!("{cell}\t0\t{}\t–\t{}", rate.of, rate.count));
    let losses = found.losses.iter().map(|loss| {
        let (called, wrong) = (&loss.called, &loss.wrong);
        format!("{cell}\t{}\t{}\t{}\t{}", 100.0 * loss.injected, called.of, called.count, wrong.count)
    });
    equal.chain(losses).collect()
}

fn sum<'a>(rates: impl Iterator<Item = &'a Rate>) -> (u64, u64) {
    rates.fold((0, 0), |(count, of), rate| (count + rate.count, of + rate.of))
}

/// `0 of 74, 95 % interval 0.0 to 4.0 %`.
fn told((count, of): (u64, u64)) -> String {
    let Some(Rate { ci95: [low, high], .. }) = rate(count, of) else { return "none".to_owned() };
    format!("{count} of {of}, 95 % interval {:.1} to {:.1} %", 100.0 * low, 100.0 * high)
}
