//! The runs of a results folder: the first, those that `extend` added, and of merged results one for each host.

use std::path::PathBuf;

use humdrum_model::Fault;

use crate::folder::{RUNS, ResultsFolder};
use crate::head::merge_facts;
use crate::shards::numbers;

impl ResultsFolder {
    /// The folder that this run was added to; itself for a first run.
    pub fn whole(&self) -> Self {
        let parent = self.folder.parent().filter(|parent| parent.ends_with(RUNS));
        let folder = parent.and_then(|parent| parent.parent());
        folder.map_or_else(|| self.clone(), |folder| Self { folder: folder.into() })
    }

    /// The folders of the further runs, in their order.
    ///
    /// # Errors
    /// Usage: one is missing that was there, because a part of the folder was copied or removed.
    pub fn further_runs(&self) -> Result<Vec<Self>, Fault> {
        let numbers = self.numbers_of_runs()?;
        let merged = if self.results().exists() { merge_facts(&self.results())? } else { None };
        let last = numbers.last().copied().unwrap_or(1).max(merged.map_or(1, |facts| facts.hosts as u32));
        if let Some(missing) = (2..=last).find(|number| !numbers.contains(number)) {
            let what = format!(
                "{} is missing, which was part of {}",
                self.run(missing).display(),
                self.folder.display()
            );
            return Err(Fault::usage(what)
                .hint("copy the whole folder, with all its runs; merged results can be merged again from their shards"));
        }
        Ok(numbers.into_iter().map(|number| Self { folder: self.run(number) }).collect())
    }

    /// Makes the folder of one more run.
    ///
    /// # Errors
    /// As `create` and `further_runs`.
    pub fn add_run(&self) -> Result<Self, Fault> {
        let number = self.numbers_of_runs()?.last().map_or(2, |last| last + 1);
        Self::create(Some(&self.run(number)), &[])
    }

    fn run(&self, number: u32) -> PathBuf {
        self.folder.join(RUNS).join(number.to_string())
    }

    fn numbers_of_runs(&self) -> Result<Vec<u32>, Fault> {
        let mut numbers = numbers(&self.folder.join(RUNS))?;
        numbers.retain(|number| *number > 1 && Self { folder: self.run(*number) }.results().exists());
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_gap_between_runs_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = ResultsFolder { folder: folder.path().to_path_buf() };
        assert_eq!(out.further_runs().expect("none").len(), 0);
        for name in ["2", "3", "1", "x"] {
            fs::create_dir_all(out.folder.join(RUNS).join(name)).expect("made");
            fs::write(out.folder.join(RUNS).join(name).join("results.sqlite"), "").expect("written");
        }
        let runs: Vec<PathBuf> =
            out.further_runs().expect("runs").into_iter().map(|run| run.folder).collect();
        assert_eq!(runs, [out.run(2), out.run(3)]);
        fs::remove_dir_all(out.run(2)).expect("removed");
        let fault = out.further_runs().expect_err("a gap");
        assert!(fault.what.contains("runs/2 is missing") && fault.exit_code() == 2, "{fault}");
    }
}
