//! What the arguments say about the order and the form of records.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::args::Args;
use super::once::one;
use super::{locale, words};
use crate::fault::{Fault, Result};
use crate::keys::KeyList;
use crate::keys::collation::Collation;
use crate::keys::modifiers::{Modifiers, Order};
use crate::keys::random::{self, Seed};
use crate::keys::spec::Key;
use crate::shape::{Frame, Shape, Tie};

/// The order and the form of records.
pub(super) fn shape(args: &Args) -> Result<Shape> {
    if let Some(size) = args.record_size {
        return records(args, size);
    }
    let (global, mut keys) = (global(args)?, keys(args)?);
    let frame = Frame::Delimited(if args.zero_terminated { 0 } else { b'\n' });
    let (stable, unique) = (args.stable, args.unique);
    let separator = separator(args)?;
    let seed = seed(args, &keys)?;
    let collation = args.locale.as_deref().map(|tag| Collation::of(&locale::tag(tag)?)).transpose()?;
    if keys.is_empty() {
        let descending = global.reverse;
        return Ok(Shape { frame, keys: None, tie: Tie::Line, descending, unique });
    }
    let tie = if stable || unique {
        Tie::Input
    } else if global.reverse {
        // The last resort is turned over, too: one more key, and then all that is equal is the same.
        keys.push(Key::whole(Modifiers::reversed()));
        Tie::Input
    } else {
        Tie::Line
    };
    let keys = Some(KeyList { keys, separator, fixed: None, reverse: false, seed, collation });
    Ok(Shape { frame, keys, tie, descending: false, unique })
}

/// The keys that are given; the whole line if there are only global options.
pub(super) fn keys(args: &Args) -> Result<Vec<Key>> {
    let global = global(args)?;
    let mut keys = args.keys.iter().map(|text| Key::parse(text.as_bytes())).collect::<Result<Vec<Key>>>()?;
    keys.iter_mut().for_each(|key| key.inherit(&global));
    if keys.is_empty() && (!global.plain() || args.locale.is_some()) {
        keys.push(Key::whole(global));
    }
    keys.iter_mut().for_each(|key| key.modifiers.collate = args.locale.is_some());
    keys.iter().try_for_each(|key| key.modifiers.check())?;
    Ok(keys)
}

pub(super) fn global(args: &Args) -> Result<Modifiers> {
    let mut global = Modifiers::default();
    let given = [
        (args.ignore_leading_blanks, b'b'),
        (args.dictionary_order, b'd'),
        (args.ignore_case, b'f'),
        (args.ignore_nonprinting, b'i'),
        (args.general_numeric_sort, b'g'),
        (args.human_numeric_sort, b'h'),
        (args.month_sort, b'M'),
        (args.numeric_sort, b'n'),
        (args.random_sort, b'R'),
        (args.version_sort, b'V'),
        (args.reverse, b'r'),
    ];
    let given = given.iter().filter_map(|(given, letter)| given.then_some(*letter));
    given.chain(words::orders(&args.sort)?).try_for_each(|letter| global.add(letter, true, true))?;
    Ok(global)
}

/// Fixed-length records: by the key, then by the whole record unless -s or -u.
fn records(args: &Args, size: usize) -> Result<Shape> {
    let with_lines = !args.keys.is_empty()
        || !args.field_separator.is_empty()
        || args.zero_terminated
        || args.locale.is_some();
    if with_lines || !global(args)?.plain() {
        return Err(Fault::new(
            "-k, -t, -z, --locale and orders but -r are about lines, --record-size is not",
        )
        .hint("say where the key is by --key-offset and --key-size"));
    }
    let offset = args.key_offset.unwrap_or(0);
    let end = args.key_size.map_or(size, |key| offset.saturating_add(key));
    if size == 0 || size >= 1 << 30 || offset >= end || end > size {
        return Err(Fault::new(format!(
            "a key from byte {offset} to {end} is not within records of {size} bytes"
        ))
        .hint("records have 1 to 1073741823 bytes, keys at least one"));
    }
    let frame = Frame::Fixed(size);
    let (unique, reverse) = (args.unique, args.reverse);
    let by_input = args.stable || unique;
    // A key at the start followed by the rest of the record is the record.
    if (offset == 0 && !by_input) || end - offset == size {
        return Ok(Shape { frame, keys: None, tie: Tie::Line, descending: reverse, unique });
    }
    let whole = Key::whole(Modifiers::reversed());
    let turned = reverse && !by_input;
    let keys = KeyList {
        keys: if turned { vec![whole] } else { Vec::new() },
        separator: None,
        fixed: Some((offset, end)),
        reverse,
        seed: Seed::default(),
        collation: None,
    };
    let tie = if by_input || turned { Tie::Input } else { Tie::Line };
    Ok(Shape { frame, keys: Some(keys), tie, descending: false, unique })
}

pub(super) fn separator(args: &Args) -> Result<Option<u8>> {
    let byte = |given: &OsString| match given.as_bytes() {
        [byte] => Ok(*byte),
        b"\\0" => Ok(0),
        [] => Err(Fault::new("-t '': an empty separator").hint("give one character, or \\0")),
        _ => Err(Fault::new(format!("-t {}: more than one byte", given.display()))
            .hint("a separator is one byte; \\0 is NUL")),
    };
    one("-t", args.field_separator.iter().map(byte).collect::<Result<_>>()?)
}

/// What random keys are hashed with; read only if there are any.
fn seed(args: &Args, keys: &[Key]) -> Result<Seed> {
    let source = one("--random-source", args.random_source.iter().map(PathBuf::from).collect())?;
    let random = keys.iter().any(|key| key.modifiers.order() == Order::Random);
    if random { random::seed(source.as_deref()) } else { Ok(Seed::default()) }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn whole_lines_stay_whole() {
        assert!(parse("-r").unwrap().shape.descending);
        assert!(parse("-ru").unwrap().shape.keys.is_none());
        assert!(parse("-s").unwrap().shape.keys.is_none());
    }

    #[test]
    fn ties() {
        let tie = |line| parse(line).unwrap().shape.tie;
        assert_eq!(tie("-k2,2n"), Tie::Line);
        assert_eq!(tie("-n -s"), Tie::Input);
        assert_eq!(tie("-k1 -u"), Tie::Input);
        assert_eq!(parse("-nr").unwrap().shape.keys.unwrap().keys.len(), 2);
    }

    #[test]
    fn refuses_by_name() {
        for (line, word) in [
            ("-dn", "'-dn' are incompatible"),
            ("-k1dn", "incompatible"),
            ("-gn -r", "'-gn' are incompatible"),
            ("-hi -M", "'-hiM' are incompatible"),
            ("-n --sort=version", "'-nV' are incompatible"),
            ("-t ab", "more than one byte"),
            ("--record-size 10 -k1", "lines"),
            ("--record-size 10 -V", "lines"),
            ("--record-size 10 --key-offset 9 --key-size 2", "within"),
        ] {
            let said = parse(line).unwrap_err().to_string();
            assert!(said.contains(word), "{line}: {said}");
        }
        for line in ["-dVR", "-n -k1M", "-gM -k1b"] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn records_at_the_start_are_whole() {
        assert!(parse("--record-size 100 --key-size 10").unwrap().shape.keys.is_none());
        assert!(parse("--record-size 100 --key-size 10 -s").unwrap().shape.keys.is_some());
        assert!(parse("--record-size 100 --key-offset 10").unwrap().shape.keys.is_some());
    }
}
