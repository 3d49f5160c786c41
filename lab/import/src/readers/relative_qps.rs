//! Tables of queries per second as the Small Datum archive has them: a column for each build, a row for each test; absolute
//! (`qps.abs`), or relative to one build (`qps.rel`).
//!
//! ```text
//!   Relative to: x.my5651_rel.z12a_c8r32.pk1
//!   col-1 : x.my8043_rel.z12a_c8r32.pk1
//!
//!   col-1
//!   0.66    hot-points_range=100
//! ```

use humdrum_model::Fault;

use crate::Reader;
use crate::found::{Found, Named, Options, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{number, of_rate};

/// More columns than any table has.
const COLUMNS_MAX: usize = 1000;

/// The archive's tables.
pub(crate) struct RelativeQps;

impl Reader for RelativeQps {
    fn name(&self) -> &'static str {
        "relative-qps"
    }

    fn about(&self) -> &'static str {
        "the qps.abs and qps.rel tables of the Small Datum archive"
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().take(3).any(|line| line.starts_with("col-1 : "))
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut table = Table::default();
        while let Some(line) = lines.read()? {
            if !table.take(line, found)? {
                found.unread(line);
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Table {
    base: Option<String>,
    columns: Vec<String>,
}

impl Table {
    fn take(&mut self, line: Line<'_>, found: &mut Found) -> Result<bool, Fault> {
        let text = line.text;
        if let Some(base) = text.strip_prefix("Relative to: ") {
            *self = Self { base: Some(base.to_owned()), columns: Vec::new() };
        } else if let Some((_, build)) = text.strip_prefix("col-").and_then(|rest| rest.split_once(" : ")) {
            if self.columns.len() < COLUMNS_MAX {
                self.columns.push(build.to_owned());
            }
        } else if !(text.is_empty() || text.starts_with("col-1")) {
            return self.row(text, found);
        }
        Ok(true)
    }

    /// A row of values and its test; whether it is one.
    fn row(&self, text: &str, found: &mut Found) -> Result<bool, Fault> {
        let cells: Vec<&str> = text.split('\t').collect();
        let Some((test, values)) =
            cells.split_last().filter(|(_, values)| values.len() == self.columns.len())
        else {
            return Ok(false);
        };
        let rates: Option<Vec<(u64, u64)>> =
            values.iter().map(|value| number(value).and_then(of_rate)).collect();
        let Some(rates) = rates.filter(|rates| !rates.is_empty() && !test.is_empty()) else {
            return Ok(false);
        };
        if let Some((base, one)) = self.base.as_ref().zip(of_rate(1.0)) {
            found.add(self.repetition(test, base, true, one))?;
        }
        for (place, (build, rate)) in self.columns.iter().zip(rates).enumerate() {
            found.add(self.repetition(test, build, self.base.is_none() && place == 0, rate))?;
        }
        Ok(true)
    }

    fn repetition(
        &self,
        test: &str,
        build: &str,
        is_base: bool,
        (operations, wall_ns): (u64, u64),
    ) -> Repetition {
        Repetition {
            test: Some(test.to_owned()),
            subject: Some(Named { engine: String::new(), release: build.to_owned(), is_base }),
            operation: if self.base.is_some() { super::RELATIVE } else { "one query" },
            operations,
            wall_ns,
            ..Repetition::default()
        }
    }
}
