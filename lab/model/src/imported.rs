//! Results that others measured with tools of their own, and humdrum only read.

use serde::{Deserialize, Serialize};

/// Where imported results come from. A record with it has no blocks of slices: a block is a whole run of each subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// Every file, in the order in which it was read.
    pub files: Vec<ImportedFile>,
}

/// One file that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFile {
    /// Its path, as the user gave it.
    pub path: String,
    /// Name of the reader.
    pub reader: String,
    /// Indexes of the plan's subjects that it has results of.
    pub subjects: Vec<usize>,
    /// Its size.
    pub bytes: u64,
    /// Results in it.
    pub results: u64,
    /// Lines that the reader did not understand.
    pub unread_lines: u64,
}

impl Imported {
    /// Names of the readers, each once, in the order of the files.
    pub fn readers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for file in &self.files {
            if !names.contains(&file.reader.as_str()) {
                names.push(&file.reader);
            }
        }
        names
    }
}

/// The rate of one imported run over its time, as the tool printed it. Shown in charts; never evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRates {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// In order of time.
    pub points: Vec<RunRate>,
}

/// One interval of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRate {
    /// Seconds since the run began, at the interval's end.
    pub seconds: f64,
    /// Operations per second.
    pub rate: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_is_named_once() {
        let file = |reader: &str| ImportedFile { reader: reader.into(), ..ImportedFile::default() };
        let imported = Imported { files: ["b", "a", "b"].map(file).into() };
        assert_eq!(imported.readers(), ["b", "a"]);
    }
}
