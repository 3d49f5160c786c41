//! SQL statements of a script: where one ends, and where its variables stand.
//!
//! Quotes ('', "", ``), dollar quotes and comments are respected: no `;` or `:name` in them counts. A backslash is an
//! escape in `E'…'` alone, on all engines; elsewhere a quote in a text is written twice. Comments from `--` to the end of
//! a line are left out; others stay, because some engines read hints in them.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::names::{Names, is_name_byte, leading_name};
use crate::source::Source;

/// A statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sql {
    /// Its text in parts, without the semicolon.
    pub pieces: Vec<Piece>,
    /// What becomes of its answer.
    pub keep: Option<Keep>,
}

/// The values of an answer become variables, named after its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep {
    /// In front of the columns' names.
    pub prefix: String,
    /// The answer must have exactly one row (`\gset`). Else its last row is kept (`\aset`).
    pub one_row: bool,
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// As written.
    Text(String),
    /// A variable.
    Variable(usize),
}

/// What ended a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Semicolon,
    /// The next command follows, and is not read yet.
    Backslash,
    File,
}

impl Sql {
    /// The text for the server. `parameter` gives the placeholder of the nth variable, from 1.
    pub fn text(&self, parameter: impl Fn(usize) -> String) -> String {
        let mut number = 0;
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Variable(_) => {
                number += 1;
                parameter(number)
            }
        };
        self.pieces.iter().map(piece).collect()
    }

    /// The variables, one for each placeholder.
    pub fn variables(&self) -> Vec<usize> {
        let variable = |piece: &Piece| match piece {
            Piece::Variable(number) => Some(*number),
            Piece::Text(_) => None,
        };
        self.pieces.iter().filter_map(variable).collect()
    }

    /// The same for engines that do not know `END`, which means COMMIT.
    pub(crate) fn spoken_by_all(&self) -> Self {
        let mut sql = self.clone();
        if let [Piece::Text(text)] = &mut *sql.pieces {
            let mut words = text.split_whitespace().map(str::to_ascii_uppercase);
            let end = words.next().is_some_and(|word| word == "END");
            if end && words.all(|word| ["WORK", "TRANSACTION"].contains(&word.as_str())) {
                *text = "COMMIT".to_owned();
            }
        }
        sql
    }

    fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Takes the blanks from both ends.
    fn trim(&mut self) {
        if let Some(Piece::Text(first)) = self.pieces.first_mut() {
            *first = first.trim_start().to_owned();
        }
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            *last = last.trim_end().to_owned();
        }
        self.pieces.retain(|piece| *piece != Piece::Text(String::new()));
    }
}

