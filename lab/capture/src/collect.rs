//! Statements in, patterns out: counts, times and samples of values by shape.

use std::collections::{BTreeMap, HashMap};

use humdrum_contract::Random;

use crate::Options;
use crate::event::{Dialect, Event};
use crate::pattern::{End, Pattern, Template};
use crate::reservoir::Reservoir;
use crate::scan::{Kind, Scanned, scan, value};
use crate::session::{Open, STATEMENTS_MAX};

/// Different patterns that are kept; statements of further ones are only counted.
const PATTERNS_MAX: usize = 20_000;
/// Sessions with an open transaction.
const SESSIONS_MAX: usize = 100_000;

/// Without these a transaction does the same work.
const HARMLESS: [&str; 6] = ["DEALLOCATE", "RELEASE", "RESET", "SAVEPOINT", "SET", "SHOW"];

/// Why a statement is not replayed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Its first word: SET, COPY, CREATE and the like.
    Word(String),
    /// It reads the server's own catalogue.
    Catalogue,
    /// The log does not have its values.
    NoValues,
    /// It is in a transaction of too many statements.
    LongTransaction,
    /// There were too many different ones before it.
    TooMany,
    /// The server that was asked says why.
    Server(String),
}

/// What was read.
pub struct Captured {
    options: Options,
    dialect: Dialect,
    sessions: HashMap<u64, Open>,
    patterns: HashMap<u64, Pattern>,
    scanned: Scanned,
    /// Statements that were read.
    pub statements: u64,
    /// Statements for which the log has a time.
    pub timed: u64,
    /// Statements of sessions that the log tells apart.
    pub in_sessions: u64,
    /// Statements that are not replayed, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Lines that the reader did not understand.
    pub unknown_lines: u64,
}

impl Captured {
    /// Nothing yet.
    pub fn new(options: Options, dialect: Dialect) -> Self {
        Self {
            options,
            dialect,
            sessions: HashMap::new(),
            patterns: HashMap::new(),
            scanned: Scanned::default(),
            statements: 0,
            timed: 0,
            in_sessions: 0,
            left_out: BTreeMap::new(),
            unknown_lines: 0,
        }
    }

    /// The language of its statements.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The patterns.
    pub fn patterns(self) -> Vec<Pattern> {
        let mut patterns: Vec<(u64, Pattern)> = self.patterns.into_iter().collect();
        // A map has no order, and equal logs must give equal folders.
        patterns.sort_by_key(|(key, _)| *key);
        patterns.into_iter().map(|(_, pattern)| pattern).collect()
    }

    /// One more statement.
    pub fn add(&mut self, event: &Event<'_>) {
        self.statements += 1;
        self.timed += u64::from(event.seconds.is_some());
        self.in_sessions += u64::from(event.session.is_some());
        let text = event.text.trim_start();
        match (first_word(text), event.session) {
            (Word::Begin, Some(session)) => {
                if self.sessions.len() < SESSIONS_MAX {
                    let mut open = Open::default();
                    open.seconds = event.seconds.unwrap_or(0.0);
                    self.sessions.insert(session, open);
                }
            }
            (Word::Commit, Some(session)) => self.close(session, event, End::Commit),
            (Word::Rollback, Some(session)) => self.close(session, event, End::Rollback),
            (Word::Begin | Word::Commit | Word::Rollback, None) => self.leave(LeftOut::Word(word(text))),
            (Word::Other, session) => {
                let word = word(text);
                let open = session.and_then(|session| self.sessions.get_mut(&session));
                if let Some(open) = open.filter(|_| !HARMLESS.contains(&word.as_str())) {
                    open.spoiled = true;
                }
                self.leave(LeftOut::Word(word));
            }
            (Word::Work, _) => self.work(event),
        }
    }

    fn work(&mut self, event: &Event<'_>) {
        if reads_catalogue(event.text) {
            return self.leave(LeftOut::Catalogue);
        }
        scan(event.text, self.dialect, &mut self.scanned);
        let open = event.session.and_then(|session| self.sessions.get_mut(&session));
        let has = |number: usize| event.values.len() > number;
        let lacks =
            self.scanned.literals.iter().any(|one| matches!(one.kind, Kind::Given(number) if !has(number)));
        if lacks {
            if let Some(open) = open {
                open.spoiled = true;
            }
            return self.leave(LeftOut::NoValues);
        }
        match open {
            Some(open) => open.add(event, &self.scanned),
            None => self.alone(event),
        }
    }

