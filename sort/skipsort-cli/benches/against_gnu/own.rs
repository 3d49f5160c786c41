//! Lines of this machine's own files, and lines such as services write; made at run time, never kept.
//!
//! Which paths and source lines there are depends on the machine, so that figures are comparable within one run only.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use skipsort_testkit::rng::Rng;

/// Endings of the files whose lines are taken.
const SOURCES: [&str; 8] = ["rs", "py", "c", "h", "hpp", "js", "pl", "sh"];

/// A larger file is data.
const LONGEST: u64 = 400_000;

/// The paths of all files, in random order. Where they do not suffice, they come again below other directories, as in
/// the list of several machines.
pub fn paths(size: u64, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
    let mut files = Vec::new();
    walk(|path| {
        files.push(path.to_owned());
        true
    });
    let bytes: u64 = files.iter().map(|path| path.as_os_str().len() as u64 + 1).sum();
    let machines = size.div_ceil(bytes.max(1));
    let mut rows: Vec<(u64, usize)> =
        (0..machines).flat_map(|machine| (0..files.len()).map(move |file| (machine, file))).collect();
    rng.shuffle(&mut rows);
    let mut written = 0;
    for (machine, file) in rows {
        let below = if machine == 0 { String::new() } else { format!("/srv/machine{machine}") };
        let path = files[file].as_os_str().as_encoded_bytes();
        out.write_all(&[below.as_bytes(), path, b"\n"].concat())?;
        written += (below.len() + path.len() + 1) as u64;
        if written >= size {
            break;
        }
    }
    Ok(())
}

/// The lines of source files, in the files' order, again and again until there are enough.
pub fn sources(size: u64, out: &mut impl Write) -> io::Result<()> {
    let mut left = size;
    while left > 0 {
        let (before, mut written) = (left, Ok(()));
        walk(|path| {
            let source = path.extension().is_some_and(|end| SOURCES.iter().any(|source| end == *source));
            let short = fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LONGEST);
            if let (true, Ok(text)) = (source && short, fs::read(path)) {
                left = left.saturating_sub(text.len() as u64);
                written = out.write_all(&text);
            }
            left > 0 && written.is_ok()
        });
        written?;
        if left == before {
            return Err(io::Error::other("no source files were found"));
        }
    }
    Ok(())
}

/// Calls `visit` with each path of the root's file system, directory by directory, until it says no.
fn walk(mut visit: impl FnMut(&Path) -> bool) {
    let device = |path: &Path| fs::symlink_metadata(path).map(|data| data.dev()).ok();
    let root = PathBuf::from("/");
    let (own, temporary) = (device(&root), std::env::temp_dir());
    let mut left = vec![root];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && path != temporary && device(&path) == own
            {
                left.push(path.clone());
            }
            if !visit(&path) {
                return;
            }
        }
    }
}

/// A line of a web server's log.
pub fn log(rng: &mut Rng, into: &mut Vec<u8>) -> io::Result<()> {
    let client = rng.zipf(60_000);
    write!(into, "10.{}.{}.{} - - ", client % 7, client / 7 % 256, client / 1792)?;
    let second = rng.below(86_400);
    write!(into, "[25/Nov/2026:{:02}:{:02}:{:02} +0000] ", second / 3600, second / 60 % 60, second % 60)?;
    let method = rng.pick(&["GET", "GET", "GET", "POST", "PUT"]);
    write!(into, "\"{method} /api/v2/items/{}?page={} HTTP/1.1\" ", rng.zipf(500_000), rng.zipf(40))?;
    let status = rng.pick(&["200", "200", "200", "304", "404", "500"]);
    writeln!(into, "{status} {} \"-\" \"Mozilla/5.0 (X11; Linux x86_64)\"", rng.below(90_000))
}

/// A line of a table: a number, a name, a town, a date and an amount.
pub fn csv(rng: &mut Rng, into: &mut Vec<u8>) -> io::Result<()> {
    let (name, town, day) = (rng.zipf(80_000), rng.zipf(3_000), rng.below(3_650));
    write!(into, "{},customer{name:05},town{town},", rng.below(50_000_000))?;
    write!(into, "{}-{:02}-{:02},", 2016 + day / 365, 1 + day / 31 % 12, 1 + day % 28)?;
    writeln!(into, "{}.{:02},EUR", rng.below(100_000), rng.below(100))
}

/// A line of events as JSON.
pub fn json(rng: &mut Rng, into: &mut Vec<u8>) -> io::Result<()> {
    let kind = rng.pick(&["click", "click", "view", "view", "view", "purchase"]);
    write!(into, "{{\"type\": \"{kind}\", \"time\": {}, ", 1_764_000_000_000 + rng.below_u64(86_400_000))?;
    write!(into, "\"user\": {{\"id\": {}, \"group\": \"g{}\"}}, ", rng.zipf(2_000_000), rng.zipf(50))?;
    writeln!(into, "\"value\": {}, \"trace\": \"{:016x}\"}}", rng.below(10_000), rng.word())
}
