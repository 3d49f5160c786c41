//! A test that a benchmark runs with every client.

/// A test, and the sysbench script with options that does the same.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Our name of it.
    pub test: &'static str,
    /// sysbench's script.
    pub script: &'static str,
    /// Its options.
    pub options: &'static [&'static str],
}

impl Case {
    /// One prepared SELECT by primary key.
    pub const POINT_QUERY: Self = Self { test: "point-query", script: "oltp_point_select", options: &[] };
}