    fn alone(&mut self, event: &Event<'_>) {
        let Scanned { shape, literals } = &self.scanned;
        let is_full = self.patterns.len() >= PATTERNS_MAX;
        if is_full && !self.patterns.contains_key(shape) {
            return self.leave(LeftOut::TooMany);
        }
        let new = || Pattern {
            statements: vec![Template::new(*shape, event.text, literals)],
            end: End::Alone,
            count: 0,
            seconds: 0.0,
            samples: reservoir(self.options, *shape),
            extras: Vec::new(),
            remarks: Vec::new(),
        };
        let pattern = self.patterns.entry(*shape).or_insert_with(new);
        pattern.count += 1;
        pattern.seconds += event.seconds.unwrap_or(0.0);
        pattern.samples.offer(|| literals.iter().map(|one| value(event.text, one, event.values)).collect());
    }

    fn close(&mut self, session: u64, event: &Event<'_>, end: End) {
        let Some(mut open) = self.sessions.remove(&session) else { return };
        open.seconds += event.seconds.unwrap_or(0.0);
        if open.spoiled {
            return self.leave(LeftOut::LongTransaction);
        }
        let key = open.key(end);
        if open.is_empty() {
            return;
        }
        if self.patterns.len() >= PATTERNS_MAX && !self.patterns.contains_key(&key) {
            return self.leave(LeftOut::TooMany);
        }
        let new = || Pattern {
            statements: open.templates(),
            end,
            count: 0,
            seconds: 0.0,
            samples: reservoir(self.options, key),
            extras: Vec::new(),
            remarks: Vec::new(),
        };
        let pattern = self.patterns.entry(key).or_insert_with(new);
        pattern.count += 1;
        pattern.seconds += open.seconds;
        pattern.samples.offer(|| open.values());
    }

    fn leave(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }
}

fn reservoir<T>(options: Options, key: u64) -> Reservoir<T> {
    Reservoir::new(options.samples, Random::of(options.seed, key))
}

/// What a statement's first word makes of it.
pub(crate) enum Word {
    Begin,
    Commit,
    Rollback,
    Work,
    Other,
}

pub(crate) fn first_word(text: &str) -> Word {
    let end = text.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(text.len());
    let (first, rest) = (&text[..end], text[end..].trim_start());
    let is = |word: &str| first.eq_ignore_ascii_case(word);
    let second = |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    // Most frequent first.
    const WORK: [&str; 9] =
        ["SELECT", "UPDATE", "INSERT", "DELETE", "WITH", "REPLACE", "MERGE", "VALUES", "CALL"];
    if WORK.iter().any(|word| is(word)) || text.starts_with("(SELECT") || text.starts_with("(select") {
        return Word::Work;
    }
    if is("BEGIN") || (is("START") && second("TRANSACTION")) {
        return Word::Begin;
    }
    if is("COMMIT") || is("END") {
        return Word::Commit;
    }
    if (is("ROLLBACK") && !second("TO")) || is("ABORT") {
        return Word::Rollback;
    }
    Word::Other
}

/// The first word in capitals, for people.
pub(crate) fn word(text: &str) -> String {
    let word: String = text.chars().take_while(|letter| letter.is_ascii_alphabetic()).take(20).collect();
    if word.is_empty() { "?".to_owned() } else { word.to_ascii_uppercase() }
}

pub(crate) fn reads_catalogue(text: &str) -> bool {
    let of = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    [" pg_", "information_schema", "INFORMATION_SCHEMA", "performance_schema"].into_iter().any(of)
}

/// For messages.
impl LeftOut {
    /// The reason in words.
    pub fn why(&self) -> String {
        match self {
            Self::Word(word) => format!("{word} is no statement that is replayed"),
            Self::Catalogue => "they read the server's catalogue".to_owned(),
            Self::NoValues => {
                "the log does not have their values (Postgres: log_parameter_max_length)".to_owned()
            }
            Self::Server(why) => why.clone(),
            Self::LongTransaction => {
                format!(
                    "their transaction has more than {STATEMENTS_MAX} statements, or one that cannot be replayed"
                )
            }
            Self::TooMany => format!("more than {PATTERNS_MAX} different ones were before them"),
        }
    }
}
