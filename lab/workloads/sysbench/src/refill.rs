//! Inserts deleted rows again between slices, uncounted and in bulk. The number of the delete determines the new values.

use humdrum_contract::{Outcome, RowSource, SqlSession};
use humdrum_model::{Fault, FaultKind};

use crate::data::{C_GROUPS, PAD_GROUPS, push_groups};
use humdrum_contract::Random;

/// Makes the values independent of other random numbers. Any constant does.
const REFILL: u64 = 0x7265_6669_6c6c_0001;

/// Inserts rows ((table, id), number of the delete), table by table in the order of their ids.
pub(crate) fn refill(
    session: &mut dyn SqlSession,
    tables: &[String],
    mut rows: Vec<((usize, i32), u64)>,
    k_last: u64,
) -> Outcome<()> {
    rows.sort_unstable();
    for own in rows.chunk_by(|one, other| one.0.0 == other.0.0) {
        let table = &tables[own[0].0.0];
        let mut source = Again { rows: own, k_last };
        let loaded = session.load(table, &["id", "k", "c", "pad"], &mut source)?;
        if loaded != own.len() as u64 {
            let what = format!("{loaded} of {} deleted rows came back into {table}", own.len());
            return Err(Fault::new(FaultKind::WrongAnswer, what));
        }
    }
    Ok(())
}

struct Again<'a> {
    rows: &'a [((usize, i32), u64)],
    k_last: u64,
}

impl RowSource for Again<'_> {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        let Some((((_, id), number), rest)) = self.rows.split_first() else { return false };
        self.rows = rest;
        let mut random = Random::of(REFILL, *number);
        row.extend_from_slice(format!("{id}\t{}\t", random.id(self.k_last)).as_bytes());
        push_groups(C_GROUPS, &mut random, row);
        row.push(b'\t');
        push_groups(PAD_GROUPS, &mut random, row);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_ids_and_values_of_their_numbers() {
        let texts = |number| {
            let rows = [((0, 7), number), ((0, 9), number + 1)];
            let (mut source, mut row, mut all) = (Again { rows: &rows, k_last: 50 }, Vec::new(), Vec::new());
            while source.next_row(&mut row) {
                all.push(String::from_utf8(std::mem::take(&mut row)).expect("ascii"));
            }
            all
        };
        let first = texts(3);
        let columns: Vec<&str> = first[0].split('\t').collect();
        assert_eq!((columns.len(), columns[0], columns[2].len(), columns[3].len()), (4, "7", 119, 59));
        assert!((1..=50).contains(&columns[1].parse::<u64>().expect("k")));
        assert_eq!(first, texts(3));
        assert_ne!(first, texts(30));
    }
}
