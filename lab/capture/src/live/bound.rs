//! The column of each value, now that the server's tables are known.

use humdrum_contract::{TableColumn, TableName, ValueKind};

use super::kept::{Kept, Known, Wants};
use super::places::{Column, Place, Role};

/// Values of a statement and their columns.
pub(super) struct Bound<'k> {
    /// By value; `None` where it has no column.
    pub(super) columns: Vec<Option<BoundColumn<'k>>>,
    /// Values that must be new, one for each unique index and row.
    pub(super) new: Vec<usize>,
    /// Unique indexes for which there is no such value: their columns refer to other tables, or are neither numbers nor texts.
    pub(super) collides_in: Vec<String>,
}

/// The column of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundColumn<'k> {
    pub(super) table: &'k TableName,
    pub(super) column: &'k TableColumn,
    pub(super) role: Role,
}

/// Finds the columns.
pub(super) fn bind<'k>(one: &'k Kept, known: &'k Known) -> Bound<'k> {
    let column = |place: &Option<Place>| place.as_ref().and_then(|place| found(one, place, known));
    let columns: Vec<Option<BoundColumn<'k>>> = one.read.places.iter().map(column).collect();
    let mut bound = Bound { columns, new: Vec::new(), collides_in: Vec::new() };
    if one.read.must_be_new {
        bound.choose_new(known);
    }
    bound
}

fn found<'k>(one: &'k Kept, place: &Place, known: &'k Known) -> Option<BoundColumn<'k>> {
    let candidates = place.tables.iter().filter_map(|at| one.read.tables.get(*at));
    candidates.into_iter().find_map(|table| {
        let columns = known.columns.get(table)?;
        let column = match &place.column {
            Column::Named(name) => columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))?,
            Column::Nth(nth) => columns.get(*nth)?,
            Column::Nothing => return None,
        };
        Some(BoundColumn { table, column, role: place.role })
    })
}

impl Bound<'_> {
    /// Chooses a value for each unique index of the target, so that no two rows are alike in it. An index of which a column is
    /// not given has a value that the server makes.
    fn choose_new(&mut self, known: &Known) {
        let rows = self.columns.iter().flatten().filter_map(|one| match one.role {
            Role::Inserted(row) => Some((row, one.table)),
            _ => None,
        });
        let Some((last, table)) = rows.max_by_key(|(row, _)| *row) else { return };
        let all = known.columns.get(table).map_or(&[][..], Vec::as_slice);
        let mut indexes: Vec<&String> = all.iter().flat_map(|column| &column.unique_in).collect();
        indexes.sort_unstable();
        indexes.dedup();
        for index in indexes {
            let members: Vec<&TableColumn> =
                all.iter().filter(|column| column.unique_in.contains(index)).collect();
            for row in 0..=last {
                let values: Vec<usize> =
                    members.iter().filter_map(|column| self.inserted(row, &column.name)).collect();
                if values.len() < members.len() || values.iter().any(|value| self.new.contains(value)) {
                    continue;
                }
                let fit = values.iter().copied().max_by_key(|value| self.fitness(*value));
                match fit.filter(|value| self.fitness(*value) > 0) {
                    Some(value) => self.new.push(value),
                    None if self.collides_in.contains(index) => {}
                    None => self.collides_in.push(index.clone()),
                }
            }
        }
    }

    /// The value of a column in a row that is inserted.
    fn inserted(&self, row: usize, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|one| one.is_some_and(|one| one.role == Role::Inserted(row) && one.column.name == name))
    }

    /// How well a value can be made new: best a number, then a text; never one that refers to another row.
    fn fitness(&self, value: usize) -> u32 {
        match self.columns.get(value).copied().flatten().map(|one| one.column) {
            Some(column) if column.refers => 0,
            Some(TableColumn { kind: ValueKind::Integer { .. }, .. }) => 2,
            Some(TableColumn { kind: ValueKind::Text { characters }, .. })
                if characters.is_none_or(|most| most >= NEW_TEXT_CHARACTERS) =>
            {
                1
            }
            _ => 0,
        }
    }

    /// What the server is asked for.
    pub(super) fn wants(&self, wants: &mut Wants) {
        for (number, one) in self.columns.iter().enumerate() {
            let Some(one) = one.filter(|one| one.role != Role::Change) else { continue };
            let is_integer = matches!(one.column.kind, ValueKind::Integer { .. });
            match self.new.contains(&number) {
                true if is_integer => {
                    wants.highest.insert((one.table.clone(), one.column.name.clone()));
                }
                true => {}
                false => {
                    wants.rows.entry(one.table.clone()).or_default().insert(one.column.name.clone());
                }
            }
        }
    }
}

/// A text of fewer characters holds too few numbers.
const NEW_TEXT_CHARACTERS: u32 = 9;
