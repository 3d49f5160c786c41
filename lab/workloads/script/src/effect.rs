//! What a script does to the tables, told from the words of its statements.

use crate::parse::Script;
use crate::sql::{Piece, Sql};

/// What a script does to the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    #[default]
    Reads,
    /// It changes rows and leaves as many as it found.
    Changes,
    /// It may change how many rows there are.
    Resizes,
}

/// First words of statements that change no rows.
const READING: [&str; 27] = [
    "ABORT",
    "BEGIN",
    "CLOSE",
    "COMMIT",
    "DECLARE",
    "DESC",
    "DESCRIBE",
    "DISCARD",
    "END",
    "EXPLAIN",
    "FETCH",
    "LISTEN",
    "MOVE",
    "NOTIFY",
    "RELEASE",
    "RESET",
    "ROLLBACK",
    "SAVEPOINT",
    "SELECT",
    "SET",
    "SHOW",
    "START",
    "TABLE",
    "UNLISTEN",
    "USE",
    "VALUES",
    "WITH",
];

impl Effect {
    /// That of a script: the strongest of its statements.
    pub(crate) fn of(script: &Script) -> Self {
        script.statements().map(of_statement).max().unwrap_or_default()
    }

    /// The same, unless the user says whether it writes.
    pub(crate) fn or_as_said(self, writes: Option<bool>) -> Self {
        match writes {
            Some(false) => Self::Reads,
            Some(true) if self == Self::Reads => Self::Resizes,
            _ => self,
        }
    }

    /// The group of a test that does this.
    pub(crate) fn group(self) -> &'static str {
        if self == Self::Reads { "read" } else { "write" }
    }
}

/// Whether all engines count the same rows for a statement. For an UPDATE, some count the rows that it found and others those
/// that it changed.
pub(crate) fn counts_alike(sql: &Sql) -> bool {
    let words = words(sql);
    words.first().is_none_or(|first| first != "UPDATE") || words.iter().any(|word| word == "RETURNING")
}

/// Whether the first word of a statement is one of these, in capitals.
pub(crate) fn begins_with(sql: &Sql, known: &[&str]) -> bool {
    words(sql).first().is_some_and(|first| known.contains(&first.as_str()))
}

fn of_statement(sql: &Sql) -> Effect {
    let words = words(sql);
    let has = |word: &str| words.iter().any(|known| known == word);
    let inside = || match () {
        () if has("INSERT") || has("DELETE") || has("MERGE") => Effect::Resizes,
        () if has("UPDATE") => Effect::Changes,
        () => Effect::Reads,
    };
    match words.first().map(String::as_str) {
        None => Effect::Reads,
        // Locks of rows are written into them by some engines.
        Some("SELECT" | "WITH") => inside(),
        Some("UPDATE") => Effect::Changes,
        Some(word) if READING.contains(&word) => Effect::Reads,
        Some(_) => Effect::Resizes,
    }
}

/// Words in capitals, those in quotes and comments left out.
fn words(sql: &Sql) -> Vec<String> {
    let (mut all, mut quote) = (Vec::new(), None);
    for piece in &sql.pieces {
        let Piece::Text(text) = piece else { continue };
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let length = match quote {
                Some(end) if rest.starts_with(end) => {
                    quote = None;
                    str::len(end)
                }
                Some(_) => first.len_utf8(),
                None => opened(rest).map_or_else(
                    || word(rest, &mut all),
                    |(begin, end)| {
                        quote = Some(end);
                        begin.len()
                    },
                ),
            };
            rest = &rest[length..];
        }
    }
    all
}

/// The mark at the start of a text that begins a quote or comment, and the one that ends it.
fn opened(text: &str) -> Option<(&'static str, &'static str)> {
    let marks = [("'", "'"), ("\"", "\""), ("`", "`"), ("/*", "*/"), ("$$", "$$")];
    marks.into_iter().find(|(begin, _)| text.starts_with(begin))
}

/// Takes the word at the start of a text, or one character; returns its length.
fn word(text: &str, all: &mut Vec<String>) -> usize {
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if length == 0 {
        return text.chars().next().map_or(1, char::len_utf8);
    }
    all.push(text[..length].to_ascii_uppercase());
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn effects_are_told_from_words() {
        for (text, wanted) in [
            ("BEGIN; SELECT 1; END;", Effect::Reads),
            ("/*+ hint */ select * from t where a = 'UPDATE'", Effect::Reads),
            ("SELECT a FROM t WHERE id = 1 FOR UPDATE", Effect::Changes),
            ("BEGIN; UPDATE t SET a = 1; COMMIT", Effect::Changes),
            ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", Effect::Resizes),
            ("UPDATE t SET a = 1; INSERT INTO t VALUES (1)", Effect::Resizes),
            ("CALL p()", Effect::Resizes),
            ("SHOW TABLES; SET a = 1", Effect::Reads),
        ] {
            let script = Script::parse(&Source { file: "a.sql", text }).expect("a script");
            assert_eq!(Effect::of(&script), wanted, "{text}");
        }
        assert_eq!(Effect::Resizes.or_as_said(Some(false)), Effect::Reads);
        assert_eq!(Effect::Reads.or_as_said(Some(true)), Effect::Resizes);
        assert_eq!(Effect::Changes.or_as_said(Some(true)), Effect::Changes);
    }
}
