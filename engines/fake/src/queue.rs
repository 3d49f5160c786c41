//! Tables that are used as queues (`pi1` and so on). Every row is kept, so that answers and contents equal
//! those of a real server.

use std::collections::{BTreeMap, VecDeque};

/// What the sums of a row's contents are made of: register, customer, product, price, length of `data`.
type Sums = [u64; 5];

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queue {
    last_id: u64,
    rows: VecDeque<(u64, Sums)>,
}

/// What running a statement came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueWork {
    /// Rows returned or changed.
    pub(crate) rows: u64,
    pub(crate) writes: bool,
}

/// The queue that a statement is about, if it is about one.
pub(crate) fn table_in(sql: &str) -> Option<&str> {
    let mut words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.find(|word| word.strip_prefix("pi").is_some_and(|number| number.parse::<u32>().is_ok()))
}

/// All queues of a server.
#[derive(Debug, Default)]
pub(crate) struct Queues(BTreeMap<String, Queue>);

impl Queues {
    /// Runs a statement about `table`; without `is_done` it is acknowledged only.
    pub(crate) fn run(&mut self, table: &str, sql: &str, is_done: impl FnOnce() -> bool) -> QueueWork {
        let queue = self.0.entry(table.to_owned()).or_default();
        if let Some((_, values)) = sql.split_once(" VALUES ") {
            let rows = rows_of(values);
            let work = QueueWork { rows: rows.len() as u64, writes: true };
            if is_done() {
                rows.into_iter().for_each(|row| queue.push(row));
            }
            return work;
        }
        if sql.starts_with("DELETE") {
            let (least, limit) = (number_after(sql, ">= "), number_after(sql, "LIMIT "));
            let place = queue.rows.partition_point(|(id, _)| *id < least);
            let end = (place + limit as usize).min(queue.rows.len());
            if is_done() {
                queue.rows.drain(place..end);
            }
            return QueueWork { rows: (end - place) as u64, writes: true };
        }
        let rows = match sql.split_once(" IN (") {
            Some((_, list)) => {
                list.split([',', ')']).filter_map(|id| id.parse().ok()).filter(|id| queue.has(*id)).count()
            }
            None => queue.rows.len().min(number_after(sql, "LIMIT ") as usize),
        };
        QueueWork { rows: rows as u64, writes: false }
    }

    /// The answer to a question outside the measured path; `None`: it is not about what is in a queue.
    pub(crate) fn answer(&mut self, table: &str, sql: &str) -> Option<Vec<u64>> {
        if sql.starts_with("DROP TABLE") {
            self.0.remove(table);
        }
        let queue = self.0.entry(table.to_owned()).or_default();
        let first = queue.rows.front().map_or(0, |(id, _)| *id);
        let last = queue.rows.back().map_or(0, |(id, _)| *id);
        match () {
            () if sql.starts_with("SELECT min(") => Some(vec![first]),
            () if sql.starts_with("SELECT max(") => Some(vec![last]),
            () if sql.starts_with("SELECT count(*)") => {
                let ids = queue.rows.iter().map(|(id, _)| *id).sum();
                let sum = |place: usize| queue.rows.iter().map(|(_, sums)| sums[place]).sum();
                let sums: [u64; 5] = std::array::from_fn(sum);
                Some([queue.rows.len() as u64, first, last, ids].into_iter().chain(sums).collect())
            }
            () => None,
        }
    }
}

impl Queue {
    fn push(&mut self, row: Sums) {
        self.last_id += 1;
        self.rows.push_back((self.last_id, row));
    }

    fn has(&self, id: u64) -> bool {
        self.rows.binary_search_by_key(&id, |(own, _)| *own).is_ok()
    }
}

/// The rows of `('2026-…',1,2,3,4.56,'aaa'),(…)`.
fn rows_of(values: &str) -> Vec<Sums> {
    let row = |text: &str| {
        let fields: Vec<&str> = text.split(',').map(|field| field.trim_matches(['(', ')', '\''])).collect();
        let number = |place: usize| fields.get(place).and_then(|field| field.parse().ok()).unwrap_or(0);
        let price = fields.get(4).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        let length = fields.get(5).map_or(0, |data| data.len() as u64);
        [number(1), number(2), number(3), price.round() as u64, length]
    };
    values.split("),(").map(row).collect()
}

fn number_after(sql: &str, word: &str) -> u64 {
    let digits = sql.split_once(word).map_or("", |(_, rest)| rest);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(queues: &mut Queues, count: usize) -> QueueWork {
        let rows = vec!["('2026-01-01 00:00:00',1,2,3,4.50,'aab')"; count].join(",");
        queues.run("pi1", &format!("INSERT INTO pi1 (a) VALUES {rows}"), || true)
    }

    #[test]
    fn rows_come_in_at_one_end_and_go_out_at_the_other() {
        let mut queues = Queues::default();
        assert_eq!(insert(&mut queues, 5), QueueWork { rows: 5, writes: true });
        let delete = "DELETE FROM pi1 WHERE transactionid >= 1 ORDER BY transactionid ASC LIMIT 2";
        assert_eq!(queues.run("pi1", delete, || true).rows, 2);
        assert_eq!(queues.run("pi1", delete, || false).rows, 2);
        let sums = queues.answer("pi1", "SELECT count(*), …").expect("an answer");
        assert_eq!(sums, [3, 3, 5, 12, 3, 6, 9, 15, 9]);
        let ids = "SELECT data FROM pi1 WHERE transactionid IN (1,3,5,9)";
        assert_eq!(queues.run("pi1", ids, || true), QueueWork { rows: 2, writes: false });
        assert_eq!(queues.answer("pi1", "SELECT max(transactionid) FROM pi1"), Some(vec![5]));
        assert_eq!(queues.answer("pi1", "DROP TABLE IF EXISTS pi1"), None);
        assert_eq!(queues.answer("pi1", "SELECT min(transactionid) FROM pi1"), Some(vec![0]));
    }

    #[test]
    fn only_queues_are_queues() {
        assert_eq!(table_in("SELECT 1 FROM pi12 WHERE x"), Some("pi12"));
        assert_eq!(table_in("SELECT c FROM sbtest1 WHERE pid = 3"), None);
    }
}
