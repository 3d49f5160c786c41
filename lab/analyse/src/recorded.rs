//! Figures of recorded runs, for tests on realistic values.

use std::path::{Path, PathBuf};

use crate::dist::t_critical;

/// A test of a recorded run.
pub(crate) struct Recorded {
    pub group: String,
    pub test: String,
    /// ln ratio.
    pub mean: f64,
    /// Sd between sessions.
    pub sd: f64,
    pub sessions: f64,
}

/// The records' folder.
pub(crate) fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../records")
}

/// The tests of a `summary.tsv`. The sd follows from the smallest detectable change, which was (t(0.975) +
/// t(0.8)) standard errors.
pub(crate) fn read(file: &Path) -> Vec<Recorded> {
    let text = std::fs::read_to_string(file).expect("a table");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a heading").split('\t').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name: &str| cells[names.iter().position(|one| *one == name).expect("a column")];
        let number = |name: &str| cell(name).parse::<f64>().expect("a number");
        let (sessions, freedom) = (number("sessions"), number("sessions") - 1.0);
        let errors = t_critical(0.05, freedom) + t_critical(0.4, freedom);
        let standard_error = number("minimum_detectable").ln_1p() / errors;
        Recorded {
            group: cell("group").to_owned(),
            test: cell("test").to_owned(),
            mean: number("rqps").ln(),
            sd: standard_error * sessions.sqrt(),
            sessions,
        }
    };
    lines.map(row).collect()
}
