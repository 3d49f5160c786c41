//! Figures from a summary, and from the tables that are published or kept as TSV.

use std::collections::HashMap;

use humdrum_model::{
    Fault, Measured, NotComparable, OtherFigure, Published, Results, Summary, TestResult, TestStatus, Verdict,
};

use super::release;

/// What a run measured, under a host's name. A subject's release is the one that was typed; that of a build of the user's, from sources or a
/// folder, is the one that its server told. Subjects of which none is known are left out: there is no release to match.
pub fn measured(summary: &Summary, results: &Results, host: &str) -> Vec<Measured> {
    let base = release::told(results, &summary.base);
    // Suites of imported results are named after who wrote them.
    let suite = if results.plan.imported.is_some() { "" } else { &results.plan.suite };
    let mut all = Vec::new();
    for comparison in &summary.comparisons {
        let subject = release::told(results, &comparison.subject);
        let (Some(base), Some(subject)) = (&base, &subject) else { continue };
        let Some(pair) = release::pair_of(base.parts(), subject.parts()) else { continue };
        all.extend(comparison.tests.iter().filter_map(|test| own(pair, test, (host, suite))));
    }
    all
}

fn own(pair: release::Pair<'_>, test: &TestResult, of: (&str, &str)) -> Option<Measured> {
    let ratio = test.rqps.filter(|_| test.status == TestStatus::Ok)?;
    let another_run = test.reach.as_ref().map(|reach| reach.another_run);
    let (ratio, judged) = ((ratio, test.ci95?, another_run), (test.verdict, test.delta));
    let over_hosts = test.reach.as_ref().is_some_and(|reach| reach.over_hosts);
    Some(Measured { over_hosts, ..measurement(pair, of, (&test.group, &test.test), ratio, judged) })
}

/// A ratio with the intervals for that run and for another one, and a verdict with its δ.
fn measurement(
    pair: release::Pair,
    (host, suite): (&str, &str),
    (group, test): (&str, &str),
    (ratio, ci95, another_run): (f64, [f64; 2], Option<[f64; 2]>),
    (verdict, delta): (Option<Verdict>, f64),
) -> Measured {
    Measured {
        host: host.to_owned(),
        engine: pair.engine.to_owned(),
        suite: suite.to_owned(),
        base: pair.base.to_owned(),
        subject: pair.subject.to_owned(),
        settings: pair.settings.to_owned(),
        group: group.to_owned(),
        test: test.to_owned(),
        ratio,
        ci95,
        another_run,
        over_hosts: false,
        verdict,
        delta,
    }
}

/// The rows of a `summary.tsv` that have a ratio.
///
/// # Errors
/// Usage when the table lacks a column that is needed, or a number is none.
pub fn measured_tsv(text: &str, host: &str) -> Result<Vec<Measured>, Fault> {
    let table = Table::read(
        text,
        &["base", "subject", "test", "status", "verdict", "rqps", "rqps_low", "rqps_high", "delta"],
    )?;
    let mut all = Vec::new();
    for line in table.lines() {
        let Some(pair) = release::pair(line.cell("base"), line.cell("subject")) else { continue };
        if line.cell("status") != "ok" || line.cell("rqps").is_empty() {
            continue;
        }
        let ci95 = [line.number("rqps_low")?, line.number("rqps_high")?];
        let another_run = line.both("another_run_low", "another_run_high")?;
        let ratio = (line.number("rqps")?, ci95, another_run);
        let judged = (verdict(line.cell("verdict")), line.number("delta")?);
        all.push(measurement(pair, (host, ""), (line.cell("group"), line.cell("test")), ratio, judged));
    }
    Ok(all)
}

fn verdict(word: &str) -> Option<Verdict> {
    use Verdict::{Boring, Improvement, Inconclusive, Regression, Unstable};
    [Regression, Improvement, Boring, Inconclusive, Unstable].into_iter().find(|one| one.word() == word)
}

/// The columns that a table of published figures must have.
pub const PUBLISHED_COLUMNS: [&str; 6] = ["engine", "base", "subject", "test", "metric", "value"];

