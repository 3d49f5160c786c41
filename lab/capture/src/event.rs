//! One statement of a log.

/// The language of a log's statements, as far as reading them depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `'` doubled within texts, `$1`, `$tag$`, `"` around names.
    Postgres,
    /// `\` within texts, `"` around texts, `` ` `` around names, `#` before comments.
    MySql,
}

impl Dialect {
    /// The language whose first placeholder is this.
    pub fn of_placeholder(placeholder: &str) -> Self {
        if placeholder.starts_with('$') { Self::Postgres } else { Self::MySql }
    }
}

/// A value of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// NULL.
    Null,
    /// A number, as it is written.
    Number(Box<str>),
    /// A text, without its quotes.
    Text(Box<str>),
}

/// A statement that a server ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'l> {
    /// Tells sessions apart; `None` where the log does not.
    pub session: Option<u64>,
    /// Its text.
    pub text: &'l str,
    /// The values of `$1`, `$2`, …, where the log has them.
    pub values: &'l [Value],
    /// How long it took, where the log tells.
    pub seconds: Option<f64>,
}
