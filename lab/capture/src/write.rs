//! Writes units as a workload folder: a script each, a CSV file with samples of its values, and `workload.toml` with their weights.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use humdrum_model::Fault;

use crate::event::{Dialect, Value};
use crate::mask::Mask;
use crate::names::{About, plain};
use crate::unit::{End, Template, Unit};

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
}

/// Writes the folder, which must not exist; returns its tests, the one with most time first.
///
/// # Errors
/// Usage: there is no unit, or the folder is there; environment: it cannot be written.
pub fn write(
    units: Vec<Unit>,
    dialect: Dialect,
    layout: &Layout<'_>,
    folder: &Path,
) -> Result<Vec<Written>, Fault> {
    let mut units = merged(units);
    if units.is_empty() {
        return Err(Fault::usage("the log has no statement that can be replayed").hint(
            "log statements with their values: log_min_duration_statement = 0, or long_query_time = 0",
        ));
    }
    // By time; without times, by how often.
    let weight = |unit: &Unit| (unit.seconds, unit.count);
    units
        .sort_by(|left, right| weight(right).partial_cmp(&weight(left)).unwrap_or(std::cmp::Ordering::Equal));
    units.truncate(layout.top + REST_MAX);
    let shown = folder.display().to_string();
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Fault::usage("it is there already")
            .at(&*shown)
            .hint("give another folder with -o, or remove it first"),
        _ => Fault::environment(format!("cannot write it: {error}")).at(&*shown),
    };
    fs::create_dir(folder).map_err(cannot)?;
    let mut names = BTreeSet::from(["mix".to_owned(), "schema".to_owned(), "load".to_owned()]);
    let mut tests = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let abouts: Vec<About> = unit.statements.iter().map(|one| About::of(one, dialect)).collect();
        let name = unused(&called(unit, &abouts), &mut names, '-');
        let script = Script::of(unit, &abouts, dialect, layout.mask.map(Mask));
        let file = format!("{name}.csv");
        fs::write(folder.join(format!("{name}.sql")), script.text(&file)).map_err(cannot)?;
        let samples = script.rows.len();
        if samples > 0 {
            fs::write(folder.join(&file), script.csv()).map_err(cannot)?;
        }
        let is_top = number < layout.top;
        let (count, seconds, statements) = (unit.count, unit.seconds, unit.statements.len());
        tests.push(Written { name, count, seconds, statements, samples, is_top });
    }
    fs::write(folder.join("workload.toml"), workload(&tests, layout)).map_err(cannot)?;
    Ok(tests)
}

/// Units with one fingerprint become one: the shape that ran most often, with the counts and times of all.
fn merged(units: Vec<Unit>) -> Vec<Unit> {
    let mut by: BTreeMap<String, (Unit, u64, f64)> = BTreeMap::new();
    for unit in units {
        let (count, seconds) = (unit.count, unit.seconds);
        match by.entry(unit.fingerprint()) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert((unit, count, seconds));
            }
            std::collections::btree_map::Entry::Occupied(mut place) => {
                let (kept, all, time) = place.get_mut();
                *all += count;
                *time += seconds;
                if count > kept.count {
                    *kept = unit;
                }
            }
        }
    }
    by.into_values().map(|(unit, count, seconds)| Unit { count, seconds, ..unit }).collect()
}

/// `select-orders`, or of a transaction `tx-insert-orders`, after its first statement that writes.
fn called(unit: &Unit, abouts: &[About]) -> String {
    let verb = |one: &Template| {
        let text = one.texts.first().map_or("", |text| text.trim_start_matches(['(', ' ', '\n', '\t']));
        plain(&text.chars().take_while(|letter| letter.is_ascii_alphabetic()).collect::<String>())
    };
    let writes = |one: &Template| !matches!(verb(one).as_str(), "select" | "with" | "values");
    let main = unit.statements.iter().position(writes).unwrap_or(0);
    let table = abouts[main].table.as_deref().map(plain);
    let words =
        [(unit.end != End::Alone).then(|| "tx".to_owned()), Some(verb(&unit.statements[main])), table];
    words.into_iter().flatten().collect::<Vec<_>>().join("-").replace('_', "-")
}

fn unused(name: &str, used: &mut BTreeSet<String>, joint: char) -> String {
    let mut numbered =
        std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}{joint}{number}")));
    let free = numbered.find(|one| !used.contains(one)).unwrap_or_default();
    used.insert(free.clone());
    free
}

