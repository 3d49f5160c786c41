//! Values of a statement: rows of the tables that its placeholders belong to.
//!
//! All values of one table come from one of its rows, so that what belongs together stays together. What SET writes, and the
//! second value of a list, come from other rows of it.

use std::collections::HashMap;

use humdrum_contract::Random;

use super::bound::{Bound, BoundColumn, bind};
use super::kept::{Kept, Known};
use super::places::Role;
use super::source::{Form, Source, text_of, values_of};
use crate::Options;
use crate::event::{Dialect, Value};
use crate::literal::{Kind, value};
use crate::pattern::{End, Extra, Pattern};
use crate::reservoir::Reservoir;

/// The length of a range of whole numbers, where nothing tells it.
const RANGE: i64 = 100;
/// Letters of a text that LIKE looks for.
const LIKE_LETTERS: usize = 3;
/// Values of an array, at most.
const ARRAY_MOST: u64 = 20;

/// The pattern of a statement.
pub(super) fn pattern(one: Kept, known: &Known, dialect: Dialect, options: Options) -> Pattern {
    let bound = bind(&one, known);
    let mut filling = Filling::of(&one, &bound, known, dialect);
    let sources: Vec<Source> = (0..one.literals.len()).map(|number| filling.source(number)).collect();
    let Filling { extras, may_collide, .. } = filling;
    let drawn = sources.iter().filter_map(|source| match source {
        Source::Drawn { values, .. } => Some(values.len()),
        _ => None,
    });
    let rows = drawn.max().unwrap_or(1).min(options.samples).max(1);
    let mut samples = Reservoir::new(rows, Random::of(options.seed, one.shape));
    (0..rows).for_each(|row| samples.offer(|| values_of(&sources, row)));
    let refuses = |index: &String| {
        format!(
            "rows like these are there already, and the unique index {index} refuses them: change a value"
        )
    };
    let mut remarks: Vec<String> = bound.collides_in.iter().map(refuses).collect();
    let passes_over = may_collide || !remarks.is_empty();
    if passes_over {
        remarks.push(
            "rows that are there already are passed over; the server that was captured did not".to_owned(),
        );
    }
    let Kept { counted, mut template, .. } = one;
    if passes_over {
        template.pass_over_conflicts(dialect);
    }
    let (count, seconds) = (counted.calls, counted.seconds);
    Pattern { statements: vec![template], end: End::Alone, count, seconds, samples, extras, remarks }
}

/// Finds where the values of one statement come from.
pub(super) struct Filling<'k> {
    pub(super) one: &'k Kept,
    pub(super) bound: &'k Bound<'k>,
    pub(super) known: &'k Known,
    pub(super) dialect: Dialect,
    pub(super) extras: Vec<Extra>,
    /// Two runs may draw the same new value.
    pub(super) may_collide: bool,
    /// How often a column had a value already; SET apart from the others.
    used: HashMap<(&'k str, &'k str, bool), usize>,
}

impl<'k> Filling<'k> {
    fn of(one: &'k Kept, bound: &'k Bound<'k>, known: &'k Known, dialect: Dialect) -> Self {
        let extra = |number: usize| {
            let leader = leader(one, bound, number);
            let title = bound.columns[leader].map(|column| column.column.name.clone());
            Extra { leader, title, ..Extra::default() }
        };
        let extras = (0..one.literals.len()).map(extra);
        Self {
            one,
            bound,
            known,
            dialect,
            extras: extras.collect(),
            may_collide: false,
            used: HashMap::new(),
        }
    }

    fn source(&mut self, number: usize) -> Source {
        let leader = self.extras[number].leader;
        if leader != number {
            return Source::As(leader);
        }
        if self.bound.new.contains(&number) {
            return self.made_new(number);
        }
        let Some(column) = self.bound.columns[number].filter(|column| column.role != Role::Change) else {
            return self.without_column(number);
        };
        let values = self.values(column);
        if values.iter().all(|value| *value == Value::Null) {
            let why = match self.known.rows.get(column.table) {
                Some(rows) if rows.rows.is_empty() => format!("{} has no rows", column.table.join(".")),
                Some(_) => format!("{} has no values", column.column.name),
                None => format!("the rows of {} could not be read", column.table.join(".")),
            };
            return self.usual(number, Some(&column.column.kind), &why);
        }
        self.drawn(number, column, values)
    }

