//! Patterns from what a server has counted, instead of from a log: texts without values, how often, how long. Values are drawn
//! from the columns that the placeholders belong to.
//!
//! This part asks no server: it says which tables it must know (`tables`), then of which columns it wants rows (`wants`), and
//! gets all of that as plain data (`Known`).
//!
//! ```text
//!   live/places.rs   which column a placeholder belongs to, and how; finder.rs finds it
//!   live/kept.rs     a statement, what was found out, what is still to be asked
//!   live/bound.rs    the same with the server's columns: each placeholder has its column or none
//!   live/fill.rs     values; source.rs draws them, usual.rs has those of which no column tells
//! ```

mod bound;
mod fill;
mod finder;
mod kept;
mod places;
mod source;
mod usual;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use humdrum_contract::{CountedStatement, Placeholders, SAMPLING_MARK, TableName};

use crate::Options;
use crate::collect::LeftOut;
use crate::event::Dialect;
use crate::literal::Kind;
use crate::pattern::{Pattern, Template};
use crate::scan::{Scanned, scan};
use crate::script::type_before;
use crate::word::{Word, first_word, word};
use finder::Finder;
use kept::Kept;

pub use kept::{Known, Wants};

/// Statements beyond those with most time that are looked at: some turn out to be one test, and some cannot be replayed.
const SPARE: usize = 400;

/// Statements that a server counted and that can be replayed.
pub struct Live {
    dialect: Dialect,
    kept: Vec<Kept>,
    /// Runs of all statements, our own not among them.
    pub statements: u64,
    /// Runs of statements that are not replayed, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
}

/// What was counted between two readings. A counter that has become smaller was reset, and counts from then on.
pub fn between(before: &[CountedStatement], after: Vec<CountedStatement>) -> Vec<CountedStatement> {
    let old: HashMap<&str, &CountedStatement> = before.iter().map(|one| (&*one.key, one)).collect();
    let since = |one: CountedStatement| match old.get(&*one.key).filter(|old| old.calls <= one.calls) {
        Some(old) => CountedStatement {
            calls: one.calls - old.calls,
            seconds: (one.seconds - old.seconds).max(0.0),
            rows: one.rows.saturating_sub(old.rows),
            ..one
        },
        None => one,
    };
    after.into_iter().map(since).filter(|one| one.calls > 0).collect()
}

impl Live {
    /// Of statements; those of the lab itself are passed over. Most time first, and not many more than `most`.
    pub fn of(mut counted: Vec<CountedStatement>, dialect: Dialect, most: usize) -> Self {
        counted.retain(|one| !one.text.contains(SAMPLING_MARK));
        let weight = |one: &CountedStatement| (one.seconds, one.calls);
        counted.sort_by(|left, right| {
            let order = weight(right).partial_cmp(&weight(left)).unwrap_or(std::cmp::Ordering::Equal);
            order.then_with(|| left.key.cmp(&right.key))
        });
        let statements = counted.iter().map(|one| one.calls).sum();
        let mut live = Self { dialect, kept: Vec::new(), statements, left_out: BTreeMap::new() };
        counted.into_iter().for_each(|one| live.add(one, most + SPARE));
        live
    }

    fn add(&mut self, mut counted: CountedStatement, most: usize) {
        let text = counted.text.trim_start();
        let calls = counted.calls;
        if !matches!(first_word(text), Word::Work) {
            return self.leave(LeftOut::Word(word(text)), calls);
        }
        let mut scanned = Scanned::default();
        scan(text, self.dialect, &mut scanned);
        if scanned.reads_catalogue {
            return self.leave(LeftOut::Catalogue, calls);
        }
        if self.kept.len() >= most {
            return self.leave(LeftOut::Server("others took more time".to_owned()), calls);
        }
        counted.text = match self.dialect {
            Dialect::Postgres => with_casts(text),
            Dialect::MySql => text.to_owned(),
        };
        scan(&counted.text, self.dialect, &mut scanned);
        let template = Template::new(scanned.shape, &counted.text, &scanned.literals);
        let read = Finder::find(&template, self.dialect);
        let Scanned { shape, literals, .. } = scanned;
        self.kept.push(Kept { counted, shape, template, literals, read });
    }

    fn leave(&mut self, why: LeftOut, calls: u64) {
        *self.left_out.entry(why).or_default() += calls;
    }

    /// Counts statements whose texts the server did not tell.
    pub fn without_text(&mut self, why: String, calls: u64) {
        self.statements += calls;
        self.leave(LeftOut::Server(why), calls);
    }

    /// Nothing is left that can be replayed.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Their texts, for `Known::placeholders`.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|one| &*one.counted.text)
    }

    /// Leaves out those that the server takes for no statements.
    pub fn refuse(&mut self, known: &Known) {
        let all = std::mem::take(&mut self.kept);
        for one in all {
            match known.placeholders.get(&one.counted.text) {
                Some(Placeholders::NoStatement(_)) => {
                    self.leave(LeftOut::Server(NO_STATEMENT.to_owned()), one.counted.calls);
                }
                _ => self.kept.push(one),
            }
        }
    }

    /// The tables that they name.
    pub fn tables(&self) -> BTreeSet<TableName> {
        self.kept.iter().flat_map(|one| one.read.tables.iter().cloned()).collect()
    }

    /// What their values are drawn from.
    pub fn wants(&self, known: &Known) -> Wants {
        let mut wants = Wants::default();
        for one in &self.kept {
            bound::bind(one, known).wants(&mut wants);
        }
        wants
    }

    /// A pattern each, with values.
    pub fn patterns(self, known: &Known, options: Options) -> Vec<Pattern> {
        let Self { dialect, kept, .. } = self;
        kept.into_iter().map(|one| fill::pattern(one, known, dialect, options)).collect()
    }
}

const NO_STATEMENT: &str = "the server keeps them in a form that cannot be run";

/// `date $1` and the like, which Postgres takes only of a text, as casts.
fn with_casts(text: &str) -> String {
    let mut scanned = Scanned::default();
    scan(text, Dialect::Postgres, &mut scanned);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for literal in &scanned.literals {
        let before = &text[at..literal.start];
        let shown = &text[literal.start..literal.end];
        at = literal.end;
        out.push_str(before);
        match type_before(&out).filter(|_| matches!(literal.kind, Kind::Given(_))) {
            Some((kind, start)) => {
                out.truncate(start);
                out.push_str(&format!("CAST({shown} AS {kind})"));
            }
            None => out.push_str(shown),
        }
    }
    out + &text[at..]
}

#[cfg(test)]
mod tests;
