//! The verdicts of earlier versions, reached again by today's rules from the tables that were recorded.
//!
//! ```text
//! cargo test -p humdrum-analyse --lib -- --ignored recorded_verdicts_by_todays_rules --nocapture
//! ```
//!
//! A table has a ratio, its interval and the number of sessions, not the blocks. So the ratios stay trimmed means where
//! they were; what changes is the hypothesis that is tested. The standard error comes from the interval as if it were one
//! of a single look, which makes it too wide rather than too narrow.

use std::path::{Path, PathBuf};

use crate::band::Band;
use crate::decide::{Correction, judge_mean, margin_p};
use crate::dist::t_critical;
use crate::evidence::CI_LEVEL;
use crate::interval::Means;
use crate::recorded::records;

const ALPHA: f64 = 0.05;

struct Row {
    what: String,
    before: String,
    means: Means,
    half: f64,
    band: Band,
}

/// The rows of a table that had a verdict; none of another kind of table.
fn rows(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("a table");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell =
            |name: &str| names.iter().position(|one| *one == name).and_then(|at| cells.get(at).copied());
        let number = |name: &str| cell(name)?.parse::<f64>().ok();
        let before = cell("verdict").filter(|verdict| !verdict.is_empty())?.to_owned();
        let (low, high) = (number("rqps_low")?.ln(), number("rqps_high")?.ln());
        let freedom = number("sessions").filter(|sessions| *sessions >= 2.0)? - 1.0;
        let (mean, half) = (number("rqps")?.ln(), 0.5 * (high - low));
        let standard_error = half / t_critical(CI_LEVEL, freedom);
        let sd = standard_error * (freedom + 1.0).sqrt();
        let delta = number("delta")?;
        let what = format!(
            "{} {} {:.3} [{:.3}, {:.3}]",
            cell("subject")?,
            cell("test")?,
            mean.exp(),
            low.exp(),
            high.exp()
        );
        Some(Row {
            what,
            before,
            means: Means { mean, sd, standard_error, freedom },
            half,
            band: Band::of(delta, delta),
        })
    };
    lines.filter_map(row).collect()
}

/// All tables below a folder.
fn tables(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { tables(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "tsv"))
        .collect();
    found.sort();
    found
}

#[test]
#[ignore = "lists the recorded verdicts that today's rules change"]
fn recorded_verdicts_by_todays_rules() {
    let (mut all, mut changed) = (0, 0);
    for file in tables(&records()) {
        let rows = rows(&file);
        let p: Vec<f64> = rows.iter().map(|row| margin_p(&row.means, &row.band)).collect();
        for (row, p) in rows.iter().zip(Correction::Report.adjust(&p)) {
            let now = judge_mean(row.means.mean, row.half, Some(p), ALPHA, &row.band).word();
            all += 1;
            if now != row.before {
                changed += 1;
                let place = file.strip_prefix(records()).expect("below the records").display().to_string();
                println!("{place}\t{}\t{} -> {now}", row.what, row.before);
            }
        }
    }
    println!("{changed} of {all} verdicts");
}
