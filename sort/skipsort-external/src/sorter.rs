//! Rows of a key and a payload: taken in, spilled when the memory is full, given back in order.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use skipsort::{Consumer, Loader, ReadFrom, Text, TextRow};

use crate::error::{Error, Result};
use crate::memory::arena::Batch;
use crate::memory::budget::Budget;
use crate::memory::pushed::Pushed;
use crate::merge::runs::Setting;
use crate::options::Options;
use crate::order::{HEAD, Layout, Order, lengths};
use crate::output::part::{Part, Target};
use crate::output::writer::Form;
use crate::progress::{Meter, Phase};
use crate::sorted::Sorted;
use crate::spill::{Spilled, sorted, sorted_text};
use crate::storage::Storage;

/// Rows between two looks at whether to go on.
const BATCH: usize = 1 << 12;

/// Sorts rows by the bytes of their keys, as many as the storage can keep. Equal keys stay in the order of their pushes.
///
/// Whoever drops it, or what [`finish`](ExternalSorter::finish) returns, removes all runs.
///
/// ```
/// use skipsort_external::{ExternalSorter, FileStorage, Options};
///
/// let storage = FileStorage::new([std::env::temp_dir()]);
/// let mut sorter = ExternalSorter::new(Options::new(1 << 20), storage)?;
/// for number in (0..50_000u32).rev() {
///     sorter.push(&number.to_be_bytes(), format!("row {number}").as_bytes())?;
/// }
/// for (number, row) in (0u32..).zip(sorter.finish()?) {
///     let row = row?;
///     assert_eq!(row.key(), number.to_be_bytes());
///     assert_eq!(row.payload(), format!("row {number}").as_bytes());
/// }
/// # Ok::<(), skipsort_external::Error>(())
/// ```
pub struct ExternalSorter {
    options: Options,
    order: Order,
    budget: Budget,
    pushed: Pushed,
    spilled: Spilled,
    failed: bool,
}

impl ExternalSorter {
    /// Reserves address space; memory is taken as rows come in, and the storage is not used before it is full.
    pub fn new(options: Options, storage: impl Storage + 'static) -> Result<Self> {
        let order =
            Order { layout: Layout::KeyAndLine, end: None, descending: false, unique: options.unique };
        let budget = Budget::of(&options).with_threads_there_are();
        let pushed = Pushed::new(budget.total)?;
        let setting = Setting { order, budget, meter: &options.meter };
        let spilled = Spilled::new(Box::new(storage), setting);
        Ok(ExternalSorter { options, order, budget, pushed, spilled, failed: false })
    }

