//! Records of files, told apart by a delimiter or their length: what a sort command needs.
//!
//! Whole records are sorted where they were read. With a [`KeyEncoder`] each gets key bytes, so that one byte sort and
//! one byte merge do all the work. Reading, sorting and merging use all threads of the [`Options`].
//!
//! Inside: all inputs as one stream of whole records (`feed.rs`) or in pieces that threads read side by side
//! (`pieces.rs`), one input as a sorted source (`lines.rs`), bytes from a place or a pipe (`fetch.rs`).

mod check;
mod ends;
mod feed;
mod fetch;
mod fill;
mod inputs;
mod lines;
mod merging;
mod pieces;
mod shape;
mod shelf;
mod sorting;
mod target;
mod top;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use check::Disorder;
pub use shape::{Frame, KeyEncoder, Shape, Tie};

use crate::error::Result;
use crate::memory::budget::Budget;
use crate::merge::runs::Setting;
use crate::options::Options;
use crate::output::part::Target;
use crate::spill::Spilled;
use crate::storage::Storage;
use inputs::{Inputs, Open, opened};
use merging::Merging;
use target::LineTarget;

/// Inputs and what to do with them.
///
/// ```
/// use skipsort_external::{MemoryStorage, Options, records::{Records, Shape}};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "pear\napple\nfig")?;
/// let (shape, names) = (Shape::lines(b'\n'), [file.path().to_owned()]);
/// let records = Records::new(&shape, Options::new(1 << 20), &names);
/// let mut sorted = Vec::new();
/// records.sort(MemoryStorage::default(), &mut sorted)?;
/// assert_eq!(sorted, b"apple\nfig\npear\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Records<'r> {
    shape: &'r Shape,
    options: Options,
    names: &'r [PathBuf],
    open: &'r Open<'r>,
    limit: u64,
}

impl<'r> Records<'r> {
    /// Inputs are files of these names. [`Options::unique`] is not heeded, [`Shape::unique`] is.
    pub fn new(shape: &'r Shape, options: Options, names: &'r [PathBuf]) -> Self {
        Records { shape, options, names, open: &|name| File::open(name), limit: u64::MAX }
    }

    /// Opens inputs by this function instead, just before each is read.
    pub fn opened_by(self, open: &'r (dyn Fn(&Path) -> io::Result<File> + Sync)) -> Self {
        Records { open, ..self }
    }

    /// Writes so many records at most. If they are few, nothing but candidates is kept.
    pub fn limit(self, records: u64) -> Self {
        Records { limit: records, ..self }
    }

    /// Sorts all inputs into the output, to which nothing is written before all has been read.
    pub fn sort(self, storage: impl Storage + 'static, output: &mut (dyn Write + Send)) -> Result<()> {
        let setting = self.setting();
        let inputs = Inputs::new(self.names.to_vec(), self.open);
        if top::worth_it(self.limit, setting.budget) {
            let wanted = usize::try_from(self.limit).unwrap_or(usize::MAX);
            let mut best = top::run(inputs, self.shape, wanted, setting)?;
            return self.target(output).write(&mut best).map(drop);
        }
        let spilled = Spilled::new(Box::new(storage), setting);
        let target = &mut self.target(output);
        sorting::run(inputs, self.shape, setting, spilled, self.options.fan_in, target)
    }

    /// Merges inputs that are sorted already. If one is not, all records come out, though in no useful order.
    ///
    /// With `all_first` nothing is written before all has been read, for an output that is also an input.
    pub fn merge(
        self,
        storage: impl Storage + 'static,
        output: &mut (dyn Write + Send),
        all_first: bool,
    ) -> Result<()> {
        let setting = self.setting();
        let merging = Merging {
            setting,
            shape: self.shape,
            names: self.names,
            open: self.open,
            fan_in: self.options.fan_in,
        };
        let spilled = Spilled::new(Box::new(storage), setting);
        merging.merge(spilled, &mut self.target(output), all_first)
    }

    /// The first record of the first input that is out of order.
    pub fn check(self) -> Result<Option<Disorder>> {
        let Some(name) = self.names.first() else { return Ok(None) };
        check::run(opened(name.clone(), self.open)?, self.shape, &self.options.meter)
    }

    fn setting(&self) -> Setting<'_> {
        let budget = Budget::of(&self.options);
        Setting { order: self.shape.order(), budget, meter: &self.options.meter }
    }

    fn target<'t>(&'t self, output: &'t mut (dyn Write + Send)) -> LineTarget<'t> {
        LineTarget { output, frame: self.shape.frame, left: self.limit, meter: &self.options.meter }
    }
}
