//! A series of releases in words: short names, table cells, and where each test moved.

use std::fmt::Write;

use humdrum_model::{Move, Results, Series, SeriesPoint, SeriesTest, Summary, Verdict};

use crate::number::{NONE, interval, ratio, short};
use crate::store::{self, Column};
use crate::text::{self, clean};
use crate::words::{Outcome, times};

/// The part of each label that differs: `9.8.4` of `rocksdb@9.8.4+iobuf` when all share the engine and the setting.
pub(crate) fn names(series: &Series) -> Vec<String> {
    short_names(&series.releases)
}

/// The same of any labels.
pub(crate) fn short_names(labels: &[String]) -> Vec<String> {
    let labels: Vec<String> = labels.iter().map(|label| clean(label)).collect();
    let before = common(
        labels.iter().map(|label| label.split_inclusive('@').next().filter(|part| part.ends_with('@'))),
    );
    let after = common(labels.iter().map(|label| label.find('+').map(|at| &label[at..])));
    let short = |label: &String| {
        let rest = label.strip_prefix(&before).unwrap_or(label);
        rest.strip_suffix(&after).unwrap_or(rest).to_owned()
    };
    labels.iter().map(short).collect()
}

/// The part that all labels share; empty if they differ.
fn common<'a>(mut parts: impl Iterator<Item = Option<&'a str>>) -> String {
    let first = parts.next().flatten().unwrap_or_default();
    if parts.all(|part| part == Some(first)) { first.to_owned() } else { String::new() }
}

/// The move that begins at a release.
pub(crate) fn move_at<'a>(test: &'a SeriesTest, release: &str) -> Option<&'a Move> {
    test.moves.iter().find(|one| one.at == release)
}

/// The outcome whose mark a move gets.
pub(crate) fn outcome(one: &Move) -> Outcome {
    match one.verdict {
        Verdict::Regression => Outcome::Regression,
        Verdict::Improvement => Outcome::Improvement,
        Verdict::Boring => Outcome::Boring,
        Verdict::Inconclusive => Outcome::Inconclusive,
        Verdict::Unstable => Outcome::Unstable,
    }
}

/// `0.953▼`: relative to the first release, with a mark where it moved.
pub(crate) fn cell(test: &SeriesTest, point: &SeriesPoint) -> String {
    let mark = move_at(test, &point.release).map_or(" ", |one| outcome(one).mark());
    match point.rqps.filter(|rqps| rqps.is_finite()) {
        Some(rqps) => format!("{}{mark}", ratio(Some(rqps))),
        None if point.status == humdrum_model::TestStatus::Ok => NONE.into(),
        None => format!("! {}", point.status.word()),
    }
}

/// The name of a label, as tables show it.
pub(crate) fn name_of<'a>(series: &Series, names: &'a [String], label: &str) -> &'a str {
    let place = series.releases.iter().position(|release| release == label);
    place.and_then(|place| names.get(place)).map_or("?", String::as_str)
}

/// `at 10.5.1 0.962x [0.955, 0.969]`.
pub(crate) fn told(series: &Series, names: &[String], one: &Move) -> String {
    let at = name_of(series, names, &one.at);
    let near = if one.verdict == Verdict::Inconclusive { ", near ±δ" } else { "" };
    format!("{} at {at} {} {}{near}", outcome(one).mark(), times(Some(one.ratio)), interval(Some(one.ci95)))
}

/// A sentence per test: where it moved, or that it did not.
pub(crate) fn sentence(series: &Series, names: &[String], test: &SeriesTest) -> String {
    let moves: Vec<String> = test.moves.iter().map(|one| told(series, names, one)).collect();
    let told = if moves.is_empty() { "no move shown at any release".to_owned() } else { moves.join("; ") };
    format!("{}: {told}", clean(&test.test))
}

/// Start of a remark on a build that names its compiler.
const COMPILED: &str = "compiled by ";

/// Which compiler built which releases. `None` if one compiler built all, or if a compiler is not known.
pub(crate) fn compilers(series: &Series, names: &[String], results: &Results) -> Option<String> {
    let compiler = |label: &String| -> Option<String> {
        let place = results.plan.subjects.iter().position(|subject| subject.label == *label)?;
        let remarks = &results.subjects.get(place)?.build;
        let named: Vec<&str> = remarks.iter().filter_map(|remark| remark.strip_prefix(COMPILED)).collect();
        (!named.is_empty()).then(|| clean(&named.join(", ")))
    };
    let all: Vec<String> = series.releases.iter().map(compiler).collect::<Option<_>>()?;
    let mut parts: Vec<String> = Vec::new();
    let mut first = 0;
    for next in 1..=all.len() {
        if next < all.len() && all[next] == all[first] {
            continue;
        }
        let to = if next - first > 1 { format!(" to {}", names[next - 1]) } else { String::new() };
        parts.push(format!("{}{to} by {}", names[first], all[first]));
        first = next;
    }
    let several = parts.len() > 1;
    several.then(|| {
        format!("Compiled {}. A move at a change of compiler may come from the compiler.", parts.join("; "))
    })
}

/// Moves named for each release. Readers of a post read only its start.
const MOVES_MAX: usize = 5;

