//! Makes text from outside (labels, settings, server logs) harmless, and fits text to a width.
//!
//! A label may hold ANSI escapes, NUL, right-to-left overrides or a thousand letters. It must not control the terminal or
//! break a table. Every label passes through this file, so it also hides the passwords in server URLs.

use std::borrow::Cow;

/// One harmless line: control and direction characters become visible marks, line breaks and tabs spaces, and the
/// password of a URL `***`.
pub(crate) fn clean(text: &str) -> String {
    redact(text).chars().map(harmless).collect()
}

/// `1, 4 and 16`.
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// The same with a capital letter.
pub(crate) fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>()).unwrap_or_default();
    first + letters.as_str()
}

/// Several harmless lines.
pub(crate) fn clean_lines(text: &str) -> Vec<String> {
    text.lines().map(clean).collect()
}

/// Longest line on the console, in columns. A longer one would push earlier output off the screen.
const CONSOLE_COLUMNS_MAX: usize = 2000;

/// Harmless lines for the console. A line of more than 2000 columns loses its middle.
pub fn printable(text: &str) -> String {
    let lines: Vec<String> =
        clean_lines(text).iter().map(|line| shorten(line, CONSOLE_COLUMNS_MAX)).collect();
    lines.join("\n")
}

/// Harmless inside a Markdown table cell or paragraph: nothing in it is markup.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
    out
}

/// Harmless as Markdown code: for labels, which sites would otherwise show as mail addresses (`postgres@17.7`). Code has
/// no escapes, so letters that could end the code or a table cell are replaced.
pub(crate) fn code(text: &str) -> String {
    let inner: String = clean(text).replace('`', "'").replace('|', "¦").replace('<', "‹").replace('>', "›");
    format!("`{inner}`")
}

/// The pieces of a text in which names stand between backticks, as explanations write them, and whether each is such a name. A backtick
/// without its second is a letter.
pub(crate) fn ticked(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let pairs = text.matches('`').count().is_multiple_of(2);
    let pieces: Vec<&str> = if pairs { text.split('`').collect() } else { vec![text] };
    pieces.into_iter().enumerate().map(|(place, piece)| (place % 2 == 1, piece))
}

/// Markdown of such a text: names are code, the rest is what `plain` makes of it.
pub(crate) fn ticked_markdown(text: &str, plain: impl Fn(&str) -> String) -> String {
    ticked(text).map(|(is_name, piece)| if is_name { code(piece) } else { plain(piece) }).collect()
}

/// The password of every `scheme://user:password@` replaced.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    let Some(scheme) = text.find("://") else { return Cow::Borrowed(text) };
    let (head, rest) = text.split_at(scheme + 3);
    let end = rest.find(|letter: char| letter == '/' || letter.is_whitespace()).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let hidden = authority.rsplit_once('@').and_then(|(user, host)| {
        let (name, _) = user.split_once(':')?;
        Some(format!("{name}:***@{host}"))
    });
    let authority = hidden.as_deref().unwrap_or(authority);
    Cow::Owned(format!("{head}{authority}{}", redact(tail)))
}

/// The word quoted for a POSIX shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "@=+,./:_-%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn harmless(letter: char) -> char {
    match letter {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        // Invisible, joining and direction characters: they could make one label look like another.
        '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

/// Columns that the text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The text in at most `columns`. An ellipsis replaces the middle, because similar names differ at their ends.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let room = columns - 1;
    let head = take(text.chars(), room.div_ceil(2));
    let tail: String = take(text.chars().rev(), room / 2).chars().rev().collect();
    format!("{head}…{tail}")
}

fn take(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for letter in letters {
        used += unicode_width::UnicodeWidthChar::width(letter).unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(letter);
    }
    out
}

/// The text broken at spaces into lines of at most `columns`. Lines after the first start with `indent` spaces. A word
/// longer than a line is shortened.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.trim().is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(&shorten(word, columns.saturating_sub(indent).max(1)));
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_text_becomes_visible() {
        assert_eq!(clean("a\u{1b}[31mb\0c\u{202e}d\te\nf"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d e f");
        assert_eq!(markdown("a|b<script>`"), "a\\|b&lt;script&gt;\\`");
        assert_eq!(code("a|b`c@1.2"), "`a¦b'c@1.2`");
    }

    #[test]
    fn a_console_gets_lines_that_end() {
        let long = format!("a\u{202e}\u{9b}2J\0b\n{}<script>\n", "x".repeat(100_000));
        let shown = printable(&long);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "a\u{fffd}\u{fffd}2J\u{fffd}b");
        assert_eq!((lines.len(), width(lines[1])), (2, CONSOLE_COLUMNS_MAX));
        assert!(lines[1].contains('…') && lines[1].ends_with("<script>"));
    }

    #[test]
    fn passwords_are_hidden() {
        let label = "new=postgres@postgres://me:secret@host:5432/db and x://a:b@c";
        assert_eq!(clean(label), "new=postgres@postgres://me:***@host:5432/db and x://a:***@c");
        assert_eq!(redact("postgres@17.7"), "postgres@17.7");
        assert_eq!(redact("p@x://me:se@cret@h/"), "p@x://me:***@h/");
    }

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("one two three four", 9, 2), "one two\n  three\n  four");
    }

    proptest! {
        #[test]
        fn shortened_text_fits(text in "\\PC{0,40}", columns in 0usize..30) {
            prop_assert!(width(&shorten(&text, columns)) <= columns);
        }

        #[test]
        fn clean_text_has_no_control_characters(text in any::<String>()) {
            prop_assert!(!clean(&text).chars().any(char::is_control));
        }

        #[test]
        fn wrapped_lines_fit(text in "[a-z ]{0,80}", columns in 5usize..40) {
            prop_assert!(wrap(&text, columns, 2).lines().all(|line| width(line) <= columns));
        }
    }
}
