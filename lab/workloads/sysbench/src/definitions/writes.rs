//! The writes, in the order of the reference's table.

use humdrum_model::Phase;

use super::{Definition, Ids, Write};

pub(super) static WRITES: [Definition; 10] = [
    Definition::write(
        "delete",
        "one DELETE of 1 row by primary key, a row that is there: deleted rows come back between slices, uncounted",
        Write::Delete,
        Phase::Resize,
    )
    .in_compat("one DELETE by primary key, random ids: the more rows are gone, the more of them find nothing"),
    Definition::write(
        "insert",
        "one INSERT of 1 row, literal text, primary key numbered by the server; the table grows",
        Write::Insert,
        Phase::Resize,
    ),
    Definition::write(
        "read-write_range=100",
        "one of 20 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 100 rows, the four \
         writes of write-only, COMMIT",
        Write::Transaction { width: Some(100) },
        Phase::Write,
    ),
    Definition::write(
        "read-write_range=10",
        "one of 20 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 10 rows, the four \
         writes of write-only, COMMIT",
        Write::Transaction { width: Some(10) },
        Phase::Write,
    ),
    Definition::write(
        "update-index",
        "one UPDATE of the indexed column k (k + 1) of 1 row by primary key",
        Write::Index,
        Phase::Write,
    ),
    Definition::write(
        "update-inlist",
        "one UPDATE of column c of 10 rows by primary key IN list, random rows",
        Write::InList,
        Phase::Write,
    ),
    Definition::write(
        "update-nonindex",
        "one UPDATE of the unindexed column c of 1 row by primary key",
        Write::NonIndex { ids: Ids::Uniform },
        Phase::Write,
    ),
    Definition::write(
        "update-one",
        "one UPDATE of the unindexed column c of row 1, the same row for all clients",
        Write::NonIndex { ids: Ids::One },
        Phase::Write,
    ),
    Definition::write(
        "update-zipf",
        "one UPDATE of the unindexed column c of 1 row by primary key, row n chosen in proportion to n^-0.8",
        Write::NonIndex { ids: Ids::Zipf },
        Phase::Write,
    ),
    Definition::write(
        "write-only",
        "one of 6 statements: BEGIN, UPDATE of k, UPDATE of c, DELETE of a row and INSERT of it anew, COMMIT",
        Write::Transaction { width: None },
        Phase::Write,
    ),
];