    /// Takes a row. When the memory is full it sorts and spills what is there before.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        if self.failed {
            return Err(Error::Failed);
        }
        let taken = self.take(key, payload);
        self.failed = taken.is_err();
        taken
    }

    fn take(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        if self.pushed.rows() > 0 && !self.pushed.fits(key.len().saturating_add(payload.len())) {
            self.spill_pushed()?;
        }
        self.pushed.push(key, payload)?;
        if self.pushed.rows().is_multiple_of(BATCH) { self.options.meter.check() } else { Ok(()) }
    }

    /// Takes rows that the caller has in memory, and spills them: no copy of them is made.
    ///
    /// The keys are those of the text's rows. `spare` is as long as `rows`; `loader` has made, or has been joined with those
    /// that made, all of them.
    ///
    /// ```
    /// use skipsort::{Loader, Scratch, Text};
    /// use skipsort_external::{ExternalSorter, MemoryStorage, Options};
    ///
    /// let bytes = b"2b1a"; // a payload before each key
    /// let (mut scratch, mut loader) = (Scratch::new(), Loader::default());
    /// let (rows, spare) = scratch.text_rows(2);
    /// (rows[0], rows[1]) = (loader.row(b"b", 1), loader.row(b"a", 3));
    /// let payload = |row: skipsort::TextRow| &bytes[row.start() - 1..row.start()];
    /// let mut sorter = ExternalSorter::new(Options::new(1 << 20), MemoryStorage::default())?;
    /// sorter.spill(Text::new(bytes, &[]), (rows, spare), &loader, payload)?;
    /// let sorted: Vec<u8> = sorter.finish()?.flat_map(|row| row.unwrap().payload().to_vec()).collect();
    /// assert_eq!(sorted, b"12");
    /// # Ok::<(), skipsort_external::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `rows` and `spare` are not of one length, or a row leads outside of the text.
    pub fn spill<'t>(
        &mut self,
        text: Text<'t>,
        rows_and_spare: (&mut [TextRow], &mut [TextRow]),
        loader: &Loader,
        payload: impl Fn(TextRow) -> &'t [u8] + Sync,
    ) -> Result<()> {
        if self.failed {
            return Err(Error::Failed);
        }
        let taken = self.take_text(text, rows_and_spare, loader, payload);
        self.failed = taken.is_err();
        taken
    }

    fn take_text<'t>(
        &mut self,
        text: Text<'t>,
        (rows, spare): (&mut [TextRow], &mut [TextRow]),
        loader: &Loader,
        payload: impl Fn(TextRow) -> &'t [u8] + Sync,
    ) -> Result<()> {
        if self.pushed.rows() > 0 {
            // Equal keys stay in the order in which they came.
            self.spill_pushed()?;
        }
        if rows.is_empty() {
            return Ok(());
        }
        let (order, budget, meter) = self.setting();
        let setting = Setting { order, budget, meter: &meter };
        meter.read_rows(rows.len());
        meter.read(text.bytes().len());
        self.spilled
            .add(setting, |target| sorted_text(text, (rows, spare), loader, payload, setting, target))?;
        self.make_room(setting)
    }

    fn setting(&self) -> (Order, Budget, Arc<Meter>) {
        (self.order, self.budget, Arc::clone(&self.options.meter))
    }

    fn spill_pushed(&mut self) -> Result<()> {
        let (order, budget, meter) = self.setting();
        let setting = Setting { order, budget, meter: &meter };
        self.count();
        let batch = self.pushed.batch();
        self.spilled.add(setting, |target| sorted(batch, setting, target, Form::Coded))?;
        self.pushed.clear()?;
        self.make_room(setting)
    }

    /// Room for another run, and no row in memory.
    fn make_room(&mut self, setting: Setting<'_>) -> Result<()> {
        if self.spilled.is_full() {
            self.pushed = Pushed::new(0)?;
            self.spilled.make_room(setting, self.options.fan_in)?;
            self.pushed = Pushed::new(setting.budget.total)?;
        }
        setting.meter.enter(Phase::Reading);
        Ok(())
    }

    fn count(&self) {
        self.options.meter.read_rows(self.pushed.rows());
        self.options.meter.read(self.pushed.bytes());
    }

    /// All rows in order, to be taken one at a time. The merge is made by the thread that takes them.
    pub fn finish(mut self) -> Result<Sorted> {
        self.begin_output()?;
        let (order, budget, meter) = self.setting();
        if self.spilled.is_empty() {
            self.count();
            settle(self.pushed.batch(), budget, &meter)?;
            return Ok(Sorted::in_memory(self.pushed, order, meter));
        }
        if self.pushed.rows() > 0 {
            self.spill_pushed()?;
        }
        drop(self.pushed);
        let setting = Setting { order, budget, meter: &meter };
        let runs = self.spilled.into_runs(setting, self.options.fan_in)?;
        meter.enter(Phase::Merging);
        let input = budget.input(runs.len(), 1);
        Sorted::merge(runs, input, order, meter)
    }

    /// Gives all rows in order to `take`, key and payload. Unlike with [`finish`](ExternalSorter::finish) all threads
    /// sort and merge meanwhile; they take turns in calling it.
    ///
    /// ```
    /// use skipsort_external::{ExternalSorter, MemoryStorage, Options};
    ///
    /// let mut sorter = ExternalSorter::new(Options::new(1 << 20), MemoryStorage::default())?;
    /// sorter.push(b"b", b"2")?;
    /// sorter.push(b"a", b"1")?;
    /// let mut text = Vec::new();
    /// sorter.finish_into(|key, payload| {
    ///     text.extend_from_slice(&[key, payload].concat());
    ///     Ok(())
    /// })?;
    /// assert_eq!(text, b"a1b2");
    /// # Ok::<(), skipsort_external::Error>(())
    /// ```
    pub fn finish_into(mut self, take: impl FnMut(&[u8], &[u8]) -> io::Result<()> + Send) -> Result<()> {
        self.begin_output()?;
        let (order, budget, meter) = self.setting();
        let setting = Setting { order, budget, meter: &meter };
        let mut target = RowTarget { take, meter: &meter };
        if self.spilled.is_empty() {
            self.count();
            sorted(self.pushed.batch(), setting, &mut target, Form::Rows)?;
        } else {
            if self.pushed.rows() > 0 {
                self.spill_pushed()?;
            }
            drop(self.pushed);
            let runs = self.spilled.into_runs(setting, self.options.fan_in)?;
            setting.merge(&runs, &mut target, Form::Rows)?;
        }
        meter.done();
        Ok(())
    }

    fn begin_output(&self) -> Result<()> {
        if self.failed { Err(Error::Failed) } else { self.options.meter.check() }
    }
}

/// Sorts rows where they are.
fn settle(batch: Batch<'_>, budget: Budget, meter: &Meter) -> Result<()> {
    meter.enter(Phase::Writing);
    let text = Text::new(batch.text, batch.long);
    text.sort(batch.rows, batch.spare, batch.loader, budget.threads, ReadFrom::Start, &Stay(meter));
    meter.check()
}

/// Leaves sorted rows where they are.
struct Stay<'m>(&'m Meter);

impl Consumer for Stay<'_> {
    fn ready(&self, _: usize) -> bool {
        true
    }

    fn consume(&self, _: Range<usize>, _: &[TextRow]) {}

    fn wants_more(&self) -> bool {
        self.0.check().is_ok()
    }
}

/// Rows to the caller.
struct RowTarget<'m, F> {
    take: F,
    meter: &'m Meter,
}

impl<F: FnMut(&[u8], &[u8]) -> io::Result<()> + Send> Target for RowTarget<'_, F> {
    fn write(&mut self, part: &mut Part) -> Result<bool> {
        let mut at = 0;
        while at < part.bytes.len() {
            let start = at + HEAD;
            let (key_len, payload_len) = lengths(&part.bytes, start);
            let (key, rest) = part.bytes[start..].split_at(key_len);
            (self.take)(key, &rest[..payload_len]).map_err(Error::Output)?;
            at = start + key_len + payload_len;
        }
        self.meter.wrote(part.rows, part.bytes.len() - part.rows as usize * HEAD);
        Ok(true)
    }
}
