//! The tables of tests, in the reference's order, with its names, statements and sizes. `operation` says what one
//! operation is, because some names do not.

mod reads;
mod writes;

use humdrum_model::{Phase, TestInfo};

/// One test.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    group: &'static str,
    operation: &'static str,
    /// What one operation is with `--compat`, if that differs.
    operation_compat: Option<&'static str>,
    pub(crate) shape: Shape,
    long: bool,
    phase: Phase,
}

/// What a test does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Read(Read),
    Write(Write),
}

/// A read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Rows by a list of values of a column.
    InList {
        /// Columns that are read.
        columns: &'static str,
        /// Column that is looked up: `id` or `k`.
        key: &'static str,
        /// Values in the list.
        count: usize,
        /// Whether it is always the same rows, in the middle of the table.
        hot: bool,
    },
    /// One row by primary key.
    Point,
    /// `key BETWEEN x AND x + width`.
    Range {
        /// Columns that are read.
        columns: &'static str,
        /// Column that is looked up: `id` or `k`.
        key: &'static str,
        /// Distance between the ends.
        width: u64,
    },
    /// The whole table, returning nothing.
    Scan,
    /// `BEGIN`, ten rows by primary key, ranges of `width` rows, `COMMIT`.
    Transaction {
        /// The ranges, in order.
        ranges: &'static [RangeQuery],
        /// Rows in each range.
        width: u64,
    },
}

/// A write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// Updates `c` of `LISTED` rows.
    InList,
    /// Updates `k` of a row, which is indexed.
    Index,
    /// Updates `c` of a row, which is not indexed.
    NonIndex {
        /// Which row.
        ids: Ids,
    },
    /// `BEGIN`, the reads of `read-only` over `width` rows if any, an update of `k`, one of `c`, a row deleted and
    /// inserted again, `COMMIT`.
    Transaction {
        /// Rows in each range. `None`: no reads.
        width: Option<u64>,
    },
    /// Deletes a row.
    Delete,
    /// Inserts a row.
    Insert,
}

/// How ids are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// All with the same probability.
    Uniform,
    /// Always 1.
    One,
    /// Small ones far more often than others.
    Zipf,
}

/// A range query of the transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeQuery {
    Simple,
    Sum,
    Order,
    Distinct,
}

/// All four, in the order of the transactions that have them all.
pub(crate) const ALL_RANGES: &[RangeQuery] =
    &[RangeQuery::Simple, RangeQuery::Sum, RangeQuery::Order, RangeQuery::Distinct];

/// Rows by primary key in each transaction that reads.
pub(crate) const POINTS_PER_TRANSACTION: usize = 10;

/// Ids in the list of `update-inlist`. It is 10, although the reference's label says otherwise.
pub(crate) const LISTED: usize = 10;

/// The suffix of reads that run before any write.
const PRE: &str = ".pre";

/// The reads that the reference also ran before any write.
const PRE_TESTS: [&str; 15] = [
    "point-query",
    "random-points_range=10",
    "random-points_range=100",
    "random-points_range=1000",
    "read-only_range=10",
    "read-only_range=100",
    "read-only_range=10000",
    "points-covered-pk",
    "points-covered-si",
    "points-notcovered-pk",
    "points-notcovered-si",
    "range-covered-pk",
    "range-covered-si",
    "range-notcovered-pk",
    "range-notcovered-si",
];

/// All 47 tests: today's 32, then the copies that run before any write.
pub(crate) fn infos(compat: bool) -> Vec<TestInfo> {
    let today = reads::READS.iter().chain(&writes::WRITES).map(|test| test.info(compat));
    let pre = PRE_TESTS.iter().filter_map(|name| Some(find(name)?.pre(compat)));
    today.chain(pre).collect()
}

/// The definition of the test of that name.
pub(crate) fn find(name: &str) -> Option<&'static Definition> {
    let (base, pre) = name.strip_suffix(PRE).map_or((name, false), |base| (base, true));
    if pre && !PRE_TESTS.contains(&base) {
        return None;
    }
    reads::READS.iter().chain(&writes::WRITES).find(|test| test.name == base)
}

