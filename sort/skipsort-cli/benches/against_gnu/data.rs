//! Data sets, the same on every machine: lines of URLs, hex digits, text, file paths, and 100-byte records.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use skipsort_testkit::patterns;
use skipsort_testkit::rng::Rng;

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
}

impl Set {
    /// Those of the table's first two parts.
    pub const ALL: [Set; 5] = [Set::Urls, Set::Hex, Set::Text, Set::Paths, Set::Records];

    pub fn name(self) -> &'static str {
        match self {
            Set::Urls => "urls",
            Set::Hex => "hex",
            Set::Text => "text",
            Set::Paths => "paths",
            Set::Records => "records",
            Set::Words => "words",
            Set::Numbers => "numbers",
        }
    }
}

/// Lines made at a time: a constant number, so that little memory is used and shapes do not depend on the size.
const BATCH: usize = 20_000;

/// Writes whole lines until there are `size` bytes or a few more.
pub fn write(set: Set, size: u64, seed: u64, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut rng = Rng::new(seed);
    let (mut batch, mut written) = (Vec::new(), 0);
    while written < size {
        batch.clear();
        lines(set, &mut rng, &mut batch)?;
        out.write_all(&batch)?;
        written += batch.len() as u64;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn lines(set: Set, rng: &mut Rng, into: &mut Vec<u8>) -> io::Result<()> {
    let pattern = match set {
        Set::Urls => "url",
        Set::Text => "sentences",
        Set::Paths => "path",
        Set::Words => "words",
        Set::Hex | Set::Records | Set::Numbers => {
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
        _ => writeln!(into, "item{} {}.{:02} x", rng.below(1000), rng.below(1 << 20), rng.below(100)),
    }
}
