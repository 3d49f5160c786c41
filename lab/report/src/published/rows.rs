//! The tables of published figures: one of each publication, base, subject and condition; their columns and cells.

use std::collections::BTreeMap;

use humdrum_model::{Agreement, Beside, BesideRow, NotComparable, OtherFigure, Published};

use crate::number::{interval, ratio};
use crate::table::Align;
use crate::text::clean;

const HEADINGS: [(&str, Align); 6] = [
    ("test", Align::Left),
    ("published", Align::Right),
    ("measured", Align::Right),
    ("95 % interval", Align::Right),
    ("agreement", Align::Left),
    ("releases", Align::Left),
];
/// The column of intervals for another host, and its place.
const ANOTHER_HOST: (&str, Align) = ("another host", Align::Right);
const ANOTHER_HOST_PLACE: usize = 4;

/// Hosts up to which each has its interval in a cell.
const HOSTS_SHOWN: usize = 3;

/// The rows of one publication and subject.
pub(super) struct Group<'b> {
    pub(super) head: Published,
    pub(super) lines: Vec<Line<'b>>,
}

/// A line of a table.
pub(super) enum Line<'b> {
    Ratio(&'b BesideRow),
    Other(&'b OtherFigure),
}

/// All tables, in the order of the publication. Figures of other metrics end the table of their subject.
pub(super) fn groups(found: &Beside) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    for row in &found.rows {
        add(&mut groups, &row.published, Line::Ratio(row));
    }
    for other in &found.other_metrics {
        add(&mut groups, &other.head(), Line::Other(other));
    }
    groups
}

fn add<'b>(groups: &mut Vec<Group<'b>>, head: &Published, line: Line<'b>) {
    match groups.iter_mut().find(|group| is_one_group(&group.head, head)) {
        Some(group) => group.lines.push(line),
        None => groups.push(Group { head: head.clone(), lines: vec![line] }),
    }
}

/// Whether two figures are of one publication, base, subject and condition, and so in one table.
pub(super) fn is_one_group(one: &Published, other: &Published) -> bool {
    let key = |figure: &Published| {
        [&figure.post, &figure.base, &figure.subject, &figure.condition].map(String::clone)
    };
    key(one) == key(other)
}

/// `mysql 8.0.45 over 5.6.51: Sysbench vs MySQL (2026-03-24; PN53, 1 table x 50M rows)`.
pub(super) fn heading(one: &Published) -> String {
    let over = if one.base.is_empty() { String::new() } else { format!(" over {}", clean(&one.base)) };
    format!("{} {}{over}: {}", clean(&one.engine), clean(&one.subject), source(one))
}

/// The part of a heading that names the publication and its set-up.
pub(super) fn source(one: &Published) -> String {
    let told = |text: &str| if text.is_empty() { None } else { Some(clean(text)) };
    let set_up: Vec<String> =
        [&one.date, &one.server, &one.condition].into_iter().filter_map(|text| told(text)).collect();
    let title = told(&one.title).unwrap_or_else(|| clean(&one.post));
    let set_up = if set_up.is_empty() { String::new() } else { format!(" ({})", set_up.join("; ")) };
    title + &set_up
}

impl<'b> Group<'b> {
    /// What stands in place of a table of dashes, where none of the figures can be compared.
    pub(super) fn nothing_comparable(&self) -> Option<String> {
        let mut reasons: BTreeMap<NotComparable, usize> = BTreeMap::new();
        for line in &self.lines {
            *reasons.entry(line.why()?).or_insert(0) += 1;
        }
        let told: Vec<String> = match reasons.len() {
            1 => reasons.keys().map(|why| reason(*why).to_owned()).collect(),
            _ => reasons.iter().map(|(why, count)| format!("{count} {}", reason(*why))).collect(),
        };
        let told = told.join(", ");
        Some(match &self.lines[..] {
            [line] => format!("Its one figure, of {}, is not comparable: {told}.", clean(line.test())),
            lines => format!("None of its {} figures is comparable: {told}.", lines.len()),
        })
    }

