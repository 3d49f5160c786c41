//! The table: addresses of a few shops with long prefixes in common, a number, and the number of the row. The same seed makes the
//! same rows, whatever the number of threads.

use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::parquet::arrow::ArrowWriter;

use crate::Result;
use crate::args::Args;

/// Rows of a batch.
const BATCH: u64 = 8192;

const SHOPS: u64 = 40;

const SECTIONS: [&str; 12] = [
    "books",
    "clothing/children",
    "clothing/men",
    "clothing/women",
    "electronics",
    "games",
    "garden",
    "groceries/bread",
    "groceries/fruit",
    "kitchen",
    "music",
    "tools",
];

/// What to make.
struct Table<'a> {
    folder: &'a Path,
    schema: SchemaRef,
    rows: u64,
    files: u64,
    seed: u64,
}

/// Writes all files.
pub fn run(args: &Args) -> Result {
    let folder = Path::new(args.text("out")?);
    std::fs::create_dir_all(folder)?;
    let table = Table {
        folder,
        schema: schema(),
        rows: args.number("rows", 1_000_000)?,
        files: args.number("files", 32)?,
        seed: args.number("seed", 1)?,
    };
    let next = AtomicU64::new(0);
    let work = || -> Result {
        loop {
            let file = next.fetch_add(1, Ordering::Relaxed);
            if file >= table.files {
                return Ok(());
            }
            table.write(file)?;
            eprintln!("file {} of {}", file + 1, table.files);
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = |worker: thread::ScopedJoinHandle<'_, Result>| -> Result {
            worker.join().map_err(|_| "a thread panicked")?
        };
        workers.into_iter().try_for_each(ended)
    })
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("url", DataType::Utf8, false),
        Field::new("number", DataType::Int64, false),
        Field::new("id", DataType::Int64, false),
    ]))
}

impl Table<'_> {
    fn write(&self, file: u64) -> Result {
        // Products of 64-bit numbers would overflow only beyond 10^17 rows.
        let [first, end] = [file, file + 1].map(|file| self.rows * file / self.files);
        let to = File::create(self.folder.join(format!("part-{file:05}.parquet")))?;
        let mut writer = ArrowWriter::try_new(to, Arc::clone(&self.schema), None)?;
        let mut random = Random(self.seed ^ (file << 32));
        let mut from = first;
        while from < end {
            let until = end.min(from + BATCH);
            writer.write(&self.batch(from, until, &mut random)?)?;
            from = until;
        }
        writer.close()?;
        Ok(())
    }

    fn batch(&self, from: u64, until: u64, random: &mut Random) -> Result<RecordBatch> {
        let mut urls = StringBuilder::new();
        let mut numbers = Vec::new();
        let mut url = String::new();
        for _ in from..until {
            url.clear();
            // Few shops have most rows. Some addresses are in several rows, which the number of the row then orders.
            let shop = random.below(SHOPS) * random.below(SHOPS) / SHOPS;
            let section = SECTIONS[random.below(SECTIONS.len() as u64) as usize];
            let item = random.below(self.rows / 256 + 1);
            write!(url, "https://shop-{shop:02}.example/{section}/{item:08}")?;
            urls.append_value(&url);
            numbers.push(random.next().cast_signed());
        }
        let ids = Int64Array::from_iter_values((from..until).map(u64::cast_signed));
        let columns: Vec<ArrayRef> =
            vec![Arc::new(urls.finish()), Arc::new(Int64Array::from(numbers)), Arc::new(ids)];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`, which is small beside 2^64, so that the remainder favours no number by much.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}
