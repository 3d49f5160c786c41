//! What fuzzers reach of parts that are private (`lab/fuzz`).

use std::path::Path;
use std::sync::Arc;

use humdrum_contract::{Column, Fetched, Outcome};

use crate::data::csv::Csv;
use crate::machine::Machine;
use crate::parse::{Action, Script};
use crate::sample::{Opener, Samples};

/// Reads a CSV file to its end; returns its rows.
///
/// # Errors
/// Usage.
pub fn csv(path: &Path) -> Outcome<u64> {
    let mut csv = Csv::open(path)?;
    let (mut row, mut rows) = (Vec::new(), 0);
    while csv.next(&mut row)? {
        rows += 1;
    }
    Ok(rows)
}

/// Takes one file for every file that a script names.
pub struct Always<'p>(pub &'p Path);

impl Opener for Always<'_> {
    fn samples(&mut self, name: &str, _place: &str) -> Outcome<Samples> {
        Samples::read(Csv::open(self.0)?, name)
    }
}

/// Runs a script once: its statements are written with their values, and each that keeps its answer gets one row of three
/// columns. Returns the number of statements.
///
/// # Errors
/// Usage: what a run finds wrong.
pub fn run(script: Script) -> Outcome<u64> {
    let script = Arc::new(script);
    let mut machine = Machine::new(Arc::clone(&script), 0, 1);
    machine.begin(1);
    let (mut text, mut statements) = (String::new(), 0);
    while let Some(at) = machine.next()? {
        statements += 1;
        let Action::Sql(sql) = &script.commands[at].action else { continue };
        machine.write(sql, &mut text)?;
        if let Some(keep) = &sql.keep {
            machine.keep(keep, &answer())?;
        }
    }
    Ok(statements)
}

fn answer() -> Fetched {
    let column = |name: &str, is_integer| Column { name: name.to_owned(), is_integer };
    let row = vec![Some("7".to_owned()), Some("1.5".to_owned()), None];
    Fetched { columns: vec![column("a", true), column("b", false), column("c", false)], rows: vec![row] }
}