/// A script, and the samples of its variables.
struct Script<'u> {
    unit: &'u Unit,
    dialect: Dialect,
    /// By value: the variable, or `None` where it is always the same.
    variables: Vec<Option<usize>>,
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl<'u> Script<'u> {
    /// Values that differ become variables. Two that are always equal, such as the id that two statements of a transaction have,
    /// are one.
    fn of(unit: &'u Unit, abouts: &[About], dialect: Dialect, mask: Option<Mask>) -> Self {
        let samples = &unit.samples.kept;
        let column = |number: usize| samples.iter().map(move |row| &row[number]);
        let count: usize = unit.statements.iter().map(Template::values).sum();
        let titles: Vec<Option<&String>> =
            abouts.iter().flat_map(|about| about.columns.iter().map(Option::as_ref)).collect();
        let (mut variables, mut names, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        let (mut used, mut known) = (reserved(), HashMap::<Vec<&Value>, usize>::new());
        for number in 0..count {
            let values: Vec<&Value> = column(number).collect();
            let given = written(unit, number).is_empty();
            if !given && values.iter().all(|value| *value == values[0]) {
                variables.push(None);
                continue;
            }
            let variable = *known.entry(values).or_insert_with(|| {
                let title =
                    titles.get(number).copied().flatten().map_or_else(|| "v".to_owned(), |word| plain(word));
                names.push(unused(&title, &mut used, '_'));
                sources.push(number);
                names.len() - 1
            });
            variables.push(Some(variable));
        }
        let value = |row: &[Value], number: &usize| match mask {
            Some(mask) => mask.hide(&row[*number]),
            None => row[*number].clone(),
        };
        let rows = samples.iter().map(|row| sources.iter().map(|number| value(row, number)).collect());
        let rows = if names.is_empty() { Vec::new() } else { rows.collect() };
        Self { unit, dialect, variables, names, rows }
    }

    fn text(&self, file: &str) -> String {
        let mut out = String::new();
        if !self.rows.is_empty() {
            let _ = writeln!(out, "\\sample {file}");
        }
        if self.unit.end != End::Alone {
            out.push_str("BEGIN;\n");
        }
        let mut first = 0;
        for statement in &self.unit.statements {
            out.push_str(&statement.texts[0]);
            for (number, behind) in statement.texts[1..].iter().enumerate() {
                let written = &statement.written[number];
                match self.variables[first + number] {
                    Some(variable) => {
                        push_variable(
                            &mut out,
                            written.starts_with('\''),
                            &self.names[variable],
                            self.dialect,
                        );
                    }
                    None => out.push_str(written),
                }
                out.push_str(behind);
            }
            out.push_str(";\n");
            first += statement.values();
        }
        out.push_str(match self.unit.end {
            End::Alone => "",
            End::Commit => "COMMIT;\n",
            End::Rollback => "ROLLBACK;\n",
        });
        out
    }

    /// Texts in quotes, numbers without, nothing for NULL.
    fn csv(&self) -> String {
        let mut out = self.names.join(",") + "\n";
        for row in &self.rows {
            for (number, value) in row.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                match value {
                    Value::Null => {}
                    Value::Number(text) => out.push_str(text),
                    Value::Text(text) => {
                        let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
                    }
                }
            }
            out.push('\n');
        }
        out
    }
}

/// Variables that every script has.
fn reserved() -> BTreeSet<String> {
    ["client_id", "scale", "default_seed", "random_seed"].map(str::to_owned).into()
}

/// How value `number` of all statements was written the first time.
fn written(unit: &Unit, mut number: usize) -> &str {
    for statement in &unit.statements {
        match statement.written.get(number) {
            Some(text) => return text,
            None => number -= statement.values(),
        }
    }
    ""
}

/// Adds `:name`. A word before a text that makes it a date or a span (`date '2026-01-01'`) is for texts alone: a cast takes its
/// place.
fn push_variable(out: &mut String, was_text: bool, name: &str, dialect: Dialect) {
    const TYPES: [&str; 5] = ["date", "interval", "time", "timestamp", "timestamptz"];
    let start = out.trim_end().len();
    let word = out[..start].rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let known = TYPES.iter().find(|one| was_text && word.eq_ignore_ascii_case(one));
    let name = match (known, dialect) {
        (None, _) | (Some(&"interval"), Dialect::MySql) => format!(":{name}"),
        (Some(kind), _) => {
            out.truncate(start - word.len());
            let kind = if dialect == Dialect::MySql && *kind == "timestamp" { "datetime" } else { kind };
            format!("CAST(:{name} AS {kind})")
        }
    };
    out.push_str(&name);
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
