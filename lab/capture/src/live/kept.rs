//! A statement, what was found out about the server's tables, and what the server is still to be asked for: plain data.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use humdrum_contract::{CountedStatement, Fetched, Placeholders, TableColumn, TableName};

use super::places::Read;
use crate::literal::Literal;
use crate::pattern::Template;

/// What was found out about a server's tables and statements.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Columns by table; none where there is no such table.
    pub columns: BTreeMap<TableName, Vec<TableColumn>>,
    /// Rows by table, of the columns that were wanted.
    pub rows: BTreeMap<TableName, Fetched>,
    /// The largest value of a column.
    pub highest: BTreeMap<(TableName, String), i64>,
    /// By text.
    pub placeholders: HashMap<String, Placeholders>,
}

/// What the server is to be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Rows, of these columns of each table.
    pub rows: BTreeMap<TableName, BTreeSet<String>>,
    /// The largest value of a table's column.
    pub highest: BTreeSet<(TableName, String)>,
}

/// One statement.
pub(super) struct Kept {
    pub(super) counted: CountedStatement,
    pub(super) shape: u64,
    pub(super) template: Template,
    pub(super) literals: Vec<Literal>,
    pub(super) read: Read,
}
