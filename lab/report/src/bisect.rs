//! A search for the release or commit at which a test moved: what is known after a round, and how it ended.

mod ending;
mod left;
mod page;

use humdrum_model::{Bisect, BisectKind, BisectRatio, BisectRound, BisectSegment, BisectState};

use crate::number::{interval, ratio};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, wrap};

use ending::ending;
use left::left;
pub use page::{bisect_html, bisect_markdown};

/// Cells of a bar.
const BAR: f64 = 24.0;
/// Probability below which neighbouring segments share a line.
const LITTLE: f64 = 0.005;
/// Probability that what is left holds the step.
const ENOUGH: f64 = 0.95;

/// What is known after the latest round: its ratios, a bar for each place of the step, and what is left.
pub fn bisect_progress(bisect: &Bisect) -> String {
    let Some(round) = bisect.rounds.last() else { return String::new() };
    let mut lines = vec![told(bisect, round)];
    if bisect.state == BisectState::Unfinished {
        lines.extend(bars(bisect));
        lines.push(left(bisect));
    }
    lines.join("\n")
}

/// `15.4 is 1.003 [0.998, 1.008] of 12.22; 18.1 is …`, or what could not be measured.
fn told(bisect: &Bisect, round: &BisectRound) -> String {
    if let Some((position, why)) = &round.skipped {
        return format!("{} is skipped: {}", named(bisect, *position), clean(why));
    }
    let base = round.positions.first().map_or_else(String::new, |base| named(bisect, *base));
    let of = round.positions.iter().skip(1).zip(&round.ratios);
    let each: Vec<String> =
        of.map(|(position, found)| format!("{} is {}", named(bisect, *position), times(found))).collect();
    format!("{} of {base}", each.join(", "))
}

fn times(found: &BisectRatio) -> String {
    format!("{} {}", ratio(Some(found.ratio)), interval(found.ci95))
}

fn named(bisect: &Bisect, position: usize) -> String {
    clean(bisect.name(position))
}

/// A line for each segment; neighbours that hold next to nothing share one.
fn bars(bisect: &Bisect) -> Vec<String> {
    let mut rows: Vec<BisectSegment> = Vec::new();
    for one in &bisect.posterior {
        match rows.last_mut() {
            Some(last) if last.mass < LITTLE && one.mass < LITTLE => {
                last.until = one.until;
                last.mass += one.mass;
            }
            _ => rows.push(*one),
        }
    }
    let labels: Vec<String> = rows.iter().map(|row| places(bisect, row)).collect();
    let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let line = |(row, label): (&BisectSegment, &String)| {
        let full = (row.mass * BAR).round() as usize;
        let bar = "█".repeat(full);
        format!("  {label:<widest$}  {bar:<24} {:>3.0} %", 100.0 * row.mass)
    };
    rows.iter().zip(&labels).map(line).collect()
}

/// `15.5 … 16.11`: the positions of a segment.
fn places(bisect: &Bisect, segment: &BisectSegment) -> String {
    let (first, last) = (named(bisect, segment.after + 1), named(bisect, segment.until));
    if segment.after + 1 == segment.until { last } else { format!("{first} … {last}") }
}

/// How few positions hold the step with enough probability.
fn likely(bisect: &Bisect) -> usize {
    let width = |one: &BisectSegment| (one.until - one.after) as f64;
    let mut segments = bisect.posterior.clone();
    segments.sort_by(|a, b| (b.mass / width(b)).total_cmp(&(a.mass / width(a))));
    let (mut mass, mut count) = (0.0, 0.0);
    for one in &segments {
        if mass >= ENOUGH {
            break;
        }
        // Of the last one, the part that is needed.
        let share = ((ENOUGH - mass) / one.mass).clamp(0.0, 1.0);
        count += width(one) * share;
        mass += one.mass;
    }
    count.ceil() as usize
}

fn kind(bisect: &Bisect) -> &'static str {
    if bisect.positions.iter().any(|one| !one.about.is_empty()) { "commits" } else { "releases" }
}

fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// How a search ended, for a terminal. It ends in a line feed.
pub fn bisect(bisect: &Bisect, style: Style) -> String {
    let columns = usize::from(style.width).max(40);
    let mut lines: Vec<String> = ending(bisect).iter().map(|text| wrap(text, columns, 2)).collect();
    lines.extend([String::new()]);
    lines.extend(table(bisect).lines(columns, |_, _, cell| cell.to_owned()));
    lines.join("\n") + "\n"
}

fn table(bisect: &Bisect) -> Table {
    let mut table = Table::new(&[
        ("round", Align::Right),
        ("measured", Align::Left),
        ("ratio", Align::Right),
        ("95 % interval", Align::Left),
        ("of", Align::Left),
        ("for", Align::Left),
    ]);
    for (number, round) in bisect.rounds.iter().enumerate() {
        for row in rows(bisect, number, round) {
            table.rows.push(row.to_vec());
        }
    }
    table
}

fn rows(bisect: &Bisect, number: usize, round: &BisectRound) -> Vec<[String; 6]> {
    let number = (number + 1).to_string();
    let base = round.positions.first().map_or_else(String::new, |base| named(bisect, *base));
    let purpose = match round.kind {
        BisectKind::Ends => "do the ends differ?",
        BisectKind::Series => "series",
        BisectKind::Candidate => "search",
        BisectKind::Confirm => "confirmation",
    };
    if let Some((position, _)) = &round.skipped {
        let dash = || "–".to_owned();
        return vec![[
            number,
            named(bisect, *position),
            dash(),
            "skipped".to_owned(),
            base,
            purpose.to_owned(),
        ]];
    }
    let each = round.positions.iter().skip(1).zip(&round.ratios);
    each.map(|(position, found)| {
        [
            number.clone(),
            named(bisect, *position),
            ratio(Some(found.ratio)),
            interval(found.ci95),
            base.clone(),
            purpose.to_owned(),
        ]
    })
    .collect()
}

#[cfg(test)]
mod tests;