    /// The columns: the second one is named after what it has, and one of them is there where a row has an interval for another host.
    pub(super) fn headings<'f>(&self, found: &'f Beside) -> Vec<(&'f str, Align)> {
        let mut headings = HEADINGS.to_vec();
        if let Some(host) = &found.reference {
            headings[1].0 = host;
        }
        if self.has_another_host() {
            headings.insert(ANOTHER_HOST_PLACE, ANOTHER_HOST);
        }
        headings
    }

    /// The cells of every line. `words` says how a figure compares.
    pub(super) fn cells(&self, words: fn(&Line<'b>) -> String) -> Vec<Vec<String>> {
        let has_another_host = self.has_another_host();
        let cells = |line: &Line<'b>| {
            let mut cells = line.cells(words(line));
            if has_another_host {
                let another_host = line.ratio().and_then(|row| row.another_host);
                cells.insert(ANOTHER_HOST_PLACE, interval(another_host));
            }
            cells
        };
        self.lines.iter().map(cells).collect()
    }

    fn has_another_host(&self) -> bool {
        self.lines.iter().filter_map(Line::ratio).any(|row| row.another_host.is_some())
    }
}

impl<'b> Line<'b> {
    pub(super) fn ratio(&self) -> Option<&'b BesideRow> {
        match self {
            Line::Ratio(row) => Some(*row),
            Line::Other(_) => None,
        }
    }

    fn test(&self) -> &str {
        match self {
            Line::Ratio(row) => &row.published.test,
            Line::Other(other) => &other.test,
        }
    }

    /// The reason where it cannot be compared.
    fn why(&self) -> Option<NotComparable> {
        match self {
            Line::Ratio(row) => row.why,
            Line::Other(other) => Some(other.why),
        }
    }

    /// How the figure compares, or why it does not: `other release`.
    pub(super) fn brief(&self) -> String {
        let of_ratio = || self.ratio().map_or("", |row| words(row.agreement));
        self.why().map_or_else(of_ratio, reason).to_owned()
    }

    /// The same, as a page says it: `not comparable: other release`.
    pub(super) fn told(&self) -> String {
        let brief = self.brief();
        if self.why().is_some() { format!("not comparable: {brief}") } else { brief }
    }

    fn cells(&self, words: String) -> Vec<String> {
        let test = clean(self.test());
        match self {
            Line::Ratio(row) => {
                vec![test, printed(&row.published), ratio(row.ratio), this_host(row), words, releases(row)]
            }
            Line::Other(other) => {
                let figure = format!("{} {}", clean(&other.value), clean(&other.metric));
                vec![test, figure, ratio(None), interval(None), words, String::new()]
            }
        }
    }
}

/// The interval of each host; of many hosts the span of all.
fn this_host(row: &BesideRow) -> String {
    let intervals: Vec<String> = row.this_host.iter().map(|one| interval(Some(*one))).collect();
    match intervals.len() {
        0 => interval(None),
        1..=HOSTS_SHOWN => intervals.join(" "),
        hosts => format!("{} over {hosts} hosts", interval(span(&row.this_host))),
    }
}

/// The least interval that holds all of some.
pub(super) fn span(intervals: &[[f64; 2]]) -> Option<[f64; 2]> {
    intervals.iter().copied().reduce(|one, other| [one[0].min(other[0]), one[1].max(other[1])])
}

/// The published ratio with as many digits as were printed, or the reference's with its interval.
pub(super) fn printed(one: &Published) -> String {
    if one.ci95.is_some() {
        return format!("{} {}", ratio(Some(one.ratio)), interval(one.ci95));
    }
    let digits = (-(2.0 * one.rounding).log10()).round().clamp(0.0, 6.0) as usize;
    format!("{:.digits$}", one.ratio)
}

pub(super) fn words(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Agrees => "agrees",
        Agreement::SameDirection => "same direction",
        Agreement::Differs => "differs",
        Agreement::NotComparable => "not measured",
    }
}

/// The words of a reason. They are those of the JSON, without hyphens.
pub(super) fn reason(why: NotComparable) -> &'static str {
    match why {
        NotComparable::NoSuchTest => "no such test",
        NotComparable::OtherBenchmark => "other benchmark",
        NotComparable::OtherRelease => "other release",
        NotComparable::OtherScale => "other scale",
        NotComparable::OtherMetric => "other metric",
    }
}

/// The releases that were measured, where they are not those of the publication.
pub(super) fn releases(row: &BesideRow) -> String {
    // Settings and builds of the user's own are told too.
    if !row.other_release && row.measured.iter().all(|own| own.settings.is_empty()) {
        return String::new();
    }
    let mut all: Vec<String> = Vec::new();
    for own in &row.measured {
        let pair = format!("{}{} over {}", clean(&own.subject), clean(&own.settings), clean(&own.base));
        if !all.contains(&pair) {
            all.push(pair);
        }
    }
    all.join(", ")
}
