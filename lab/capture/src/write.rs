//! Writes patterns as a workload folder: a script each, a CSV file with samples of its values, and `workload.toml` with their
//! weights.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use humdrum_model::Fault;

use crate::event::Dialect;
use crate::mask::Mask;
use crate::names::{About, plain};
use crate::pattern::{End, Pattern, Template};
use crate::script::{Script, unused};

/// Scripts beside those of the tests that were asked for: they are in the mix, and in the group `rest`.
const REST_MAX: usize = 100;
/// The sum of all weights of a mix, at most.
const WEIGHTS: f64 = 1_000_000.0;

/// How a folder is written.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    /// The workload's name.
    pub name: &'a str,
    /// One line for people.
    pub about: &'a str,
    /// Most tests.
    pub top: usize,
    /// A dump as its data, if there is one.
    pub data: Option<&'a Path>,
    /// Replace texts by noise with this seed.
    pub mask: Option<u64>,
}

/// A test that was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub count: u64,
    /// How long all of them took together; 0 where the log does not tell.
    pub seconds: f64,
    /// Its statements.
    pub statements: usize,
    /// Rows of samples of its values; 0 where its values are always the same.
    pub samples: usize,
    /// It is one of the tests that were asked for.
    pub is_top: bool,
    /// What should be known of its values; its script says the same.
    pub remarks: Vec<String>,
}

/// Writes the folder, which must not exist; returns its tests, the one with most time first.
///
/// # Errors
/// Usage: there is no pattern, or the folder is there; environment: it cannot be written.
pub fn write(
    patterns: Vec<Pattern>,
    dialect: Dialect,
    layout: &Layout<'_>,
    folder: &Path,
) -> Result<Vec<Written>, Fault> {
    let mut patterns = merged(patterns);
    if patterns.is_empty() {
        return Err(Fault::usage("the log has no statement that can be replayed").hint(
            "log statements with their values: log_min_duration_statement = 0, or long_query_time = 0",
        ));
    }
    // By time; without times, by how often.
    let weight = |pattern: &Pattern| (pattern.seconds, pattern.count);
    patterns
        .sort_by(|left, right| weight(right).partial_cmp(&weight(left)).unwrap_or(std::cmp::Ordering::Equal));
    patterns.truncate(layout.top + REST_MAX);
    let shown = folder.display().to_string();
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Fault::usage("it is there already")
            .at(&*shown)
            .hint("give another folder with -o, or remove it first"),
        _ => Fault::environment(format!("cannot write it: {error}")).at(&*shown),
    };
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::create_dir(folder)).map_err(cannot)?;
    let mut names = BTreeSet::from(["mix".to_owned(), "schema".to_owned(), "load".to_owned()]);
    let mut tests = Vec::new();
    for (number, pattern) in patterns.iter().enumerate() {
        let abouts = About::of_all(&pattern.statements, dialect);
        let name = unused(&called(pattern, &abouts), &mut names, '-');
        let script = Script::of(pattern, &abouts, dialect, layout.mask.map(Mask));
        let file = format!("{name}.csv");
        fs::write(folder.join(format!("{name}.sql")), script.text(&file)).map_err(cannot)?;
        let samples = script.rows.len();
        if samples > 0 {
            fs::write(folder.join(&file), script.csv()).map_err(cannot)?;
        }
        let is_top = number < layout.top;
        let remarks = script.remarks;
        let (count, seconds, statements) = (pattern.count, pattern.seconds, pattern.statements.len());
        tests.push(Written { name, count, seconds, statements, samples, is_top, remarks });
    }
    fs::write(folder.join("workload.toml"), workload(&tests, layout)).map_err(cannot)?;
    Ok(tests)
}

/// The text of a `workload.toml` that `write` wrote, without some of its tests; `None` if none would be left.
pub fn without(text: &str, names: &[&str]) -> Option<String> {
    const TEST: &str = "[[test]]\n";
    let mut parts = text.split(TEST);
    let head = parts.next().unwrap_or_default();
    let is_named = |part: &&str| {
        let first = part.lines().next().unwrap_or_default();
        names.iter().any(|name| first == format!("name = \"{name}\""))
    };
    let left: Vec<&str> = parts.filter(|part| !is_named(part)).collect();
    let tests = left.iter().map(|part| format!("{TEST}{part}"));
    (!left.is_empty()).then(|| head.to_owned() + &tests.collect::<String>())
}

/// Patterns with one fingerprint become one: the shape that ran most often, with the counts and times of all.
fn merged(patterns: Vec<Pattern>) -> Vec<Pattern> {
    let mut by: BTreeMap<String, (Pattern, u64, f64)> = BTreeMap::new();
    for pattern in patterns {
        let (count, seconds) = (pattern.count, pattern.seconds);
        match by.entry(pattern.fingerprint()) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert((pattern, count, seconds));
            }
            std::collections::btree_map::Entry::Occupied(mut place) => {
                let (kept, all, time) = place.get_mut();
                *all += count;
                *time += seconds;
                if count > kept.count {
                    *kept = pattern;
                }
            }
        }
    }
    by.into_values().map(|(pattern, count, seconds)| Pattern { count, seconds, ..pattern }).collect()
}

/// `select-orders`, or of a transaction `tx-insert-orders`, after its first statement that writes.
fn called(pattern: &Pattern, abouts: &[About]) -> String {
    let verb = |one: &Template| {
        let text = one.texts.first().map_or("", |text| text.trim_start_matches(['(', ' ', '\n', '\t']));
        plain(&text.chars().take_while(|letter| letter.is_ascii_alphabetic()).collect::<String>())
    };
    let writes = |one: &Template| !matches!(verb(one).as_str(), "select" | "with" | "values");
    let main = pattern.statements.iter().position(writes).unwrap_or(0);
    let table = abouts[main].table.as_deref().map(plain);
    let words =
        [(pattern.end != End::Alone).then(|| "tx".to_owned()), Some(verb(&pattern.statements[main])), table];
    words.into_iter().flatten().collect::<Vec<_>>().join("-").replace('_', "-")
}

fn workload(tests: &[Written], layout: &Layout<'_>) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut out = format!(
        "# Made by `humdrum capture`.\n\nname = {}\nabout = {}\n",
        quoted(layout.name),
        quoted(layout.about)
    );
    match layout.data {
        Some(path) => {
            let _ = writeln!(out, "data = {}", quoted(&path.display().to_string()));
        }
        None => out.push_str(
            "# The rows come from a dump of the server that was captured:\n\
             #   pg_dump -Fc -d DATABASE -f prod.dump      mysqldump --hex-blob DATABASE > prod.sql\n\
             # data = \"prod.dump\"\n",
        ),
    }
    let all: u64 = tests.iter().map(|test| test.count).sum();
    let factor = (WEIGHTS / all as f64).min(1.0);
    for test in tests {
        let weight = ((test.count as f64 * factor).round() as u64).max(1);
        let _ = write!(
            out,
            "\n[[test]]\nname = {0}\nfile = {1}\n",
            quoted(&test.name),
            quoted(&format!("{}.sql", test.name))
        );
        if !test.is_top {
            out.push_str("group = \"rest\"\n");
        }
        if tests.len() > 1 {
            let _ = writeln!(out, "weight = {weight}");
        }
    }
    out
}

#[cfg(test)]
mod tests;
