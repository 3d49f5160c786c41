//! Data sets: lines of URLs, hex digits, text, file paths, and 100-byte records, the same on every machine; and those of
//! `own.rs`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;

use skipsort_testkit::patterns;
use skipsort_testkit::rng::Rng;

use crate::own;

/// What lines look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Set {
    Urls,
    /// 16 random bytes as 32 hexadecimal digits.
    Hex,
    Text,
    Paths,
    /// 10 printable bytes of key, 88 of filler, and an end of line.
    Records,
    /// Single words, few of them different.
    Words,
    /// A word and a number.
    Numbers,
    /// The paths of this machine's files.
    Files,
    /// The lines of its source files.
    Sources,
    /// A web server's log.
    Log,
    Csv,
    Json,
}

impl Set {
    /// Those of the table's first two parts.
    pub const ALL: [Set; 5] = [Set::Urls, Set::Hex, Set::Text, Set::Paths, Set::Records];
    /// Those of real files, or like them.
    pub const OWN: [Set; 5] = [Set::Files, Set::Sources, Set::Log, Set::Csv, Set::Json];

    pub fn name(self) -> &'static str {
        match self {
            Set::Urls => "urls",
            Set::Hex => "hex",
            Set::Text => "text",
            Set::Paths => "paths",
            Set::Records => "records",
            Set::Words => "words",
            Set::Numbers => "numbers",
            Set::Files => "own-paths",
            Set::Sources => "own-source-lines",
            Set::Log => "log",
            Set::Csv => "csv",
            Set::Json => "json-lines",
        }
    }
}

/// Lines made at a time: a constant number, so that little memory is used and shapes do not depend on the size.
const BATCH: usize = 20_000;

/// Asks this program for a set: its name, size, seed and file follow.
pub const MAKE: &str = "--make";

/// Makes a set in a process of its own: the memory that it takes would count as that of the programs measured.
pub fn write_apart(set: Set, size: u64, seed: u64, path: &Path) -> io::Result<()> {
    let mut maker = Command::new(std::env::current_exe()?);
    maker.args([MAKE, set.name(), &size.to_string(), &seed.to_string()]).arg(path);
    if maker.status()?.success() { Ok(()) } else { Err(io::Error::other(format!("{maker:?} failed"))) }
}

/// What [`write_apart`] asks for.
pub fn make(set: &str, size: &str, seed: &str, path: &Path) -> io::Result<()> {
    let sets = Set::ALL.iter().chain(&Set::OWN).chain(&[Set::Words, Set::Numbers]);
    let set = sets.copied().find(|other| other.name() == set).ok_or(io::ErrorKind::InvalidInput)?;
    let number = |text: &str| text.parse::<u64>().map_err(io::Error::other);
    write(set, number(size)?, number(seed)?, path)
}

/// Writes whole lines until there are `size` bytes or a few more.
fn write(set: Set, size: u64, seed: u64, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut rng = Rng::new(seed);
    match set {
        Set::Files => own::paths(size, &mut rng, &mut out)?,
        Set::Sources => own::sources(size, &mut out)?,
        _ => batches(set, size, &mut rng, &mut out)?,
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn batches(set: Set, size: u64, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
    let (mut batch, mut written) = (Vec::new(), 0);
    while written < size {
        batch.clear();
        lines(set, rng, &mut batch)?;
        let wanted = batch.len().min(usize::try_from(size - written).unwrap_or(usize::MAX));
        let end = batch[wanted - 1..].iter().position(|byte| *byte == b'\n');
        batch.truncate(end.map_or(batch.len(), |end| wanted + end));
        out.write_all(&batch)?;
        written += batch.len() as u64;
    }
    Ok(())
}

fn lines(set: Set, rng: &mut Rng, into: &mut Vec<u8>) -> io::Result<()> {
    let pattern = match set {
        Set::Urls => "url",
        Set::Text => "sentences",
        Set::Paths => "path",
        Set::Words => "words",
        _ => {
            return (0..BATCH).try_for_each(|_| line(set, rng, into));
        }
    };
    let keys = patterns::find(pattern).expect("a pattern of the test kit").keys(BATCH, rng.word());
    for key in keys.iter() {
        into.extend_from_slice(key);
        into.push(b'\n');
    }
    Ok(())
}

fn line(set: Set, rng: &mut Rng, into: &mut Vec<u8>) -> io::Result<()> {
    match set {
        Set::Hex => writeln!(into, "{:016x}{:016x}", rng.word(), rng.word()),
        Set::Records => {
            into.extend((0..10).map(|_| b' ' + rng.below(95) as u8));
            writeln!(into, "  {:032X}  {:050}\r", rng.word(), 0)
        }
        Set::Log => own::log(rng, into),
        Set::Csv => own::csv(rng, into),
        Set::Json => own::json(rng, into),
        _ => writeln!(into, "item{} {}.{:02} x", rng.below(1000), rng.below(1 << 20), rng.below(100)),
    }
}
