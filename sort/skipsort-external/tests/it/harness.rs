//! Rows, an oracle, and a storage that does what a test wants.

use std::io::{self, ErrorKind, Read, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use skipsort_external::{ExternalSorter, Options, Result, Storage, StoredRun};

/// Key and payload.
pub type Pair = (Vec<u8>, Vec<u8>);

/// The smallest memory: some hundred rows a run.
pub const TINY: usize = 16 << 10;

pub fn options(memory_bytes: usize, threads: usize) -> Options {
    let mut options = Options::new(memory_bytes);
    options.threads = NonZero::new(threads).expect("not zero");
    options
}

/// So many rows with keys from few letters, numbered.
pub fn rows(count: usize, longest: usize, seed: u64) -> Vec<Pair> {
    let mut rng = skipsort_testkit::rng::Rng::new(seed);
    let key = |rng: &mut skipsort_testkit::rng::Rng| {
        (0..rng.below(longest + 1)).map(|_| [0, b'a', b'b', 255][rng.below(4)]).collect()
    };
    (0..count).map(|row| (key(&mut rng), row.to_string().into_bytes())).collect()
}

/// What a stable sort of a vector gives.
pub fn naive(rows: &[Pair], unique: bool) -> Vec<Pair> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    if unique {
        rows.dedup_by(|later, first| later.0 == first.0);
    }
    rows
}

/// Pushes all rows and takes all.
pub fn sorted(rows: &[Pair], options: Options, storage: impl Storage + 'static) -> Result<Vec<Pair>> {
    let mut sorter = ExternalSorter::new(options, storage)?;
    rows.iter().try_for_each(|(key, payload)| sorter.push(key, payload))?;
    sorter.finish()?.map(|row| row.map(|row| (row.key().to_vec(), row.payload().to_vec()))).collect()
}

/// The same by all threads.
pub fn sorted_into(rows: &[Pair], options: Options, storage: impl Storage + 'static) -> Result<Vec<Pair>> {
    let mut sorter = ExternalSorter::new(options, storage)?;
    rows.iter().try_for_each(|(key, payload)| sorter.push(key, payload))?;
    let mut taken = Vec::new();
    sorter.finish_into(|key, payload| {
        taken.push((key.to_vec(), payload.to_vec()));
        Ok(())
    })?;
    Ok(taken)
}

/// What may be done to a storage from outside.
#[derive(Default)]
pub struct Control {
    /// Operations so far, and the one that fails, counted from 1.
    pub operations: AtomicUsize,
    pub failing: AtomicUsize,
    /// Runs that have not been dropped.
    pub alive: AtomicUsize,
    /// What is done to a run's bytes when it is complete, by its number.
    #[expect(clippy::type_complexity, reason = "a function in a lock")]
    pub damage: Mutex<Option<Box<dyn FnMut(u64, &mut Vec<u8>) + Send>>>,
}

impl Control {
    fn step(&self) -> io::Result<()> {
        let at = self.operations.fetch_add(1, Relaxed) + 1;
        if at == self.failing.load(Relaxed) {
            return Err(io::Error::other("the test's own failure"));
        }
        // Interruptions are no failures.
        if at.is_multiple_of(5) { Err(ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

/// Memory that takes and gives a few bytes at a time.
#[derive(Clone, Default)]
pub struct Drill(pub Arc<Control>);

struct Kept {
    number: u64,
    bytes: Arc<Vec<u8>>,
    control: Arc<Control>,
}

impl Storage for Drill {
    fn create(&mut self, number: u64) -> io::Result<Box<dyn StoredRun>> {
        self.0.step()?;
        self.0.alive.fetch_add(1, Relaxed);
        Ok(Box::new(Kept { number, bytes: Arc::default(), control: Arc::clone(&self.0) }))
    }

    fn place(&self, number: u64) -> String {
        format!("drill {number}")
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.control.step()?;
        let some = bytes.len().min(1000);
        Arc::make_mut(&mut self.bytes).extend_from_slice(&bytes[..some]);
        Ok(some)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.control.step()?;
        if let Some(damage) = &mut *self.control.damage.lock().expect("no panic under the lock") {
            damage(self.number, Arc::make_mut(&mut self.bytes));
        }
        Ok(())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.control.alive.fetch_sub(1, Relaxed);
    }
}

impl StoredRun for Kept {
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>> {
        self.control.step()?;
        let place = |at: u64| (at as usize).min(self.bytes.len());
        let bytes = self.bytes[place(from)..place(to)].to_vec();
        Ok(Box::new(Few { bytes: io::Cursor::new(bytes), control: Arc::clone(&self.control) }))
    }
}

struct Few {
    bytes: io::Cursor<Vec<u8>>,
    control: Arc<Control>,
}

impl Read for Few {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.control.step()?;
        let some = room.len().min(700);
        self.bytes.read(&mut room[..some])
    }
}
