//! What a running server has counted of its statements, and samples of its rows: all that `humdrum capture` asks a server for.
//! Nothing is written there.

use humdrum_model::Fault;

use crate::{Fetched, Outcome};

/// A word in the texts of all questions that are asked through this trait, so that counters of them can be told from others.
pub const SAMPLING_MARK: &str = "humdrum_sample";

/// A statement that a server counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountedStatement {
    /// Tells it from others, the same in each reading.
    pub key: String,
    /// Its text with the dialect's placeholders in place of values, or the text of one of its runs.
    pub text: String,
    /// How often it ran.
    pub calls: u64,
    /// How long all runs took together.
    pub seconds: f64,
    /// Rows that all runs returned or changed.
    pub rows: u64,
}

/// One reading of all counters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Statements of the connection's database, all those that ran since the counters were reset.
    pub statements: Vec<CountedStatement>,
    /// Statements without a text that can be used: why, and how often they ran.
    pub without_text: Vec<(String, u64)>,
    /// Statements that the server no longer counts, because it keeps only so many.
    pub forgotten: u64,
    /// What keeps so few, as a user would change it.
    pub forgets_less: &'static str,
}

/// What values a column or a placeholder takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Whole numbers up to this one.
    Integer {
        /// The largest.
        most: i64,
    },
    /// Other numbers.
    Number,
    /// Texts of at most so many characters.
    Text {
        /// The longest; `None`: any.
        characters: Option<u32>,
    },
    /// True and false.
    Boolean,
    /// Dates and moments.
    Moment,
    /// Lengths of time.
    Span,
    /// Anything else.
    Other,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub kind: ValueKind,
    /// Names of the unique indexes that it is in.
    pub unique_in: Vec<String>,
    /// Its values are those of another table's column.
    pub refers: bool,
}

/// A table's name: its parts from the outermost on, as the server writes them, without quotes.
pub type TableName = Vec<String>;

/// What a server says of a statement's placeholders without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placeholders {
    /// What each takes.
    Known(Vec<ValueKind>),
    /// It does not tell.
    Unknown,
    /// The text is no statement, and why.
    NoStatement(String),
}

/// A running server that counts its statements. Faults of the kind `Environment` leave it usable.
pub trait StatementCounter: Send {
    /// The first placeholder of its language: `$1` or `?`.
    fn placeholder(&self) -> String;
    /// The database that is asked, for people.
    fn database(&self) -> String;
    /// Reads all counters.
    ///
    /// # Errors
    /// Usage: it does not count, or this user may not read it; crash, timeout.
    fn count(&mut self) -> Outcome<Counted>;
    /// The columns of a table, in order; none if there is no such table.
    ///
    /// # Errors
    /// As `rows`.
    fn columns(&mut self, table: &TableName) -> Outcome<Vec<TableColumn>>;
    /// Values of some columns, of at most so many rows drawn from all of a table.
    ///
    /// # Errors
    /// Environment: it may not be read, or that takes too long; crash, timeout.
    fn rows(&mut self, table: &TableName, columns: &[String], most: usize) -> Outcome<Fetched>;
    /// The largest value of a column of integers.
    ///
    /// # Errors
    /// As `rows`.
    fn highest(&mut self, table: &TableName, column: &str) -> Outcome<Option<i64>>;
    /// What the placeholders of a statement take.
    ///
    /// # Errors
    /// Crash, timeout.
    fn placeholders(&mut self, _statement: &str) -> Outcome<Placeholders> {
        Ok(Placeholders::Unknown)
    }
}

/// The fault for an engine whose servers count nothing.
pub fn does_not_count(engine: &str) -> Fault {
    Fault::usage(format!("servers of {engine} do not count statements"))
        .hint("name the URL of a server that does, or a log; `humdrum capture --help` lists both")
}
