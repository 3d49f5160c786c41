//! The words of an expression.

use humdrum_contract::Outcome;

use crate::names::{is_name_byte, leading_name};
use crate::source::Source;

/// A word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Int(i64),
    /// 2^63, which is an integer only behind a minus.
    IntBeyond,
    Double(f64),
    /// `:name`, without its colon.
    Variable(&'a str),
    /// A function's name or a keyword.
    Word(&'a str),
    Sign(&'static str),
}

/// A word and where it begins.
pub(crate) type Placed<'a> = (usize, Token<'a>);

/// Longer ones before their beginnings.
const SIGNS: [&str; 20] = [
    "<>", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%", "=", "<", ">", "|", "&", "#", "~", "(", ")",
];

/// An expression has at most so many words, because a tree of them is walked by recursion.
const MOST_WORDS: usize = 1000;

/// Splits the text between two bytes. A backslash at the end of a line is a space.
pub(crate) fn tokens<'a>(source: &Source<'a>, from: usize, to: usize) -> Outcome<Vec<Placed<'a>>> {
    let (mut found, mut at) = (Vec::new(), from);
    while at < to {
        let rest = &source.text[at..to];
        let blank = rest.len() - rest.trim_start().len();
        if blank > 0 {
            at += blank;
            continue;
        }
        if let Some(joined) = line_end(rest) {
            at += joined;
            continue;
        }
        let (token, length) = token(source, at, rest)?;
        found.push((at, token));
        at += length;
        if found.len() > MOST_WORDS {
            return Err(source.fault(at, format!("this expression has more than {MOST_WORDS} words")));
        }
    }
    Ok(found)
}

/// The length of a backslash with the line's end, if the text starts with them.
pub(crate) fn line_end(text: &str) -> Option<usize> {
    if text.starts_with("\\\n") { Some(2) } else { text.starts_with("\\\r\n").then_some(3) }
}

fn token<'a>(source: &Source<'a>, at: usize, rest: &'a str) -> Outcome<(Token<'a>, usize)> {
    let first = rest.as_bytes()[0];
    let second = rest.as_bytes().get(1).copied().unwrap_or(b' ');
    if first.is_ascii_digit() || (first == b'.' && second.is_ascii_digit()) {
        return number(source, at, rest);
    }
    if first == b':' && is_name_byte(second) {
        let name = leading_name(&rest[1..]);
        return Ok((Token::Variable(name), name.len() + 1));
    }
    if first.is_ascii_alphabetic() || first == b'_' {
        let word = leading_name(rest);
        return Ok((Token::Word(word), word.len()));
    }
    if first == b',' {
        return Ok((Token::Sign(","), 1));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok((Token::Sign(sign), sign.len()));
    }
    let odd = rest.chars().next().unwrap_or(' ');
    let fault = source.fault(at, format!("`{odd}` has no meaning in an expression"));
    Err(match odd {
        '\'' | '"' => fault.hint("values are numbers, booleans and null; text stays in the SQL"),
        ';' => fault.hint("a line that starts with a backslash ends without a semicolon"),
        '^' => fault.hint("a power is power(x, y)"),
        _ => fault,
    })
}

fn number<'a>(source: &Source<'a>, at: usize, rest: &'a str) -> Outcome<(Token<'a>, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    let mut length = whole;
    if rest[length..].starts_with('.') {
        length += 1 + digits(&rest[length + 1..]);
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let power = digits(&rest[length + 1 + sign..]);
        length += if power > 0 { 1 + sign + power } else { 0 };
    }
    let text = &rest[..length];
    if !leading_name(&rest[length..]).is_empty() {
        let word = format!("{text}{}", leading_name(&rest[length..]));
        return Err(source.fault(at, format!("`{word}` is neither a number nor a name")));
    }
    let token = if length > whole {
        text.parse().ok().filter(|value: &f64| value.is_finite()).map(Token::Double)
    } else {
        text.parse().ok().map(Token::Int).or(beyond(text))
    };
    let token = token.ok_or_else(|| source.fault(at, format!("the number {text} is too large")))?;
    Ok((token, length))
}

fn beyond(text: &str) -> Option<Token<'static>> {
    (text.trim_start_matches('0') == "9223372036854775808").then_some(Token::IntBeyond)
}