/// The ratios of throughputs in a table of published figures, one figure a line, and its other figures. The
/// columns are those of the data that the documentation describes; `rqps` is subject / base, `rqps_change_pct` its change.
///
/// # Errors
/// Usage when the table lacks a column that is needed, or a ratio is no number.
pub fn published_tsv(text: &str) -> Result<(Vec<Published>, Vec<OtherFigure>), Fault> {
    let table = Table::read(text, &PUBLISHED_COLUMNS)?;
    let (mut ratios, mut others) = (Vec::new(), Vec::new());
    for line in table.lines() {
        match published_ratio(&line)? {
            Some(ratio) => ratios.push(ratio),
            None => others.push(other_figure(&line)),
        }
    }
    Ok((ratios, others))
}

/// The ratio of throughputs on one line; `None` where the line holds another figure.
///
/// # Errors
/// Usage when the ratio is no number.
pub fn published_ratio(line: &TableLine<'_>) -> Result<Option<Published>, Fault> {
    let (factor, start) = match line.cell("metric") {
        "rqps" => (1.0, 0.0),
        "rqps_change_pct" => (0.01, 1.0),
        _ => return Ok(None),
    };
    let own = |name: &str| line.cell(name).to_owned();
    Ok(Some(Published {
        ratio: start + factor * line.number("value")?,
        rounding: factor * half_a_unit(line.cell("value")),
        ci95: None,
        condition: condition(line),
        clients: line.cell("clients").parse().ok(),
        post: own("post"),
        title: own("title"),
        date: own("date"),
        engine: own("engine"),
        benchmark: own("benchmark"),
        server: own("server"),
        base: own("base"),
        subject: own("subject"),
        test: own("test"),
        note: own("note"),
    }))
}

/// A line that holds no ratio of throughputs.
fn other_figure(line: &TableLine<'_>) -> OtherFigure {
    let own = |name: &str| line.cell(name).to_owned();
    OtherFigure {
        post: own("post"),
        title: own("title"),
        date: own("date"),
        engine: own("engine"),
        server: own("server"),
        condition: condition(line),
        base: own("base"),
        subject: own("subject"),
        test: own("test"),
        metric: own("metric"),
        value: own("value"),
        why: NotComparable::OtherMetric,
    }
}

/// `clients=1, 1 table x 50M rows, x10a`, as far as it was published.
fn condition(line: &TableLine<'_>) -> String {
    let told = [("clients", "clients="), ("scale", ""), ("config", "")]
        .iter()
        .filter(|(name, _)| !line.cell(name).is_empty())
        .map(|(name, before)| format!("{before}{}", line.cell(name)));
    told.collect::<Vec<String>>().join(", ")
}

/// Half a unit of the last digit that is printed: 0.005 for `0.87`.
pub(super) fn half_a_unit(value: &str) -> f64 {
    let digits = value.trim().split_once('.').map_or(0, |(_, digits)| digits.len());
    0.5 * 10.0_f64.powi(-i32::try_from(digits).unwrap_or(0))
}

/// The columns of a table of tab-separated values, whose first line has their names.
#[derive(Clone, Debug)]
pub struct Columns(Vec<String>);

impl Columns {
    /// From the first line.
    ///
    /// # Errors
    /// Usage when a column is missing that is needed.
    pub fn read(first: &str, needed: &[&str]) -> Result<Self, Fault> {
        let names: Vec<String> = first.split('\t').map(str::to_owned).collect();
        let missing: Vec<&str> =
            needed.iter().filter(|name| !names.iter().any(|own| own == *name)).copied().collect();
        if missing.is_empty() {
            return Ok(Self(names));
        }
        let what = format!("line 1 has no column {}", missing.join(", "));
        Err(Fault::usage(what).hint("the first line of a table names its columns, with tabs between them"))
    }

    /// Whether the table has the column.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|own| own == name)
    }

    /// A further line, by its number in the file.
    pub fn line<'t>(&'t self, number: u64, text: &'t str) -> TableLine<'t> {
        TableLine { number, cells: self.0.iter().map(String::as_str).zip(text.split('\t')).collect() }
    }
}

/// One line of a table.
#[derive(Clone, Debug)]
pub struct TableLine<'t> {
    number: u64,
    cells: HashMap<&'t str, &'t str>,
}

