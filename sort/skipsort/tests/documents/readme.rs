//! The README's table of speed, made from the records of `skipsort-bench`: a group of columns for each processor met.
//!
//!     SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents readme

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::made;

/// Processors, and what `skipsort-bench --rounds 3 --rivals …` wrote there. Oldest first; add a line with each.
const PROCESSORS: &[(&str, &str)] = &[
    ("AMD EPYC, 2026-11-23", "records/2026-11-23-epyc-vm-2-cores/sort/sets-1m.txt"),
    ("AMD EPYC (Zen 5), 2026-11-25", "records/2026-11-25-epyc-zen5-vm-2-cores/sort/sets-1m.txt"),
    (
        "Intel Xeon (Cascade Lake), 2026-11-27",
        "records/2026-11-27-xeon-cascade-lake-vm-2-cores/sort/sets-1m.txt",
    ),
    (
        "Intel Xeon (Granite Rapids), 2026-11-29",
        "records/2026-11-29-xeon-granite-rapids-vm-2-cores/sort/sets-1m.txt",
    ),
    (
        "Intel Xeon (Emerald Rapids), 2026-11-30",
        "records/2026-11-30-xeon-emerald-rapids-vm-2-cores/sort/sets-1m.txt",
    ),
];

const BEGIN: &str = "<!-- table of speed: made by tests/documents/readme.rs -->\n";
const END: &str = "<!-- end of the table -->\n";

/// A set's name and a ratio for each rival; the first is skipsort itself, with its nanoseconds for a row.
struct Set {
    name: String,
    nanoseconds: f64,
    rivals: Vec<(String, f64)>,
}

impl Set {
    fn of(&self, rival: &str) -> f64 {
        self.rivals.iter().find(|(name, _)| name == rival).expect("a rival of the record").1
    }

    /// The fastest that is not skipsort.
    fn best(&self) -> f64 {
        let others = self.rivals.iter().filter(|(name, _)| !name.starts_with("skipsort"));
        others.map(|(_, ratio)| *ratio).fold(f64::INFINITY, f64::min)
    }
}

fn sets(record: &str) -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    let tables = record.lines().filter(|line| !line.starts_with('#'));
    for line in tables.take_while(|line| !line.starts_with("geometric mean")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("  ") {
            let set = sets.last_mut().expect("a set before its rivals");
            let [first, last] =
                [words[1], words[words.len() - 1]].map(|word| word.parse().expect("a number"));
            if set.rivals.is_empty() {
                set.nanoseconds = first;
            }
            set.rivals.push((words[0].to_owned(), last));
        } else if let Some(name) = words.first() {
            sets.push(Set { name: (*name).to_owned(), nanoseconds: 0.0, rivals: Vec::new() });
        }
    }
    sets
}

fn table(root: &Path) -> String {
    let read = |path: &str| sets(&fs::read_to_string(root.join(path)).expect("a record"));
    let processors: Vec<(&str, Vec<Set>)> =
        PROCESSORS.iter().map(|(name, path)| (*name, read(path))).collect();
    let mut text = String::from("| set |");
    for (name, _) in &processors {
        write!(text, " {name}: ns/row | std unstable | best rival |").expect("a string");
    }
    write!(text, "\n|---|{}\n", "---|---|---|".repeat(processors.len())).expect("a string");
    for at in 0..processors[0].1.len() {
        write!(text, "| {} |", processors[0].1[at].name).expect("a string");
        for (_, sets) in &processors {
            let (set, std) = (&sets[at], sets[at].of("std_unstable"));
            write!(text, " {:.0} | {std:.1} | {:.1} |", set.nanoseconds, set.best()).expect("a string");
        }
        text.push('\n');
    }
    text.push_str("| geometric mean |");
    for (_, sets) in &processors {
        let (std, best) = (
            made::mean(sets.iter().map(|set| set.of("std_unstable"))),
            made::mean(sets.iter().map(Set::best)),
        );
        write!(text, " | **{std:.1}** | **{best:.1}** |").expect("a string");
    }
    text.push_str("\n\nRecords: ");
    let links: Vec<String> =
        PROCESSORS.iter().map(|(name, path)| format!("[{name}](../../{path})")).collect();
    writeln!(text, "{}.", links.join(", ")).expect("a string");
    text
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn the_table_is_what_was_recorded() {
    made::check((BEGIN, END), "readme", table);
}
