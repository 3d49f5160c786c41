//! The script of a pattern, and the samples of its variables.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use crate::event::{Dialect, Value};
use crate::mask::Mask;
use crate::names::{About, plain};
use crate::pattern::{End, Pattern, Template};

/// A script, and the samples of its variables.
pub(crate) struct Script<'u> {
    pattern: &'u Pattern,
    dialect: Dialect,
    /// By value: the variable, or `None` where it is always the same.
    variables: Vec<Option<usize>>,
    names: Vec<String>,
    /// By variable: the expression that makes it, where the samples do not have it.
    made: Vec<Option<&'u str>>,
    pub(crate) rows: Vec<Vec<Value>>,
    /// What should be known of its values.
    pub(crate) remarks: Vec<String>,
}

/// Values that are one variable.
#[derive(PartialEq, Eq, Hash)]
enum Same<'v> {
    /// They are equal in every sample.
    Sampled(Vec<&'v Value>),
    /// They are known to be that of this place.
    Place(usize),
}

impl<'u> Script<'u> {
    /// Values that differ become variables. Two that are always equal, such as the id that two statements of a transaction have,
    /// are one.
    pub(crate) fn of(pattern: &'u Pattern, abouts: &[About], dialect: Dialect, mask: Option<Mask>) -> Self {
        let samples = &pattern.samples.kept;
        let column = |number: usize| samples.iter().map(move |row| &row[number]);
        let count: usize = pattern.statements.iter().map(Template::values).sum();
        let titles: Vec<Option<&String>> =
            abouts.iter().flat_map(|about| about.columns.iter().map(Option::as_ref)).collect();
        let (mut variables, mut names, mut made, mut sources) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut used, mut known) = (reserved(), HashMap::<Same<'_>, usize>::new());
        let mut remarks = pattern.remarks.clone();
        for number in 0..count {
            let extra = pattern.extras.get(number);
            let expression = extra.and_then(|extra| pattern.extras[extra.leader].set.as_deref());
            let values: Vec<&Value> = column(number).collect();
            let given = written(pattern, number).is_empty();
            if expression.is_none() && !given && values.iter().all(|value| *value == values[0]) {
                variables.push(None);
                continue;
            }
            let same = extra.map_or(Same::Sampled(values), |extra| Same::Place(extra.leader));
            let variable = *known.entry(same).or_insert_with(|| {
                let leader = extra.map_or(number, |extra| extra.leader);
                let named = titles.get(leader).copied().flatten();
                let named = named.or_else(|| pattern.extras.get(leader)?.title.as_ref());
                let title = named.map(|word| plain(word));
                names.push(unused(&title.unwrap_or_else(|| "v".to_owned()), &mut used, '_'));
                made.push(expression);
                if expression.is_none() {
                    sources.push(number);
                }
                names.len() - 1
            });
            if let Some(remark) = extra.and_then(|extra| extra.remark.as_ref()) {
                remarks.push(format!("{}: {remark}", names[variable]));
            }
            variables.push(Some(variable));
        }
        let value = |row: &[Value], number: &usize| match mask {
            Some(mask) => mask.hide(&row[*number]),
            None => row[*number].clone(),
        };
        let rows = samples.iter().map(|row| sources.iter().map(|number| value(row, number)).collect());
        let rows = if sources.is_empty() { Vec::new() } else { rows.collect() };
        Self { pattern, dialect, variables, names, made, rows, remarks }
    }

