//! Is the input sorted?

use super::fetch::Fetch;
use super::inputs::Input;
use super::lines::Lines;
use super::shape::Shape;
use crate::error::Result;
use crate::progress::Meter;
use crate::source::Source;

/// Bytes read at once.
const BUFFER: usize = 256 << 10;
/// Records between two looks at whether to go on.
const BATCH: u64 = 1 << 12;

/// The first record that is out of order.
///
/// ```
/// use skipsort_external::{Options, records::{Records, Shape}};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "a\nc\nb\n")?;
/// let (shape, names) = (Shape::lines(b'\n'), [file.path().to_owned()]);
/// let disorder = Records::new(&shape, Options::new(1 << 20), &names).check()?.unwrap();
/// assert_eq!((disorder.number, &*disorder.record), (3, &b"b"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// Its number; the first record has 1.
    pub number: u64,
    /// The record without its delimiter.
    pub record: Vec<u8>,
}

/// Reads until two neighbours are in the wrong order; of a unique shape equals are, too.
pub(crate) fn run(input: Input, shape: &Shape, meter: &Meter) -> Result<Option<Disorder>> {
    let Input { file, name } = input;
    let (fetch, order) = (Fetch::Stream { file, name, meter }, shape.order());
    let mut lines = Lines::new(shape, fetch, BUFFER);
    let mut before = Vec::new();
    let mut number = 0;
    let mut disorder = None;
    while lines.advance()? {
        number += 1;
        if number % BATCH == 0 {
            meter.check()?;
        }
        let (key, shared) = (lines.key(), lines.shared());
        let found = order.compare(&before, key, shared).0;
        let wrong = number > 1 && (found.is_gt() || (shape.unique && found.is_eq()));
        if wrong {
            disorder = Some(Disorder { number, record: lines.record().to_vec() });
            break;
        }
        before.truncate(shared);
        before.extend_from_slice(&key[shared..]);
    }
    meter.read_rows(usize::try_from(number).unwrap_or(usize::MAX));
    Ok(disorder)
}
