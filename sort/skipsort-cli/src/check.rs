//! `-c` and `-C`: is the input sorted?

use std::path::Path;

use crate::fault::{Result, shown};
use crate::input::fetch::Fetch;
use crate::input::lines::Lines;
use crate::input::open;
use crate::meter::Meter;
use crate::shape::Shape;
use crate::source::Source;

/// Bytes read at once.
const BUFFER: usize = 256 << 10;

/// The first line that is out of order.
pub(crate) struct Disorder {
    name: String,
    number: u64,
    line: Vec<u8>,
}

impl Disorder {
    /// What GNU sort says, with our name.
    pub(crate) fn message(&self) -> Vec<u8> {
        let mut message = format!("skipsort: {}:{}: disorder: ", self.name, self.number).into_bytes();
        message.extend_from_slice(&self.line);
        message.push(b'\n');
        message
    }
}

/// Reads until two neighbours are in the wrong order; with `-u` equals are, too.
pub(crate) fn run(name: &Path, shape: &Shape, meter: &Meter) -> Result<Option<Disorder>> {
    let fetch = Fetch::Stream { file: open(name)?, name: name.to_owned(), count: meter.bytes_read() };
    let mut lines = Lines::new(shape, fetch, BUFFER);
    let mut before = Vec::new();
    let mut number = 0;
    let mut disorder = None;
    while lines.advance()? {
        number += 1;
        let (key, shared) = (lines.key(), lines.shared());
        let order = shape.compare(&before, key, shared).0;
        let wrong = number > 1 && (order.is_gt() || (shape.unique && order.is_eq()));
        if wrong {
            let name = if name.as_os_str() == "-" { "-".to_owned() } else { shown(name) };
            disorder = Some(Disorder { name, number, line: lines.record().to_vec() });
            break;
        }
        before.truncate(shared);
        before.extend_from_slice(&key[shared..]);
    }
    meter.read_rows(usize::try_from(number).unwrap_or(usize::MAX));
    Ok(disorder)
}