/// Reads a statement from a byte on. Returns it, the byte behind it, and what ended it.
pub(crate) fn statement(source: &Source<'_>, from: usize, names: &mut Names) -> Outcome<(Sql, usize, End)> {
    let (mut sql, mut at, mut open) = (Sql::default(), from, 0_u32);
    let end = loop {
        let rest = source.rest(at);
        let Some(first) = rest.chars().next() else { break End::File };
        if let Some(length) = apart(source, at)? {
            sql.push(if rest.starts_with("--") { "" } else { &rest[..length] });
            at += length;
            continue;
        }
        match first {
            ';' if open == 0 => break End::Semicolon,
            '\\' if rest.starts_with("\\;") => {
                let fault = source.fault(at, "`\\;` is not offered");
                return Err(fault.hint("end the statement with `;`: each one is sent by itself"));
            }
            '\\' => break End::Backslash,
            ':' if begins_variable(source.text, at) => {
                let name = leading_name(&rest[1..]);
                sql.pieces.push(Piece::Variable(names.read(name, source, at)?));
                at += 1 + name.len();
                continue;
            }
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        sql.push(&rest[..first.len_utf8()]);
        at += first.len_utf8();
    };
    sql.trim();
    Ok((sql, at + usize::from(end == End::Semicolon), end))
}

/// Whether the colon at a byte begins a variable. A cast (`::int`), an assignment (`:=`) and a slice (`[1:2]`) do not.
fn begins_variable(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let doubled = at > 0 && bytes[at - 1] == b':';
    !doubled && bytes.get(at + 1).is_some_and(|next| is_name_byte(*next) && !next.is_ascii_digit())
}

/// The length of what begins at a byte and is read as a whole: a quoted text or name, or a comment.
fn apart(source: &Source<'_>, at: usize) -> Outcome<Option<usize>> {
    let rest = source.rest(at);
    if rest.starts_with("--") {
        return Ok(Some(rest.find('\n').unwrap_or(rest.len())));
    }
    let (length, what, end) = match rest.as_bytes().first() {
        Some(b'/') if rest.starts_with("/*") => (comment(rest), "comment", "*/"),
        Some(b'\'') => (quoted(rest, '\'', has_escapes(source.text, at)), "quote", "'"),
        Some(b'"') => (quoted(rest, '"', false), "quote", "\""),
        Some(b'`') => (quoted(rest, '`', false), "quote", "`"),
        Some(b'$') => match dollar_tag(source.text, at) {
            Some(tag) => {
                (rest[tag.len()..].find(tag).map(|inner| inner + 2 * tag.len()), "dollar quote", tag)
            }
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    length.map(Some).ok_or_else(|| not_closed(source.fault(at, format!("this {what} is not closed")), end))
}

/// How to close what `end` closes.
fn not_closed(fault: Fault, end: &str) -> Fault {
    match end {
        "'" => fault.hint("write ' behind its text; a ' within a text is written twice: 'it''s'"),
        "\"" | "`" => fault.hint(format!("write {end} behind the name; within a name it is written twice")),
        "*/" => fault.hint("write */ behind it; each /* within a comment needs a */ of its own"),
        tag => fault.hint(format!("write {tag} behind its text")),
    }
}

/// To the closing quote. A doubled one needs no attention: its second half opens the next text.
fn quoted(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' if escapes => escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Whether the quote at a byte belongs to `E'…'`.
fn has_escapes(text: &str, at: usize) -> bool {
    let mut before = text.as_bytes()[..at].iter().rev();
    before.next().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'))
        && !before.next().is_some_and(|byte| is_name_byte(*byte))
}

/// Comments may hold comments.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let pair = text.as_bytes().get(at..at + 2)?;
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// `$tag$` or `$$` at a byte.
fn dollar_tag(text: &str, at: usize) -> Option<&str> {
    let inside_name = at > 0 && is_name_byte(text.as_bytes()[at - 1]);
    let name = leading_name(&text[at + 1..]);
    let is_tag = !inside_name && !name.starts_with(|first: char| first.is_ascii_digit());
    let end = at + 1 + name.len();
    (is_tag && text[end..].starts_with('$')).then(|| &text[at..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, End) {
        let mut names = Names::default();
        names.assign("id");
        let (sql, _, end) = statement(&Source { file: "a.sql", text }, 0, &mut names).expect("a statement");
        (sql.text(|number| format!("${number}")), end)
    }

    #[test]
    fn variables_become_parameters_outside_quotes_and_comments() {
        let kept = [
            (
                "SELECT :id::int, ':id', \":id\" /* :id; */ -- :id;\n, :id;",
                "SELECT $1::int, ':id', \":id\" /* :id; */ \n, $2",
            ),
            (
                "SELECT a[1:2], $q$ ; :id $q$, $$;$$, `;`, 'it''s;';",
                "SELECT a[1:2], $q$ ; :id $q$, $$;$$, `;`, 'it''s;'",
            ),
            (r"SELECT E'\';', '\', 1;", r"SELECT E'\';', '\', 1"),
            ("SET @a := 1, t$id$b = /* /* ; */ ; */ 2;", "SET @a := 1, t$id$b = /* /* ; */ ; */ 2"),
            ("CREATE RULE r DO (SELECT 1; SELECT 2);", "CREATE RULE r DO (SELECT 1; SELECT 2)"),
        ];
        for (text, wanted) in kept {
            assert_eq!(read(text), (wanted.to_owned(), End::Semicolon));
        }
    }

    #[test]
    fn a_statement_ends_at_a_semicolon_a_command_or_the_files_end() {
        assert_eq!(read("  SELECT\n 1 ; SELECT 2;"), ("SELECT\n 1".into(), End::Semicolon));
        assert_eq!(read("SELECT 1\n\\set a 1"), ("SELECT 1".into(), End::Backslash));
        assert_eq!(read("SELECT 1\n"), ("SELECT 1".into(), End::File));
    }

    #[test]
    fn what_is_not_closed_is_named() {
        for (text, what) in [
            ("SELECT\n 'a;", "a.sql:2:2: this quote is not closed"),
            ("/* a /* b */", "a.sql:1:1: this comment is not closed"),
            ("SELECT $a$ $b$", "a.sql:1:8: this dollar quote is not closed"),
        ] {
            let source = Source { file: "a.sql", text };
            assert_eq!(statement(&source, 0, &mut Names::default()).expect_err("open").to_string(), what);
        }
    }
}
