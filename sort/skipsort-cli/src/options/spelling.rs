//! Arguments as GNU sort takes them, written in the one way that clap cannot misread.
//!
//! ```text
//!   -nt=        -n --field-separator==     clap would take the `=` for its own
//!   -o -x       --output=-x                the next argument is the value, whatever it looks like
//!   --rev       --reverse
//!   +1.2n -3    --key=2.3n,3               the form of keys before there was -k
//!   -y 100                                 nothing, as in GNU sort
//! ```

use std::ffi::{OsStr, OsString};
use std::iter::Peekable;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::{Arg, Command, CommandFactory};

use super::args::Args;
use crate::fault::{Fault, Result};
use crate::keys::spec;

/// Options that GNU sort does not have. What abbreviates one of its options shall mean that one here, too.
const OWN: [&str; 7] = ["limit", "locale", "record-size", "key-offset", "key-size", "progress", "stats"];

/// The arguments, the program's name included, rewritten. What is no option here is left for clap to refuse.
pub(super) fn plain(args: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>> {
    let command = Args::command();
    let mut rest = args.into_iter().peekable();
    let mut plain: Vec<OsString> = rest.next().into_iter().collect();
    while let Some(word) = rest.next() {
        match word.as_bytes() {
            b"--" => {
                plain.push(word);
                plain.extend(rest.by_ref());
            }
            [b'-', b'-', text @ ..] => plain.push(long(&command, text, &mut rest)?.unwrap_or(word)),
            [b'-', letters @ ..] if !letters.is_empty() => match cluster(&command, letters, &mut rest)? {
                Some(options) => plain.extend(options),
                None => plain.push(word),
            },
            [b'+', text @ ..] => plain.push(old_key(text, &mut rest)?.unwrap_or(word)),
            _ => plain.push(word),
        }
    }
    Ok(plain)
}

/// A long option, perhaps abbreviated, with its value; nothing if it is not known.
fn long(
    command: &Command,
    text: &[u8],
    rest: &mut impl Iterator<Item = OsString>,
) -> Result<Option<OsString>> {
    let (name, value) = match memchr::memchr(b'=', text) {
        Some(at) => (&text[..at], Some(OsString::from_vec(text[at + 1..].to_vec()))),
        None => (text, None),
    };
    let Some(option) = named(command, name)? else { return Ok(None) };
    let value = if value.is_none() && takes_value(option) { rest.next() } else { value };
    Ok(Some(joined(option, value)))
}

/// The option that has this name, or the only one whose name starts so.
fn named<'c>(command: &'c Command, name: &[u8]) -> Result<Option<&'c Arg>> {
    let known = |arg: &'c Arg| arg.get_long().map(|long| (long, arg));
    let starts = |(long, _): &(&str, _)| long.as_bytes().starts_with(name);
    let like: Vec<_> = command.get_arguments().filter_map(known).filter(starts).collect();
    if let Some((_, exact)) = like.iter().find(|(long, _)| long.len() == name.len()) {
        return Ok(Some(exact));
    }
    let (own, gnu): (Vec<_>, Vec<_>) = like.iter().partition(|(long, _)| OWN.contains(long));
    match (&*gnu, &*own) {
        ([(_, only)], _) | ([], [(_, only)]) => Ok(Some(only)),
        ([], []) => Ok(None),
        _ => {
            let names: Vec<String> = like.iter().map(|(long, _)| format!("--{long}")).collect();
            Err(Fault::new(format!("--{} is ambiguous", String::from_utf8_lossy(name)))
                .hint(format!("write one of {}", names.join(", "))))
        }
    }
}

/// Options of one letter each behind one hyphen; nothing if one of them is not known.
fn cluster<I: Iterator<Item = OsString>>(
    command: &Command,
    letters: &[u8],
    rest: &mut Peekable<I>,
) -> Result<Option<Vec<OsString>>> {
    let mut options = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        let attached = &letters[at + 1..];
        if *letter == b'y' {
            skip_number(attached, rest)?;
            break;
        }
        let has_letter = |arg: &&Arg| arg.get_short() == Some(char::from(*letter));
        let Some(option) = command.get_arguments().find(has_letter) else { return Ok(None) };
        if takes_value(option) {
            let attached = Some(attached).filter(|value| !value.is_empty());
            let value = attached.map(|value| OsStr::from_bytes(value).to_owned()).or_else(|| rest.next());
            options.push(joined(option, value));
            break;
        }
        options.push(OsString::from(format!("-{}", char::from(*letter))));
    }
    Ok(Some(options))
}