/// A whole table.
pub(super) struct Table<'t> {
    columns: Columns,
    text: &'t str,
}

impl<'t> Table<'t> {
    pub(super) fn read(text: &'t str, needed: &[&str]) -> Result<Self, Fault> {
        let columns = Columns::read(text.lines().next().unwrap_or(""), needed)?;
        Ok(Self { columns, text })
    }

    /// All lines but the first; empty ones do not count.
    pub(super) fn lines(&self) -> impl Iterator<Item = TableLine<'_>> {
        let lines = (1..).zip(self.text.lines()).skip(1).filter(|(_, line)| !line.is_empty());
        lines.map(|(number, line)| self.columns.line(number, line))
    }
}

impl TableLine<'_> {
    /// Empty if the line or the table has no such cell.
    pub fn cell(&self, name: &str) -> &str {
        self.cells.get(name).copied().unwrap_or("")
    }

    /// The number in a cell.
    ///
    /// # Errors
    /// Usage: it is none.
    pub fn number(&self, name: &str) -> Result<f64, Fault> {
        let cell = self.cell(name);
        let found = cell.parse().ok().filter(|number: &f64| number.is_finite());
        found.ok_or_else(|| {
            Fault::usage(format!("line {}: `{name}` is `{cell}`, which is no number", self.number))
        })
    }

    fn both(&self, low: &str, high: &str) -> Result<Option<[f64; 2]>, Fault> {
        if self.cell(low).is_empty() || self.cell(high).is_empty() {
            return Ok(None);
        }
        Ok(Some([self.number(low)?, self.number(high)?]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_figures_are_read_with_their_rounding() {
        let text = "post\tengine\tbase\tsubject\ttest\tclients\tmetric\tvalue\n\
            p\tmysql\t5.6.51\t8.0.45\tscan\t1\trqps\t0.67\n\
            p\tmysql\t5.6.51\t8.0.45\tl.i2\t1\trqps_change_pct\t-14\n\
            p\tmysql\t\t5.6.51\tscan\t1\tqps\t4697\n";
        let (ratios, others) = published_tsv(text).expect("a table");
        assert_eq!((ratios.len(), others.len()), (2, 1));
        let other = &others[0];
        assert_eq!((other.metric.as_str(), other.value.as_str()), ("qps", "4697"));
        assert_eq!((other.subject.as_str(), other.condition.as_str()), ("5.6.51", "clients=1"));
        assert_eq!((ratios[0].ratio, ratios[0].rounding), (0.67, 0.005));
        assert!((ratios[1].ratio - 0.86).abs() < 1e-12 && (ratios[1].rounding - 0.005).abs() < 1e-12);
        assert_eq!((ratios[0].condition.as_str(), ratios[0].clients), ("clients=1", Some(1)));
    }

    #[test]
    fn older_tables_without_the_wider_interval_are_read() {
        let text = "base\tsubject\ttest\tstatus\tverdict\trqps\trqps_low\trqps_high\tdelta\n\
            mysql@5.6.14\tmysql@8.0.33+gtid\tscan\tok\tregression\t0.82\t0.81\t0.83\t0.01\n\
            mysql@5.6.14\tmine\tscan\tok\tregression\t0.82\t0.81\t0.83\t0.01\n\
            mysql@5.6.14\tmysql@9.7.4\tscan\tfailed\t\t\t\t\t0.01\n";
        let all = measured_tsv(text, "Zen 4").expect("a table");
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].subject.as_str(), all[0].settings.as_str()), ("8.0.33", "+gtid"));
        assert_eq!((all[0].verdict, all[0].another_run), (Some(Verdict::Regression), None));
    }

    #[test]
    fn what_is_no_table_is_refused_by_line_and_column() {
        let fault = published_tsv("a,b,c\n").expect_err("no table");
        assert!(fault.what.contains("line 1 has no column engine, base"), "{}", fault.what);
        let text = "engine\tbase\tsubject\ttest\tmetric\tvalue\nmysql\ta\tb\tscan\trqps\tfast\n";
        let fault = published_tsv(text).expect_err("no number");
        assert!(fault.what.contains("line 2: `value` is `fast`"), "{}", fault.what);
    }
}