/// `17.7: ▲ hot-points 1.81x; ▼ scan 0.97x; and 3 more`, a line for each release but the first, largest first.
pub(crate) fn moves_by_release(series: &Series) -> Vec<String> {
    let names = names(series);
    let line = |(release, name): (&String, &String)| {
        let of = |test: &'_ SeriesTest| -> Option<(f64, String)> {
            let one = move_at(test, release).filter(|one| outcome(one).moved())?;
            let told = format!("{} {} {}", outcome(one).mark(), clean(&test.test), times(Some(one.ratio)));
            Some((one.ratio.ln().abs(), told))
        };
        let mut moves: Vec<(f64, String)> = series.tests.iter().filter_map(of).collect();
        moves.sort_by(|a, b| b.0.total_cmp(&a.0));
        let more = moves.len().saturating_sub(MOVES_MAX);
        let mut told: Vec<String> = moves.into_iter().take(MOVES_MAX).map(|(_, told)| told).collect();
        match more {
            0 if told.is_empty() => told.push("no test moved".into()),
            0 => {}
            more => told.push(format!("and {more} more")),
        }
        format!("{name}, against the release before: {}", told.join("; "))
    };
    series.releases.iter().zip(&names).skip(1).map(line).collect()
}

/// The series as Markdown: moves, ratios to the first release and to the one before, and the store's columns.
pub(crate) fn markdown(summary: &Summary, series: &Series, results: &Results) -> String {
    let names = names(series);
    let mut out = String::from("## Release by release\n\n");
    for test in &series.tests {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "* {}", text::markdown(&sentence(series, &names, test)));
    }
    if let Some(compilers) = compilers(series, &names, results) {
        let _ = writeln!(out, "\n{}", text::markdown(&compilers));
    }
    out.push_str("\nQPS relative to the first release:\n\n");
    out.push_str(&matrix(series, &names, cell));
    out.push_str("\nQPS relative to the release before:\n\n");
    out.push_str(&matrix(series, &names, step));
    let all: Vec<_> = summary.comparisons.iter().flat_map(|one| one.tests.iter().cloned()).collect();
    let columns = store::columns(&all);
    for test in series.tests.iter().filter(|_| !columns.is_empty()) {
        let _ = writeln!(out, "\n{}:\n", text::markdown(&test.test));
        out.push_str(&by_release(summary, series, &names, test, &columns));
    }
    out
}

/// `0.953▼` against the release before.
pub(crate) fn step(_test: &SeriesTest, point: &SeriesPoint) -> String {
    let Some(step) = &point.step else { return NONE.into() };
    let mark = match step.verdict {
        Verdict::Regression => "▼",
        Verdict::Improvement => "▲",
        _ => " ",
    };
    format!("{}{mark}", ratio(Some(step.ratio)))
}

fn matrix(series: &Series, names: &[String], cell: impl Fn(&SeriesTest, &SeriesPoint) -> String) -> String {
    grid(names, &rows(series, cell))
}

/// Names of tests with a cell for each release.
pub(crate) fn rows(
    series: &Series,
    cell: impl Fn(&SeriesTest, &SeriesPoint) -> String,
) -> Vec<(String, Vec<String>)> {
    let row =
        |test: &SeriesTest| (clean(&test.test), test.points.iter().map(|point| cell(test, point)).collect());
    series.tests.iter().map(row).collect()
}

/// Rows of tests under columns of subjects.
pub(crate) fn grid(names: &[String], rows: &[(String, Vec<String>)]) -> String {
    let heads: Vec<String> = names.iter().map(|name| text::code(name)).collect();
    let mut out = format!("| test | {} |\n|---{}|\n", heads.join(" | "), "|---:".repeat(heads.len()));
    for (test, cells) in rows {
        let cells: Vec<String> = cells.iter().map(|cell| text::markdown(cell.trim_end())).collect();
        let _ = writeln!(out, "| {} | {} |", text::markdown(test), cells.join(" | "));
    }
    out
}

fn by_release(
    summary: &Summary,
    series: &Series,
    names: &[String],
    test: &SeriesTest,
    columns: &[Column],
) -> String {
    let heads: Vec<&str> = columns.iter().map(|column| column.heading).collect();
    let mut out = format!("| release | {} |\n|---{}|\n", heads.join(" | "), "|---:".repeat(heads.len()));
    for (label, result, side) in store::lines(summary, &test.test) {
        let number = |column: &Column| column.value(result, side).map_or_else(|| NONE.into(), short);
        let cells: Vec<String> = columns.iter().map(number).collect();
        let _ = writeln!(out, "| {} | {} |", text::code(name_of(series, names, label)), cells.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn names_are_what_differs() {
        let of = |labels: &[&str]| {
            let releases = labels.iter().map(|label| (*label).to_owned()).collect();
            names(&Series { releases, tests: Vec::new() })
        };
        assert_eq!(of(&["rocksdb@9.8.4+iobuf", "rocksdb@10.2.1+iobuf"]), ["9.8.4", "10.2.1"]);
        assert_eq!(of(&["rocksdb@9.8.4", "rocksdb@9.8.4+iodir"]), ["9.8.4", "9.8.4+iodir"]);
        assert_eq!(of(&["old", "postgres@17.7"]), ["old", "postgres@17.7"]);
    }

    #[test]
    fn compilers_are_named_where_they_differ() {
        let (summary, mut results, _) = fixture::releases();
        let series = summary.series.as_ref().unwrap();
        let told = |results: &Results| compilers(series, &names(series), results);
        let expected = "Compiled 9.8.4 to 9.11.2 by GCC 7.3.1; 10.2.1 to 10.10.1 by GCC 11.2.1. A move at a change of \
                        compiler may come from the compiler.";
        assert_eq!(told(&results).as_deref(), Some(expected));
        results.subjects.iter_mut().for_each(|one| one.build[0] = "compiled by GCC 11.2.1".into());
        assert_eq!(told(&results), None);
        results.subjects[3].build.clear();
        assert_eq!(told(&results), None, "what is not known is not guessed");
    }

    #[test]
    fn looks_like_this() {
        let (summary, results, _) = fixture::releases();
        insta::assert_snapshot!(markdown(&summary, summary.series.as_ref().unwrap(), &results));
    }
}