    fn drawn(&mut self, number: usize, column: BoundColumn<'k>, values: Vec<Value>) -> Source {
        let per_run = self.rows_per_run();
        let form = match column.role {
            Role::Inserted(_) | Role::Set => Form::Whole,
            Role::Array => Form::Array(per_run.clamp(1, ARRAY_MOST) as usize),
            Role::Like => match self.letters(number) {
                Some(letters) => Form::Start(letters),
                None => return self.without_column(number),
            },
            _ => Form::NotNull,
        };
        if column.role == Role::To
            && let Some(from) = self.beginning(number, column)
        {
            return self.behind(number, from, values);
        }
        let is_set = column.role == Role::Set;
        let key = (column.table.last().map_or("", String::as_str), &*column.column.name, is_set);
        let used = self.used.entry(key).or_default();
        let shift = *used + if is_set { values.len().div_ceil(2) } else { 0 };
        *used += 1;
        Source::Drawn { values, shift, form }
    }

    /// The value that a range begins with whose end is `number`.
    fn beginning(&self, number: usize, end: BoundColumn<'_>) -> Option<usize> {
        let same = |other: &BoundColumn<'_>| {
            other.role == Role::From && other.table == end.table && other.column.name == end.column.name
        };
        let begins =
            |at: &usize| self.extras[*at].leader == *at && self.bound.columns[*at].as_ref().is_some_and(same);
        let mut before = (0..number).rev().chain(number + 1..self.bound.columns.len());
        before.find(begins)
    }

    fn behind(&mut self, number: usize, from: usize, values: Vec<Value>) -> Source {
        let example = |at: usize| {
            let text = self.one.template.written.get(at).filter(|text| !text.is_empty())?;
            text.parse::<i64>().ok()
        };
        let seen = example(number).zip(example(from)).map(|(to, from)| to - from).filter(|width| *width >= 0);
        let width = seen.unwrap_or(match self.rows_per_run() {
            rows @ 2.. => rows as i64 - 1,
            _ => RANGE - 1,
        });
        let is_integer = values.iter().any(|value| matches!(value, Value::Number(_)));
        let kept = "the server does not keep how long ranges are";
        let remark = match (is_integer, seen) {
            (true, Some(_)) => None,
            (true, None) => Some(format!("the range has {} numbers, after rows per run: {kept}", width + 1)),
            (false, _) => Some(format!("the next of the sampled values: {kept}")),
        };
        self.extras[number].remark = remark;
        let mut sorted: Vec<Value> = values.into_iter().filter(|value| *value != Value::Null).collect();
        let as_number = |value: &Value| text_of(value).parse::<f64>().ok();
        sorted.sort_by(|left, right| match (as_number(left), as_number(right)) {
            (Some(left), Some(right)) => left.total_cmp(&right),
            _ => text_of(left).cmp(text_of(right)),
        });
        sorted.dedup();
        Source::Behind { from, width, sorted }
    }

    /// Letters that LIKE looks for; `None`: the example's pattern is no beginning of a text.
    fn letters(&mut self, number: usize) -> Option<usize> {
        if self.is_given(number) {
            self.extras[number].remark =
                Some(format!("{LIKE_LETTERS} letters and %: the server does not keep what LIKE looks for"));
            return Some(LIKE_LETTERS);
        }
        let Value::Text(text) = self.example(number) else { return None };
        let start = text.strip_suffix('%')?;
        (!start.is_empty() && !start.contains(['%', '_'])).then(|| start.chars().count())
    }

    pub(super) fn is_given(&self, number: usize) -> bool {
        matches!(self.one.literals[number].kind, Kind::Given(_))
    }

    pub(super) fn example(&self, number: usize) -> Value {
        value(&self.one.counted.text, &self.one.literals[number], &[])
    }

    pub(super) fn rows_per_run(&self) -> u64 {
        let counted = &self.one.counted;
        (counted.rows as f64 / counted.calls.max(1) as f64).round() as u64
    }

    fn values(&self, column: BoundColumn<'_>) -> Vec<Value> {
        let Some(fetched) = self.known.rows.get(column.table) else { return Vec::new() };
        let Some(at) = fetched.columns.iter().position(|one| one.name == column.column.name) else {
            return Vec::new();
        };
        let is_integer = fetched.columns[at].is_integer;
        let value = |row: &Vec<Option<String>>| match row.get(at).cloned().flatten() {
            None => Value::Null,
            Some(text) if is_integer => Value::Number(text.into()),
            Some(text) => Value::Text(text.into()),
        };
        fetched.rows.iter().map(value).collect()
    }
}

/// The place that decides a value: for `$1` the first one that has a column.
fn leader(one: &Kept, bound: &Bound<'_>, number: usize) -> usize {
    let Kind::Given(place) = one.literals[number].kind else { return number };
    let same = || (0..one.literals.len()).filter(|at| one.literals[*at].kind == Kind::Given(place));
    let usable = |at: &usize| bound.columns[*at].is_some_and(|column| column.role != Role::Change);
    same().find(usable).or_else(|| same().next()).unwrap_or(number)
}
