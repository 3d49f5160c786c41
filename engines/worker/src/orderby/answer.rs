//! What a query answered: whether its rows are in order, and a hash over them in that order.

use std::cmp::Ordering;

use humdrum_contract::{OrderColumn, OrderQuery};

use super::value::{Hash, Value};

/// Takes an answer's rows one after the other.
pub struct Answer {
    keys: Vec<Key>,
    first_row: bool,
    rows: u64,
    hash: Hash,
}

/// A column of the answer that it is ordered by.
struct Key {
    column: OrderColumn,
    place: usize,
    descending: bool,
    last: Kept,
}

/// The value of the row before.
enum Kept {
    Nothing,
    Integer(i64),
    Text(Vec<u8>),
}

impl Kept {
    fn keep(&mut self, value: Value<'_>) {
        match (&mut *self, value) {
            (Self::Text(kept), Value::Text(text)) => {
                kept.clear();
                kept.extend(text);
            }
            (_, Value::Text(text)) => *self = Self::Text(text.to_vec()),
            (_, Value::Integer(number)) => *self = Self::Integer(number),
        }
    }

    fn value(&self) -> Option<Value<'_>> {
        match self {
            Self::Nothing => None,
            Self::Integer(number) => Some(Value::Integer(*number)),
            Self::Text(text) => Some(Value::Text(text)),
        }
    }
}

impl Answer {
    /// Nothing yet.
    pub fn new(query: &OrderQuery) -> Self {
        let keys = query.keys.iter().filter_map(|key| {
            let place = query.columns.iter().position(|column| *column == key.column)?;
            Some(Key { column: key.column, place, descending: key.descending, last: Kept::Nothing })
        });
        Self { keys: keys.collect(), first_row: query.first_row, rows: 0, hash: Hash::new() }
    }

    /// The next row, with the columns of the query. Rows behind the only one that counts are left out.
    ///
    /// # Errors
    /// It does not come behind the row before.
    pub fn take(&mut self, row: &[Value<'_>]) -> Result<(), String> {
        if self.first_row && self.rows == 1 {
            return Ok(());
        }
        if self.rows > 0 && self.order(row) != Ordering::Less {
            let keys: Vec<&str> = self.keys.iter().map(|key| key.column.name()).collect();
            return Err(format!(
                "row {} does not come behind row {} by {}",
                self.rows,
                self.rows - 1,
                keys.join(", ")
            ));
        }
        self.keys.iter_mut().for_each(|key| key.last.keep(row[key.place]));
        row.iter().for_each(|value| self.hash.add(*value));
        self.rows += 1;
        Ok(())
    }

    /// How the row before compares to this one.
    fn order(&self, row: &[Value<'_>]) -> Ordering {
        let compared = self.keys.iter().map(|key| {
            let order = key.last.value().map_or(Ordering::Less, |last| last.cmp(&row[key.place]));
            if key.descending { order.reverse() } else { order }
        });
        compared.fold(Ordering::Equal, Ordering::then)
    }

    /// Rows that count.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The hash of all rows so far.
    pub fn checksum(&self) -> u64 {
        self.hash.finish()
    }
}

#[cfg(test)]
mod tests {
    use humdrum_contract::OrderKey;

    use super::*;

    fn query(first_row: bool) -> OrderQuery {
        let key = |column, descending| OrderKey { column, descending };
        OrderQuery {
            columns: vec![OrderColumn::Id, OrderColumn::Name, OrderColumn::Region],
            keys: vec![key(OrderColumn::Region, true), key(OrderColumn::Name, false)],
            first_row,
            ..OrderQuery::default()
        }
    }

    fn taken(rows: &[(i64, &str, i64)], first_row: bool) -> Result<(u64, u64), String> {
        let mut answer = Answer::new(&query(first_row));
        for (id, name, region) in rows {
            answer.take(&[Value::Integer(*id), Value::Text(name.as_bytes()), Value::Integer(*region)])?;
        }
        Ok((answer.rows(), answer.checksum()))
    }

    #[test]
    fn rows_in_order_are_hashed_and_others_refused() {
        let right = taken(&[(1, "b", 9), (2, "a", 8), (3, "b", 8)], false).expect("in order");
        assert_eq!(right.0, 3);
        assert_ne!(taken(&[(7, "b", 9), (2, "a", 8), (3, "b", 8)], false).expect("in order").1, right.1);
        let wrong = taken(&[(1, "b", 9), (3, "b", 8), (2, "a", 8)], false).expect_err("names");
        assert!(wrong.contains("row 2") && wrong.contains("region, name"), "{wrong}");
        assert!(taken(&[(1, "b", 8), (2, "a", 9)], false).is_err(), "the first key descends");
        assert!(taken(&[(1, "b", 8), (2, "b", 8)], false).is_err(), "keys order all rows in one way");
    }

    #[test]
    fn where_the_first_row_counts_the_others_do_not() {
        let one = taken(&[(1, "b", 9)], true);
        assert_eq!(taken(&[(1, "b", 9), (5, "z", 99)], true), one);
        assert_eq!(one.map(|(rows, _)| rows), Ok(1));
    }
}