impl Definition {
    const fn read(name: &'static str, group: &'static str, operation: &'static str, shape: Shape) -> Self {
        Self { name, group, operation, operation_compat: None, shape, long: false, phase: Phase::Aged }
    }

    const fn write(name: &'static str, operation: &'static str, write: Write, phase: Phase) -> Self {
        let shape = Shape::Write(write);
        Self { name, group: "write", operation, operation_compat: None, shape, long: false, phase }
    }

    const fn long(mut self) -> Self {
        self.long = true;
        self
    }

    const fn in_compat(mut self, operation: &'static str) -> Self {
        self.operation_compat = Some(operation);
        self
    }

    fn info(&self, compat: bool) -> TestInfo {
        let operation = self.operation_compat.filter(|_| compat).unwrap_or(self.operation);
        let writes = matches!(self.shape, Shape::Write(_));
        let also: &[&str] = if writes { &["today"] } else { &["today", "read"] };
        TestInfo {
            name: self.name.into(),
            group: self.group.into(),
            operation: operation.into(),
            statements: self.statements(),
            writes,
            long: self.long,
            phase: self.phase,
            also: also.iter().map(|name| (*name).to_owned()).collect(),
            scans: self.shape == Shape::Read(Read::Scan),
            ..TestInfo::default()
        }
    }

    /// The copy that runs before any write.
    fn pre(&self, compat: bool) -> TestInfo {
        let name = format!("{}{PRE}", self.name);
        TestInfo { name, group: "pre".into(), phase: Phase::Fresh, also: Vec::new(), ..self.info(compat) }
    }

    /// Statements per call. Those of a transaction include BEGIN and COMMIT.
    fn statements(&self) -> u32 {
        match self.shape {
            Shape::Read(Read::Transaction { ranges, .. }) => {
                (2 + POINTS_PER_TRANSACTION + ranges.len()) as u32
            }
            Shape::Write(Write::Transaction { width: None }) => 6,
            Shape::Write(Write::Transaction { width: Some(_) }) => {
                (6 + POINTS_PER_TRANSACTION + ALL_RANGES.len()) as u32
            }
            Shape::Read(_) | Shape::Write(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn holds_todays_32_and_15_copies() {
        let infos = infos(false);
        let of = |group: &str| infos.iter().filter(|test| test.group == group).count();
        assert_eq!([of("point"), of("range"), of("aggregate"), of("write"), of("pre")], [9, 5, 8, 10, 15]);
        let names: HashSet<&str> = infos.iter().map(|test| test.name.as_str()).collect();
        assert_eq!((names.len(), infos.len()), (47, 47));
        assert_eq!(infos.iter().filter(|test| test.also.contains(&"today".to_owned())).count(), 32);
        assert_eq!(infos.iter().filter(|test| test.also.contains(&"read".to_owned())).count(), 22);
        assert!(infos.iter().all(|test| find(&test.name).is_some()));
        assert!(find("scan.pre").is_none());
    }

    #[test]
    fn reads_come_before_and_after_writes() {
        let phase =
            |name: &str| infos(false).into_iter().find(|test| test.name == name).map(|test| test.phase);
        assert_eq!(phase("point-query.pre"), Some(Phase::Fresh));
        assert_eq!(phase("update-one"), Some(Phase::Write));
        assert_eq!(phase("point-query"), Some(Phase::Aged));
        assert_eq!([phase("delete"), phase("insert")], [Some(Phase::Resize); 2]);
    }

    #[test]
    fn counts_the_statements_of_transactions() {
        let statements = |name| find(name).map(Definition::statements);
        assert_eq!(statements("read-only-sum"), Some(13));
        assert_eq!(statements("read-only_range=10"), Some(16));
        assert_eq!(statements("read-write_range=100"), Some(20));
        assert_eq!(statements("write-only"), Some(6));
        assert_eq!(statements("point-query.pre"), Some(1));
    }

    #[test]
    fn compat_says_so_where_it_means_something_else() {
        let differ: Vec<String> = infos(false)
            .into_iter()
            .zip(infos(true))
            .filter(|(ours, theirs)| ours.operation != theirs.operation)
            .map(|(ours, _)| ours.name)
            .collect();
        assert_eq!(differ, ["delete"]);
    }
}
