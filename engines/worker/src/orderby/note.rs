//! Which table a server has, beside its data: a server that is started again has the table that it had.

use std::fs;
use std::path::PathBuf;

use humdrum_contract::{OrderMade, OrderTable};

use super::orders::Orders;

/// The file.
#[derive(Clone, Debug)]
pub struct Note(PathBuf);

impl Note {
    /// That of a worker.
    pub fn of(orders: &Orders) -> Self {
        Self(orders.folder.join("table.json"))
    }

    /// The table, if one was made to its end.
    pub fn read(&self) -> Option<(OrderTable, OrderMade)> {
        let [rows, seed, bytes, checksum]: [u64; 4] =
            serde_json::from_slice(&fs::read(&self.0).ok()?).ok()?;
        Some((OrderTable { rows, seed }, OrderMade { rows, bytes, checksum }))
    }

    /// Notes a table that is whole.
    pub(super) fn write(&self, table: OrderTable, made: OrderMade) -> Result<(), String> {
        let numbers = [table.rows, table.seed, made.bytes, made.checksum];
        let text = serde_json::to_vec(&numbers).map_err(|error| error.to_string())?;
        fs::write(&self.0, text).map_err(|error| format!("cannot write {}: {error}", self.0.display()))
    }

    /// Forgets the table, which is about to be replaced.
    pub(super) fn remove(&self) {
        // There may be none.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_noted_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("folder");
        let note = Note::of(&Orders { folder: folder.path().into(), ..Orders::default() });
        assert_eq!(note.read(), None);
        let table = OrderTable { rows: 7, seed: u64::MAX };
        let made = OrderMade { rows: 7, bytes: 900, checksum: u64::MAX - 1 };
        note.write(table, made).expect("written");
        assert_eq!(note.read(), Some((table, made)));
        note.remove();
        assert_eq!(note.read(), None);
    }
}