/// The value of `-y`, which older systems had: what is attached to it, or the next argument if that is a number.
fn skip_number<I: Iterator<Item = OsString>>(attached: &[u8], rest: &mut Peekable<I>) -> Result<()> {
    if attached.is_empty() {
        rest.peek()
            .ok_or_else(|| Fault::new("-y: a number should follow").hint("leave -y out, it does nothing"))?;
        rest.next_if(|next| next.as_bytes().iter().all(u8::is_ascii_digit));
    }
    Ok(())
}

/// True when the next argument is the value, if none is attached.
fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}

fn joined(option: &Arg, value: Option<OsString>) -> OsString {
    let mut joined =
        OsString::from(format!("--{}", option.get_long().expect("what takes a value has a name")));
    if let Some(value) = value {
        joined.push("=");
        joined.push(value);
    }
    joined
}

/// `+A.x[OPTS] [-B.y[OPTS]]` as `-k` has it; nothing if it is no such key, and so the name of a file.
fn old_key<I: Iterator<Item = OsString>>(text: &[u8], rest: &mut Peekable<I>) -> Result<Option<OsString>> {
    let Some(start) = OldPosition::parse(text) else { return Ok(None) };
    let (field, char) = (start.fields.saturating_add(1), start.chars.saturating_add(1));
    let mut key = format!("--key={field}.{char}{}", start.letters);
    if let Some(end) = rest.next_if(|next| matches!(next.as_bytes(), [b'-', b'0'..=b'9', ..])) {
        let OldPosition { fields, chars, letters } =
            OldPosition::parse(&end.as_bytes()[1..]).ok_or_else(|| {
                Fault::new(format!("{}: not the end of a key", end.display()))
                    .hint("-k F[.C][OPTS],F[.C][OPTS] is easier to write than +POS1 -POS2")
            })?;
        // Without characters it is the end of the field before, as in -k, and `-0` the end of the first nevertheless.
        let field = if chars == 0 { fields.max(1) } else { fields.saturating_add(1) };
        key.push_str(&format!(",{field}.{chars}{letters}"));
    }
    Ok(Some(key.into()))
}

/// Fields and characters to leave out, and letters.
struct OldPosition<'t> {
    fields: usize,
    chars: usize,
    letters: &'t str,
}

impl<'t> OldPosition<'t> {
    fn parse(text: &'t [u8]) -> Option<Self> {
        let mut rest = text;
        let fields = spec::number(&mut rest)?;
        let mut chars = 0;
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            chars = spec::number(&mut rest)?;
        }
        let letters = std::str::from_utf8(rest).ok()?;
        letters.bytes().all(|letter| b"bdfghiMnrRV".contains(&letter)).then_some(OldPosition {
            fields,
            chars,
            letters,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plainly(line: &str) -> Result<String> {
        let words = ["skipsort"].into_iter().chain(line.split_whitespace()).map(OsString::from);
        Ok(plain(words)?[1..].join(OsStr::new(" ")).into_string().expect("text"))
    }

    #[test]
    fn every_spelling_has_one_form() {
        for (line, form) in [
            ("-nt= -", "-n --field-separator== -"),
            ("-t -n -o -x", "--field-separator=-n --output=-x"),
            ("--out --rev --rev", "--output=--rev --reverse"),
            ("--check -c --che=quiet", "--check -c --check=quiet"),
            ("--sta --k 2 --st=1", "--stable --key=2 --stable=1"),
            ("--lim 5 --stats --key-o 3", "--limit=5 --stats --key-offset=3"),
            ("-y 100 -y x -ny5 -y -r", "x -n -r"),
            ("+1 -2 x +0.3n", "--key=2.1,2.0 x --key=1.4n"),
            ("+1.2r -3.4b +0 -0", "--key=2.3r,4.4b --key=1.1,1.0"),
            ("+ +x +1x +.1 +1. -o +1", "+ +x +1x +.1 +1. --output=+1"),
            ("-- +1 -t=", "-- +1 -t="),
            ("-nq- --wrong -k", "-nq- --wrong --key"),
        ] {
            assert_eq!(plainly(line).unwrap(), form, "{line}");
        }
    }

    #[test]
    fn says_what_is_ambiguous_or_missing() {
        for (line, word) in
            [("--ignore", "--ignore-case"), ("--key-", "--key-size"), ("-y", "leave"), ("+1 -2x", "-2x")]
        {
            let said = plainly(line).unwrap_err().to_string();
            assert!(said.contains(word), "{line}: {said}");
        }
        let command = Args::command();
        assert!(OWN.iter().all(|own| command.get_arguments().any(|arg| arg.get_long() == Some(own))));
    }
}