    pub(crate) fn text(&self, file: &str) -> String {
        let mut out = String::new();
        for remark in &self.remarks {
            let _ = writeln!(out, "-- {}", remark.replace(['\n', '\r'], " "));
        }
        if !self.rows.is_empty() {
            let _ = writeln!(out, "\\sample {file}");
        }
        for (name, expression) in self.names.iter().zip(&self.made) {
            if let Some(expression) = expression {
                let _ = writeln!(out, "\\set {name} {expression}");
            }
        }
        if self.pattern.end != End::Alone {
            out.push_str("BEGIN;\n");
        }
        let mut first = 0;
        for statement in &self.pattern.statements {
            out.push_str(&statement.texts[0]);
            for (number, behind) in statement.texts[1..].iter().enumerate() {
                let written = &statement.written[number];
                match self.variables[first + number] {
                    Some(variable) if self.computes(&out, written, behind) => {
                        // The server cannot tell what `date + :days` adds; of a number that was written, it could.
                        let kind = self.kind_of(variable);
                        let _ = write!(out, "CAST(:{} AS {kind})", self.names[variable]);
                    }
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
        out.push_str(match self.pattern.end {
            End::Alone => "",
            End::Commit => "COMMIT;\n",
            End::Rollback => "ROLLBACK;\n",
        });
        out
    }

    /// Whether a number that was written into a statement stands beside an operator, on an engine that infers a parameter's type
    /// from what is around it.
    fn computes(&self, before: &str, written: &str, behind: &str) -> bool {
        let is_operator = |letter: char| "+-*/%".contains(letter);
        let is_number = written.starts_with(|letter: char| letter.is_ascii_digit() || "-.".contains(letter));
        let beside = before.trim_end().ends_with(is_operator) || behind.trim_start().starts_with(is_operator);
        self.dialect == Dialect::Postgres && is_number && beside
    }

    /// The narrowest type of numbers for all values of a variable, as a server reads them where they are written.
    fn kind_of(&self, variable: usize) -> &'static str {
        let place = self.made[..variable].iter().filter(|made| made.is_none()).count();
        let values = self.rows.iter().filter_map(|row| match row.get(place) {
            Some(Value::Number(text)) => Some(&**text),
            _ => None,
        });
        let fits = |values: &mut dyn Iterator<Item = &str>| {
            values
                .map(|text| match (text.parse::<i32>(), text.parse::<i64>()) {
                    (Ok(_), _) => 0,
                    (_, Ok(_)) => 1,
                    _ => 2,
                })
                .max()
        };
        ["integer", "bigint", "numeric"][fits(&mut values.into_iter()).unwrap_or(0)]
    }

    /// Texts in quotes, numbers without, nothing for NULL.
    pub(crate) fn csv(&self) -> String {
        let sampled = self.names.iter().zip(&self.made).filter(|(_, made)| made.is_none());
        let sampled: Vec<&str> = sampled.map(|(name, _)| name.as_str()).collect();
        let mut out = sampled.join(",") + "\n";
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
fn written(pattern: &Pattern, mut number: usize) -> &str {
    for statement in &pattern.statements {
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
    let name = match (type_before(out).filter(|_| was_text), dialect) {
        (None, _) | (Some(("interval", _)), Dialect::MySql) => format!(":{name}"),
        (Some((kind, start)), _) => {
            out.truncate(start);
            let kind = if dialect == Dialect::MySql && kind == "timestamp" { "datetime" } else { kind };
            format!("CAST(:{name} AS {kind})")
        }
    };
    out.push_str(&name);
}

/// The word at the end of a text that makes the value behind it a date or a span, and where the word begins.
pub(crate) fn type_before(text: &str) -> Option<(&'static str, usize)> {
    const TYPES: [&str; 5] = ["date", "interval", "time", "timestamp", "timestamptz"];
    let text = text.trim_end();
    let word = text.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let kind = TYPES.iter().find(|one| word.eq_ignore_ascii_case(one))?;
    Some((kind, text.len() - word.len()))
}

/// The name, or with a number behind it where it is taken.
pub(crate) fn unused(name: &str, used: &mut BTreeSet<String>, joint: char) -> String {
    let mut numbered =
        std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}{joint}{number}")));
    let free = numbered.find(|one| !used.contains(one)).unwrap_or_default();
    used.insert(free.clone());
    free
}
