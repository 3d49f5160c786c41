//! A kernel file that is opened once and read with one `pread` per reading, and the metrics that most such files have.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use humdrum_model::{Better, Metric, MetricKind};

/// An open file of `/proc` or `/sys`.
pub(crate) struct KernelFile {
    file: File,
    buffer: Vec<u8>,
}

impl KernelFile {
    /// `None` where the file does not exist or we may not read it. At most `bytes` are read.
    pub(crate) fn open(path: impl AsRef<Path>, bytes: usize) -> Option<Self> {
        File::open(path).ok().map(|file| Self { file, buffer: vec![0; bytes] })
    }

    /// Its text now. `None` once the process or device is gone.
    pub(crate) fn text(&mut self) -> Option<&str> {
        let bytes = self.file.read_at(&mut self.buffer, 0).ok().filter(|bytes| *bytes > 0)?;
        std::str::from_utf8(&self.buffer[..bytes]).ok()
    }
}

/// The `n`th number of a text of numbers separated by white space.
pub(crate) fn number(text: &str, n: usize) -> Option<i64> {
    text.split_ascii_whitespace().nth(n)?.parse().ok()
}

/// A counter of which less is better.
pub(crate) fn counter(name: &str, unit: &str, description: &str) -> Metric {
    Metric {
        name: name.into(),
        unit: unit.into(),
        better: Better::Less,
        kind: MetricKind::Counter,
        description: description.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_numbers() {
        assert_eq!(number("  12 34\n56", 2), Some(56));
        assert_eq!(number("12", 1), None);
    }
}
