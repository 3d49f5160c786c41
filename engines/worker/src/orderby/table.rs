//! The rows of the table, a pure function of its seed.

use humdrum_contract::{OrderColumn, OrderMade, OrderTable, Random};
use skipsort_testkit::{Keys, patterns};

use super::value::{Hash, Value};

/// The set of keys that URLs are made of.
const URLS: &str = "url";
const REGIONS: u64 = 1_000;
const CUSTOMERS: f64 = 100_000.0;
/// 2023-11-14, and the seconds of a year.
const SEEN_FIRST_US: i64 = 1_700_000_000_000_000;
const SEEN_SECONDS: u64 = 31_536_000;
const TAG_LETTERS: usize = 16;
const NOTE_LETTERS: usize = 96;

/// A table that is being made. It holds the URLs; everything else of a row is made when it is asked for.
pub struct Table {
    table: OrderTable,
    urls: Keys,
}

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    id: i64,
    url: Vec<u8>,
    region: i64,
    name: Vec<u8>,
    seen: i64,
    amount: i64,
    tag: Vec<u8>,
    note: Vec<u8>,
}

impl Row {
    /// The value of a column.
    pub fn value(&self, column: OrderColumn) -> Value<'_> {
        match column {
            OrderColumn::Id => Value::Integer(self.id),
            OrderColumn::Url => Value::Text(&self.url),
            OrderColumn::Region => Value::Integer(self.region),
            OrderColumn::Name => Value::Text(&self.name),
            OrderColumn::Seen => Value::Integer(self.seen),
            OrderColumn::Amount => Value::Integer(self.amount),
            OrderColumn::Tag => Value::Text(&self.tag),
            OrderColumn::Note => Value::Text(&self.note),
        }
    }
}

impl Table {
    /// Begins to make a table.
    ///
    /// # Panics
    /// Never: the set of URLs is in the testkit.
    pub fn new(table: OrderTable) -> Self {
        let pattern = patterns::find(URLS).expect("a set of the testkit");
        Self { table, urls: pattern.keys(table.rows as usize, table.seed) }
    }

    /// Gives each row to `take`, in order. Returns what they are together.
    ///
    /// # Errors
    /// The first of `take`.
    pub fn each<E>(&self, mut take: impl FnMut(&Row) -> Result<(), E>) -> Result<OrderMade, E> {
        let mut row = Row::default();
        let (mut hash, mut bytes) = (Hash::new(), 0);
        for (number, url) in (0..self.table.rows).zip(self.urls.iter()) {
            fill(&mut row, self.table.seed, number, url);
            for column in OrderColumn::ALL {
                let value = row.value(column);
                hash.add(value);
                bytes += if let Value::Text(text) = value { text.len() as u64 } else { 8 };
            }
            take(&row)?;
        }
        Ok(OrderMade { rows: self.table.rows, bytes, checksum: hash.finish() })
    }
}

fn fill(row: &mut Row, seed: u64, number: u64, url: &[u8]) {
    let mut random = Random::of(seed, number);
    row.id = number.cast_signed();
    row.url.clear();
    row.url.extend(url);
    // No two rows have the same number, so no two have the same URL.
    row.url.extend(format!("?{number}").bytes());
    row.region = random.below(REGIONS).cast_signed();
    // The cube makes the first names frequent: one row of ten has one of the first hundred.
    let customer = (random.unit().powi(3) * CUSTOMERS) as u64;
    row.name.clear();
    row.name.extend(format!("customer-{customer:06}").bytes());
    row.seen = SEEN_FIRST_US + random.below(SEEN_SECONDS).cast_signed() * 1_000_000;
    row.amount = random.next().cast_signed() >> 16;
    letters(&mut row.tag, TAG_LETTERS, &mut random);
    letters(&mut row.note, NOTE_LETTERS, &mut random);
}

/// So many of the first sixteen letters, as many as a random number has digits.
fn letters(text: &mut Vec<u8>, many: usize, random: &mut Random) {
    text.clear();
    while text.len() < many {
        let word = random.next();
        text.extend((0..16).map(|digit| b'a' + ((word >> (4 * digit)) & 15) as u8));
    }
    text.truncate(many);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn made(rows: u64, seed: u64) -> (OrderMade, Vec<Row>) {
        let mut all = Vec::new();
        let made = Table::new(OrderTable { rows, seed }).each(|row| {
            all.push(row.clone());
            Ok::<(), ()>(())
        });
        (made.expect("taken"), all)
    }

    /// The values are part of the suite: others would be another table.
    #[test]
    fn the_same_seed_makes_the_same_rows() {
        let ((one, rows), (two, _), (other, _)) = (made(500, 7), made(500, 7), made(500, 8));
        assert_eq!(one, two);
        assert_ne!(one.checksum, other.checksum);
        let bytes = |row: &Row| row.url.len() + row.name.len() + row.tag.len() + row.note.len() + 4 * 8;
        assert_eq!(one.bytes, rows.iter().map(|row| bytes(row) as u64).sum::<u64>());
        assert_eq!((rows[3].tag.len(), rows[3].note.len()), (TAG_LETTERS, NOTE_LETTERS));
        assert!(rows[3].url.starts_with(b"https://") && rows[3].url.ends_with(b"?3"));
    }

    #[test]
    fn urls_are_unique_and_names_are_not() {
        let (_, rows) = made(3_000, 1);
        let distinct = |of: fn(&Row) -> &[u8]| rows.iter().map(of).collect::<HashSet<_>>().len();
        assert_eq!(distinct(|row| &row.url), 3_000);
        assert!((1_000..2_900).contains(&distinct(|row| &row.name)));
        assert!(
            rows.iter().all(|row| std::str::from_utf8(&row.url).is_ok() && (0..1_000).contains(&row.region))
        );
    }

    #[test]
    fn what_a_taker_says_ends_it() {
        let table = Table::new(OrderTable { rows: 10, seed: 1 });
        assert_eq!(table.each(|row| if row.id == 4 { Err(row.id) } else { Ok(()) }), Err(4));
    }
}
