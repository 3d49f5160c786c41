//! A test that a benchmark runs with every client.

use super::server::ROWS;

/// A test, and the peers' script that does the same.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Our name of it: a test of sysbench, or `FOLDER:TEST` of a folder of scripts.
    pub test: &'static str,
    /// sysbench's script; empty if it has none.
    pub script: &'static str,
    /// Its options.
    pub options: &'static [&'static str],
}

impl Case {
    /// One prepared SELECT by primary key.
    pub const POINT_QUERY: Self = Self { test: "point-query", script: "oltp_point_select", options: &[] };
    /// The built-in script of pgbench that only selects, from a folder of scripts.
    pub const SELECT_ONLY: Self = Self {
        test: concat!(env!("CARGO_MANIFEST_DIR"), "/../suites/tpcb:select-only"),
        script: "",
        options: &[],
    };

    /// What pgbench runs.
    ///
    /// # Errors
    /// The folder's script cannot be read.
    pub fn pgbench(&self) -> Result<String, String> {
        let Some((folder, test)) = self.test.rsplit_once(':') else {
            return Ok(format!("\\set id random(1, {ROWS})\nSELECT c FROM sbtest1 WHERE id = :id;\n"));
        };
        let file = format!("{folder}/{test}.sql");
        std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))
    }
}
