//! Statements in, patterns out: counts, times and samples of values by shape.

use std::collections::BTreeMap;

use crate::Options;
use crate::event::{Dialect, Event};
use crate::keys::Map;
use crate::literal::{Kind, value};
use crate::memory::{
    OPEN_BYTES_MAX, REASONS_MAX, STATEMENT_BYTES_MAX, TEXTS_BYTES_MAX, VALUES_MAX, of_pattern, of_values,
};
use crate::pattern::{End, Pattern, Template};
use crate::patterns::{PATTERNS_MAX, Patterns, Run};
use crate::scan::{Scanned, scan};
use crate::session::{Open, STATEMENTS_MAX};
use crate::word::{Word, first_word, word};

/// Sessions with an open transaction.
const SESSIONS_MAX: usize = 100_000;
/// Transactions that have ended whose memory is used again.
const SPARE_MAX: usize = 64;

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
    /// It has too many bytes or values.
    TooLong,
    /// There were too many different ones before it.
    TooMany,
    /// The server that was asked says why.
    Server(String),
}

/// What was read.
pub struct Captured {
    dialect: Dialect,
    /// Open transactions, and what their statements need.
    sessions: Map<Open>,
    open_bytes: usize,
    spare: Vec<Open>,
    patterns: Patterns,
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
            dialect,
            sessions: Map::default(),
            open_bytes: 0,
            spare: Vec::new(),
            patterns: Patterns::new(options),
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
        self.patterns.in_order()
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
                    let mut open = self.spare.pop().unwrap_or_default();
                    open.seconds = event.seconds.unwrap_or(0.0);
                    let before = self.sessions.insert(session, open);
                    self.open_bytes -= before.map_or(0, |open| open.bytes());
                }
            }
            (Word::Commit, Some(session)) => self.close(session, event, End::Commit),
            (Word::Rollback, Some(session)) => self.close(session, event, End::Rollback),
            (Word::Begin | Word::Commit | Word::Rollback, None) => self.leave(LeftOut::Word(word(text))),
            (Word::Other, session) => {
                let word = word(text);
                if !HARMLESS.contains(&word.as_str()) {
                    self.spoil(session);
                }
                self.leave(LeftOut::Word(word));
            }
            (Word::Work, _) => self.work(event),
        }
    }

    fn work(&mut self, event: &Event<'_>) {
        if event.text.len() > STATEMENT_BYTES_MAX {
            self.spoil(event.session);
            return self.leave(LeftOut::TooLong);
        }
        scan(event.text, self.dialect, &mut self.scanned);
        if self.scanned.reads_catalogue {
            return self.leave(LeftOut::Catalogue);
        }
        let Scanned { shape, literals, .. } = &self.scanned;
        let has = |number: usize| event.values.len() > number;
        let lacks = || literals.iter().any(|one| matches!(one.kind, Kind::Given(number) if !has(number)));
        let why = if literals.len() > VALUES_MAX {
            Some(LeftOut::TooLong)
        } else {
            lacks().then_some(LeftOut::NoValues)
        };
        if let Some(why) = why {
            self.spoil(event.session);
            return self.leave(why);
        }
        if let Some(open) = event.session.and_then(|session| self.sessions.get_mut(&session)) {
            self.open_bytes -= open.bytes();
            open.add(event, &self.scanned);
            if self.open_bytes + open.bytes() > OPEN_BYTES_MAX {
                open.spoil();
            }
            self.open_bytes += open.bytes();
            return;
        }
        let run = Run {
            key: *shape,
            end: End::Alone,
            seconds: event.seconds.unwrap_or(0.0),
            bytes: of_pattern(event.text.len(), literals.len(), of_values(event.values)),
        };
        let statements = || vec![Template::new(*shape, event.text, literals)];
        let values = || literals.iter().map(|one| value(event.text, one, event.values)).collect();
        if !self.patterns.count(&run, statements, values) {
            self.leave(LeftOut::TooMany);
        }
    }

    /// The session's transaction cannot be replayed.
    fn spoil(&mut self, session: Option<u64>) {
        if let Some(open) = session.and_then(|session| self.sessions.get_mut(&session)) {
            self.open_bytes -= open.bytes();
            open.spoil();
        }
    }

    fn close(&mut self, session: u64, event: &Event<'_>, end: End) {
        let Some(open) = self.sessions.remove(&session) else { return };
        self.open_bytes -= open.bytes();
        if open.spoiled {
            return self.leave(LeftOut::LongTransaction);
        }
        if open.is_empty() {
            return;
        }
        let seconds = open.seconds + event.seconds.unwrap_or(0.0);
        let run = Run { key: open.key(end), end, seconds, bytes: open.pattern_bytes() };
        if !self.patterns.count(&run, || open.templates(), || open.values()) {
            self.leave(LeftOut::TooMany);
        }
        if self.spare.len() < SPARE_MAX {
            self.spare.extend(open.emptied());
        }
    }

    fn leave(&mut self, why: LeftOut) {
        let is_known = self.left_out.len() < REASONS_MAX || self.left_out.contains_key(&why);
        let why = if is_known { why } else { LeftOut::Word("?".to_owned()) };
        *self.left_out.entry(why).or_default() += 1;
    }
}

/// For messages.
impl LeftOut {
    /// The reason in words.
    pub fn why(&self) -> String {
        match self {
            Self::Word(word) => format!("{word} is no statement that is replayed"),
            Self::Catalogue => "they read the server's catalogue".to_owned(),
            Self::Server(why) => why.clone(),
            Self::NoValues => {
                "the log does not have their values (Postgres: log_parameter_max_length)".to_owned()
            }
            Self::LongTransaction => {
                format!(
                    "their transaction has more than {STATEMENTS_MAX} statements, or one that cannot be replayed"
                )
            }
            Self::TooLong => {
                format!("they have more than {} MiB, or {VALUES_MAX} values", STATEMENT_BYTES_MAX >> 20)
            }
            Self::TooMany => format!(
                "more than {PATTERNS_MAX} different ones, or {} MiB of them, were before them",
                TEXTS_BYTES_MAX >> 20
            ),
        }
    }
}
