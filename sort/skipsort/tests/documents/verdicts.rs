//! The README's table of verdicts, made from a report of the lab: rates of this sort over those of its rivals, with intervals.
//!
//!     SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents verdicts

use std::collections::HashMap;
use std::fmt::Write;

use crate::made;

/// What `humdrum report RESULTS --format tsv` wrote of a comparison whose base is skipsort.
const RECORD: &str = "records/2026-11-29-epyc-zen5-vm-2-cores/sort/verdicts.tsv";

const BEGIN: &str = "<!-- table of verdicts: made by tests/documents/verdicts.rs -->\n";
const END: &str = "<!-- end of the verdicts -->\n";

/// How many times skipsort's rate is a rival's, in one set.
struct Cell {
    ratio: f64,
    low: f64,
    high: f64,
    decided: bool,
}

/// Sets and rivals in the order of the report, and what stands between them.
struct Report {
    sets: Vec<String>,
    rivals: Vec<String>,
    cells: HashMap<(String, String), Cell>,
}

fn read(report: &str) -> Report {
    let mut lines = report.lines().map(|line| line.split('\t').collect::<Vec<&str>>());
    let head = lines.next().expect("a head");
    let at = |name: &str| head.iter().position(|column| *column == name).expect("a column");
    let (rival, set, verdict) = (at("subject"), at("test"), at("verdict"));
    let [ratio, low, high] = ["rqps", "rqps_low", "rqps_high"].map(at);
    let (mut sets, mut rivals, mut cells) = (Vec::new(), Vec::new(), HashMap::new());
    for line in lines {
        let number = |column: usize| line[column].parse::<f64>().expect("a number");
        let [set, rival] = [line[set], line[rival].trim_start_matches("sorts@")].map(str::to_owned);
        if !sets.contains(&set) {
            sets.push(set.clone());
        }
        if !rivals.contains(&rival) {
            rivals.push(rival.clone());
        }
        // The report has the rival's rate over that of skipsort.
        let decided = ["improvement", "regression", "boring"].contains(&line[verdict]);
        let cell =
            Cell { ratio: 1.0 / number(ratio), low: 1.0 / number(high), high: 1.0 / number(low), decided };
        cells.insert((set, rival), cell);
    }
    Report { sets, rivals, cells }
}

fn table(report: &str) -> String {
    let Report { sets, rivals, cells } = read(report);
    let mut text = format!("| set | {} |\n|---|{}\n", rivals.join(" | "), "---|".repeat(rivals.len()));
    for set in &sets {
        write!(text, "| {set} |").expect("a string");
        for rival in &rivals {
            let Cell { ratio, low, high, decided } = &cells[&(set.clone(), rival.clone())];
            let mark = if *decided { "" } else { ", not decided" };
            write!(text, " {ratio:.2} [{low:.2}, {high:.2}]{mark} |").expect("a string");
        }
        text.push('\n');
    }
    let mean = |rival: &String| {
        format!("**{:.2}**", made::mean(sets.iter().map(|set| cells[&(set.clone(), rival.clone())].ratio)))
    };
    let means: Vec<String> = rivals.iter().map(mean).collect();
    writeln!(text, "| geometric mean | {} |", means.join(" | ")).expect("a string");
    writeln!(text, "\nRecord: [report](../../{RECORD}).").expect("a string");
    text
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn the_verdicts_are_what_was_recorded() {
    made::check((BEGIN, END), "verdicts", |root| {
        table(&std::fs::read_to_string(root.join(RECORD)).expect("a record"))
    });
}
