//! A checksum of rows in their order, and a check of the order itself.

use std::fmt;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;

use crate::Result;

/// Progress is shown after so many rows.
const SHOWN: u64 = 10_000_000;

/// What has been seen of a result.
#[derive(Default)]
pub struct Digest {
    rows: u64,
    sum: u64,
    /// The key of the last row.
    last: Option<(String, i64)>,
}

impl Digest {
    /// Of all rows of a stream; an error if one is not behind the row before it.
    pub async fn of(mut stream: SendableRecordBatchStream) -> Result<Self> {
        let mut digest = Digest::default();
        while let Some(batch) = stream.next().await {
            let shown = digest.rows / SHOWN;
            digest.add(&batch?)?;
            if digest.rows / SHOWN > shown {
                eprintln!("{} rows", digest.rows);
            }
        }
        Ok(digest)
    }

    fn add(&mut self, batch: &RecordBatch) -> Result {
        let column = |name: &str| batch.column_by_name(name).ok_or_else(|| format!("no column {name}"));
        let urls = column("url")?;
        let urls = urls.as_string_opt::<i32>().ok_or("url is no column of strings")?;
        let (numbers, ids) = (column("number")?, column("id")?);
        let numbers = numbers.as_primitive_opt::<Int64Type>().ok_or("number is no column of integers")?;
        let ids = ids.as_primitive_opt::<Int64Type>().ok_or("id is no column of integers")?;
        if urls.null_count() + numbers.null_count() + ids.null_count() > 0 {
            return Err("a value is missing".into());
        }
        let held = self.last.take();
        let mut last = held.as_ref().map(|(url, id)| (url.as_str(), *id));
        for row in 0..batch.num_rows() {
            let key = (urls.value(row), ids.value(row));
            if last.is_some_and(|last| last >= key) {
                return Err(format!("row {} is out of order: {key:?} after {last:?}", self.rows).into());
            }
            last = Some(key);
            self.text(key.0.as_bytes());
            self.word(key.1.cast_unsigned());
            self.word(numbers.value(row).cast_unsigned());
            self.rows += 1;
        }
        self.last = last.map(|(url, id)| (url.to_owned(), id));
        Ok(())
    }

    /// Eight bytes at a time, then the length, so that a text does not run into the next.
    fn text(&mut self, text: &[u8]) {
        for chunk in text.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(bytes));
        }
        self.word(text.len() as u64);
    }

    /// A multiplication and a shift, after which the place of the word counts too.
    fn word(&mut self, word: u64) {
        let mixed = (self.sum.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.sum = mixed ^ (mixed >> 32);
    }
}

/// The two lines that are compared.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows {}\nchecksum {:016x}", self.rows, self.sum)
    }
}
