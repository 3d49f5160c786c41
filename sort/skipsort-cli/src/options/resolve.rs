//! What the arguments mean together, and which do not go together.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::args::Args;
use super::complete::{Action, Options};
use super::{names, size, words};
use crate::available;
use crate::fault::{Fault, Result};
use crate::keys::KeyList;
use crate::keys::spec::{Key, Modifiers, refused};
use crate::shape::{Frame, Shape, Tie};

pub(super) fn options(args: Args) -> Result<Options> {
    refuse(&args)?;
    let action = action(&args)?;
    let shape = shape(&args)?;
    let inputs = names::all(args.files, args.files0_from.as_ref())?;
    if let (Action::Check { .. }, [_, extra, ..]) = (action, &*inputs) {
        return Err(Fault::new(format!(
            "extra operand {}: only one file is checked at a time",
            extra.display()
        ))
        .hint("check the files one by one"));
    }
    inputs.iter().try_for_each(|name| names::check_readable(name))?;
    Ok(Options {
        action,
        shape,
        inputs: names::stdin_once(inputs),
        output: output(args.output, action)?,
        limit: args.limit,
        memory: memory(&args.buffer_size)?,
        folders: folders(args.temporary_directory),
        threads: threads(args.parallel)?,
        compress: one("--compress-program", args.compress_program)?.map(PathBuf::from),
        batch: batch(args.batch_size)?,
        progress: words::progress(args.progress.as_deref())?,
        stats: words::stats(args.stats.as_deref())?,
    })
}

fn refuse(args: &Args) -> Result<()> {
    let letters = [
        (args.general_numeric_sort, b'g'),
        (args.human_numeric_sort, b'h'),
        (args.month_sort, b'M'),
        (args.random_sort || args.random_source.is_some(), b'R'),
        (args.version_sort, b'V'),
    ];
    if let Some((_, letter)) = letters.iter().find(|(given, _)| *given) {
        return Err(refused(*letter));
    }
    if args.debug {
        return Err(Fault::new("skipsort does not offer --debug").hint("GNU sort has it"));
    }
    words::refuse_orders(&args.sort)
}

fn action(args: &Args) -> Result<Action> {
    Ok(match words::check(args)? {
        // A check reads as a merge does, so -m adds nothing.
        Some(aloud) => Action::Check { aloud },
        None if args.merge => Action::Merge,
        None => Action::Sort,
    })
}

fn global(args: &Args) -> Modifiers {
    let mut global = Modifiers::default();
    let given = [
        (args.ignore_leading_blanks, b'b'),
        (args.dictionary_order, b'd'),
        (args.ignore_case, b'f'),
        (args.ignore_nonprinting, b'i'),
        (args.numeric_sort || !args.sort.is_empty(), b'n'),
        (args.reverse, b'r'),
    ];
    for (_, letter) in given.iter().filter(|(given, _)| *given) {
        global.add(*letter, true, true).expect("a letter that is offered");
    }
    global
}

fn shape(args: &Args) -> Result<Shape> {
    if let Some(size) = args.record_size {
        return records(args, size);
    }
    let global = global(args);
    let mut keys = args.keys.iter().map(|text| Key::parse(text.as_bytes())).collect::<Result<Vec<Key>>>()?;
    keys.iter_mut().for_each(|key| key.inherit(&global));
    if keys.is_empty() && !global.plain() {
        keys.push(Key::whole(global));
    }
    keys.iter().try_for_each(|key| key.modifiers.check())?;
    let frame = Frame::Delimited(if args.zero_terminated { 0 } else { b'\n' });
    let (stable, unique) = (args.stable, args.unique);
    let separator = separator(args)?;
    if keys.is_empty() {
        let descending = global.reverse;
        return Ok(Shape { frame, keys: None, tie: Tie::Line, descending, unique });
    }
    let tie = if stable || unique {
        Tie::Input
    } else if global.reverse {
        // The last resort is turned over, too: one more key, and then all that is equal is the same.
        keys.push(Key::whole(Modifiers { reverse: true, ..Modifiers::default() }));
        Tie::Input
    } else {
        Tie::Line
    };
    let keys = Some(KeyList { keys, separator, fixed: None, reverse: false });
    Ok(Shape { frame, keys, tie, descending: false, unique })
}

