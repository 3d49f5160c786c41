//! Tidy tables: tab-separated, a figure a line, with the columns of published figures (`docs/published.md`).
//!
//! `qps` is an absolute rate of `subject`; `rqps` and `rqps_change_pct` are relative to `base`, whose own rate is 1 then. Lines
//! with other metrics are counted and left out. A table holds its subjects itself.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_analyse::{Columns, PUBLISHED_COLUMNS, TableLine, published_ratio};
use humdrum_model::Fault;

use crate::Reader;
use crate::found::{Found, Named, Options, Repetition};
use crate::lines::Lines;
use crate::number::of_rate;

/// Columns whose values must be equal in repetitions of a test.
const CONDITIONS: [&str; 5] = ["benchmark", "server", "scale", "config", "post"];
/// Kinds of other figures that are named.
const METRICS_SHOWN: usize = 5;

/// Tidy tables.
pub(crate) struct Tsv;

impl Reader for Tsv {
    fn name(&self) -> &'static str {
        "tsv"
    }

    fn about(&self) -> &'static str {
        "tidy tables: engine, base, subject, test, metric, value"
    }

    fn fits(&self, head: &str) -> bool {
        Columns::read(head.lines().next().unwrap_or_default(), &PUBLISHED_COLUMNS).is_ok()
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options, found: &mut Found) -> Result<(), Fault> {
        let Some(first) = lines.read()? else { return Ok(()) };
        let columns = Columns::read(first.text, &PUBLISHED_COLUMNS)?;
        if let Some((name, _)) = options.only.iter().find(|(name, _)| !columns.has(name)) {
            return Err(Fault::usage(format!("has no column `{name}`")));
        }
        let mut table = Table::default();
        while let Some(line) = lines.read()? {
            let row = columns.line(line.number, line.text);
            let wanted = options.only.iter().all(|(name, value)| row.cell(name) == value);
            if wanted && !line.text.is_empty() && !table.take(&row, found)? {
                found.unread(line);
            }
        }
        table.end(found);
        Ok(())
    }
}

#[derive(Default)]
struct Table {
    others: BTreeMap<String, u64>,
    /// Rows of each base, test and conditions that have the base's own 1 already, and of each subject.
    bases: BTreeMap<String, u64>,
    rows: BTreeMap<String, u64>,
    releases: BTreeSet<String>,
}

impl Table {
    /// Whether the row holds what it should.
    fn take(&mut self, row: &TableLine<'_>, found: &mut Found) -> Result<bool, Fault> {
        if row.cell("metric") == "qps" {
            let Some(rate) = of_rate(row.number("value")?) else { return Ok(false) };
            found.add(repetition(row, row.cell("subject"), false, "one query", rate))?;
            return Ok(true);
        }
        let Some(published) = published_ratio(row)? else {
            if self.others.len() < 1000 {
                *self.others.entry(row.cell("metric").to_owned()).or_insert(0) += 1;
            }
            return Ok(true);
        };
        let (Some(one), Some(rate)) = (of_rate(1.0), of_rate(published.ratio)) else { return Ok(false) };
        if published.base.is_empty() {
            return Ok(false);
        }
        self.releases.insert(published.base.clone());
        if let [first, second, ..] = self.releases.iter().collect::<Vec<_>>()[..] {
            let what = format!("has ratios to several bases, {first} and {second}");
            return Err(Fault::usage(what).hint(format!("choose one: --only base={first}")));
        }
        // The base has as many repetitions as the subject with the most.
        let test = format!("{:?}", (key(row), row.cell("test")));
        let rows = self.rows.entry(format!("{test}{}", published.subject)).or_insert(0);
        *rows += 1;
        let bases = self.bases.entry(test).or_insert(0);
        if *bases < *rows {
            *bases += 1;
            found.add(repetition(row, &published.base, true, super::RELATIVE, one))?;
        }
        found.add(repetition(row, &published.subject, false, super::RELATIVE, rate))?;
        Ok(true)
    }

    fn end(self, found: &mut Found) {
        let count: u64 = self.others.values().sum();
        if count > 0 {
            let names: Vec<&str> = self.others.keys().take(METRICS_SHOWN).map(String::as_str).collect();
            found.remark(format!("{count} figures are no throughput ({}): left out", names.join(", ")));
        }
    }
}

fn key(row: &TableLine<'_>) -> Vec<String> {
    CONDITIONS.iter().chain(&["clients", "engine"]).map(|name| row.cell(name).to_owned()).collect()
}

fn repetition(
    row: &TableLine<'_>,
    release: &str,
    is_base: bool,
    operation: &'static str,
    (operations, wall_ns): (u64, u64),
) -> Repetition {
    let conditions = CONDITIONS.iter().map(|name| ((*name).to_owned(), row.cell(name).to_owned()));
    Repetition {
        test: Some(row.cell("test").to_owned()),
        subject: Some(Named { engine: row.cell("engine").to_owned(), release: release.to_owned(), is_base }),
        clients: row.cell("clients").parse().ok(),
        operation,
        operations,
        wall_ns,
        conditions: conditions.filter(|(_, value)| !value.is_empty()).collect(),
        ..Repetition::default()
    }
}
