//! Tables `pi1` to `piN` and their covering indexes.

use std::time::Duration;

use humdrum_contract::QueueSql;
use humdrum_model::Scale;

/// Timeout of one statement. Building an index or counting all rows may take hours.
pub(crate) const PATIENCE: Duration = Duration::from_secs(4 * 3600);

/// Columns of an INSERT, in order. The server assigns the id.
pub(crate) const COLUMNS: &str = "dateandtime,cashregisterid,customerid,productid,price,data";

/// Suffix and columns of the secondary indexes, which cover the queries.
const INDEXES: [(&str, &str); 3] = [
    ("_marketsegment", "productid, customerid, price"),
    ("_registersegment", "cashregisterid, customerid, price"),
    ("_pdc", "price, dateandtime, customerid"),
];

/// All tables of a scale.
pub(crate) fn tables(scale: &Scale) -> Vec<String> {
    (0..scale.tables).map(table).collect()
}

/// The table of client `number`, or the one that all share.
pub(crate) fn table_of(number: u32, scale: &Scale) -> String {
    table(number % scale.tables.max(1))
}

fn table(number: u32) -> String {
    format!("pi{}", number + 1)
}

/// Drops the table if it exists, and creates it without secondary indexes.
pub(crate) fn create(queue: &QueueSql, table: &str) -> Vec<String> {
    let QueueSql { id_column, time_type, table_options, .. } = queue;
    let create = format!(
        "CREATE TABLE {table} (transactionid {id_column}, dateandtime {time_type}, cashregisterid int NOT NULL, \
         customerid int NOT NULL, productid int NOT NULL, price int NOT NULL, data varchar(4000)) {table_options}"
    );
    let mut all = vec![format!("DROP TABLE IF EXISTS {table}"), create];
    all.extend((queue.after_create)(table));
    all
}

/// Creates the secondary indexes, like the reference in one statement where the engine can.
pub(crate) fn index(queue: &QueueSql, table: &str) -> Vec<String> {
    if queue.indexes_at_once {
        let parts = INDEXES.map(|(suffix, columns)| format!("ADD INDEX {table}{suffix} ({columns})"));
        return vec![format!("ALTER TABLE {table} {}", parts.join(", "))];
    }
    let one =
        |(suffix, columns): (&str, &str)| format!("CREATE INDEX {table}{suffix} ON {table} ({columns})");
    INDEXES.map(one).to_vec()
}