/// Fixed-length records: by the key, then by the whole record unless -s or -u.
fn records(args: &Args, size: usize) -> Result<Shape> {
    let with_lines = !args.keys.is_empty() || !args.field_separator.is_empty() || args.zero_terminated;
    if with_lines || !(Modifiers { reverse: false, ..global(args) }).plain() {
        return Err(Fault::new("-k, -t, -z, -b, -d, -f, -i and -n are about lines, --record-size is not")
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
    let whole = Key::whole(Modifiers { reverse: true, ..Modifiers::default() });
    let turned = reverse && !by_input;
    let keys = KeyList {
        keys: if turned { vec![whole] } else { Vec::new() },
        separator: None,
        fixed: Some((offset, end)),
        reverse,
    };
    let tie = if by_input || turned { Tie::Input } else { Tie::Line };
    Ok(Shape { frame, keys: Some(keys), tie, descending: false, unique })
}

fn separator(args: &Args) -> Result<Option<u8>> {
    let byte = |given: &OsString| match given.as_bytes() {
        [byte] => Ok(*byte),
        b"\\0" => Ok(0),
        [] => Err(Fault::new("-t '': an empty separator").hint("give one character, or \\0")),
        _ => Err(Fault::new(format!("-t {}: more than one byte", given.display()))
            .hint("a separator is one byte; \\0 is NUL")),
    };
    one("-t", args.field_separator.iter().map(byte).collect::<Result<_>>()?)
}

fn output(outputs: Vec<PathBuf>, action: Action) -> Result<Option<PathBuf>> {
    let output = one("-o", outputs)?;
    if output.is_some() && matches!(action, Action::Check { .. }) {
        return Err(Fault::new("options '-co' are incompatible").hint("-c writes nothing"));
    }
    Ok(output)
}

/// An option that may be given again, but not with another value.
fn one<T: PartialEq>(option: &str, given: Vec<T>) -> Result<Option<T>> {
    let mut given = given.into_iter();
    let first = given.next();
    if given.any(|other| Some(&other) != first.as_ref()) {
        return Err(Fault::new(format!("{option} is given twice, differently")).hint("give it once"));
    }
    Ok(first)
}

/// Of several sizes the largest counts, up to what leaves an eighth of the memory to all else: of all of it, the system
/// grants none.
fn memory(sizes: &[String]) -> Result<usize> {
    let sizes: Vec<u64> =
        sizes.iter().map(|text| size::parse(text, available::physical())).collect::<Result<_>>()?;
    let bytes =
        sizes.into_iter().max().unwrap_or_else(available::fair_share).min(available::physical() / 8 * 7);
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX).max(available::LEAST))
}

fn folders(given: Vec<PathBuf>) -> Vec<PathBuf> {
    if given.is_empty() { vec![std::env::temp_dir()] } else { given }
}

fn threads(given: Option<usize>) -> Result<NonZeroUsize> {
    match given {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(given) => NonZeroUsize::new(given.min(256))
            .ok_or_else(|| Fault::new("--parallel 0: at least one thread is needed").hint("leave it out")),
    }
}

fn batch(given: Option<usize>) -> Result<Option<usize>> {
    match given {
        Some(given) if given < 2 => {
            Err(Fault::new(format!("--batch-size {given}: a merge has at least two inputs"))
                .hint("leave it out"))
        }
        given => Ok(given),
    }
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
            ("-g", "general"),
            ("-V", "version"),
            ("-R", "random"),
            ("--sort=month", "month"),
            ("-h", "human"),
            ("-M", "month"),
            ("-dn", "incompatible"),
            ("-k1dn", "incompatible"),
            ("-t ab", "more than one byte"),
            ("-c -o x", "incompatible"),
            ("--debug", "debug"),
            ("--parallel 0", "thread"),
            ("--batch-size 1", "two"),
            ("--record-size 10 -k1", "lines"),
            ("--record-size 10 --key-offset 9 --key-size 2", "within"),
        ] {
            let said = parse(line).unwrap_err().to_string();
            assert!(said.contains(word), "{line}: {said}");
        }
    }

    #[test]
    fn records_at_the_start_are_whole() {
        assert!(parse("--record-size 100 --key-size 10").unwrap().shape.keys.is_none());
        assert!(parse("--record-size 100 --key-size 10 -s").unwrap().shape.keys.is_some());
        assert!(parse("--record-size 100 --key-offset 10").unwrap().shape.keys.is_some());
    }
}
