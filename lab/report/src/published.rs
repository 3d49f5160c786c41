//! Published ratios beside measured ones, as `humdrum beside` shows them: terminal, Markdown, TSV, JSON and HTML. Results of
//! one host can take the place of a publication.

mod bridge;
pub(crate) mod html;

use humdrum_model::{Agreement, Beside, BesideRow, CalledChanges, Carries, Published, Rate};

use crate::format::Format;
use crate::number::{interval, percent, ratio};
use crate::selftest::bounds;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, markdown, wrap};

pub use bridge::bridge;

const HEADINGS: [(&str, Align); 6] = [
    ("test", Align::Left),
    ("published", Align::Right),
    ("measured", Align::Right),
    ("95 % interval", Align::Right),
    ("agreement", Align::Left),
    ("releases", Align::Left),
];

/// The comparison in one of the formats; formats for pull requests and posts have the Markdown.
pub fn beside_published(found: &Beside, format: Format, style: Style) -> String {
    match format {
        Format::Terminal => terminal(found, style),
        Format::Json => json(found),
        Format::Tsv => tsv(found),
        Format::Markdown | Format::Github | Format::Post | Format::Smalldatum => as_markdown(found),
        Format::Html | Format::PostHtml => html::page(found, None),
    }
}

/// The columns, the second one named after what it has.
fn headings(found: &Beside) -> [(&str, Align); 6] {
    let mut headings = HEADINGS;
    if let Some(host) = &found.reference {
        headings[1].0 = host;
    }
    headings
}

/// The rows of one publication and subject.
struct Group<'b> {
    head: &'b Published,
    rows: Vec<&'b BesideRow>,
}

impl Group<'_> {
    /// What stands in place of a table of dashes, where none of the rows was measured.
    fn nothing_measured(&self) -> Option<String> {
        let measured = self.rows.iter().any(|row| row.agreement != Agreement::NotComparable);
        (!measured).then(|| match self.rows.len() {
            1 => format!("Its one test, {}, was not measured.", clean(&self.rows[0].published.test)),
            count => format!("None of its {count} tests was measured."),
        })
    }
}

fn groups(found: &Beside) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    for row in &found.rows {
        match groups.iter_mut().find(|group| is_one_group(group.head, &row.published)) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { head: &row.published, rows: vec![row] }),
        }
    }
    groups
}

/// Whether two figures are of one publication, base, subject and condition, and so in one table.
fn is_one_group(one: &Published, other: &Published) -> bool {
    let key = |figure: &Published| {
        [&figure.post, &figure.base, &figure.subject, &figure.condition].map(String::clone)
    };
    key(one) == key(other)
}

/// `mysql 8.0.45 over 5.6.51: Sysbench vs MySQL (2026-03-24; PN53, 1 table x 50M rows)`.
fn heading(one: &Published) -> String {
    let told = |text: &str| if text.is_empty() { None } else { Some(clean(text)) };
    let set_up: Vec<String> =
        [&one.date, &one.server, &one.condition].into_iter().filter_map(|text| told(text)).collect();
    let title = told(&one.title).unwrap_or_else(|| clean(&one.post));
    let set_up = if set_up.is_empty() { String::new() } else { format!(" ({})", set_up.join("; ")) };
    format!("{} {} over {}: {title}{set_up}", clean(&one.engine), clean(&one.subject), clean(&one.base))
}

fn cells(row: &BesideRow) -> Vec<String> {
    let intervals: Vec<String> = row.intervals.iter().map(|one| interval(Some(*one))).collect();
    vec![
        clean(&row.published.test),
        printed(&row.published),
        ratio(row.ratio),
        if intervals.is_empty() { interval(None) } else { intervals.join(" ") },
        words(row.agreement).to_owned(),
        releases(row),
    ]
}

/// The published ratio with as many digits as were printed, or the reference's with its interval.
fn printed(one: &Published) -> String {
    if one.ci95.is_some() {
        return format!("{} {}", ratio(Some(one.ratio)), interval(one.ci95));
    }
    let digits = (-(2.0 * one.rounding).log10()).round().clamp(0.0, 6.0) as usize;
    format!("{:.digits$}", one.ratio)
}

fn words(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Agrees => "agrees",
        Agreement::SameDirection => "same direction",
        Agreement::Differs => "differs",
        Agreement::NotComparable => "not measured",
    }
}

/// The releases that were measured, where they are not those of the publication.
fn releases(row: &BesideRow) -> String {
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

/// What was counted, one line each.
pub(crate) fn totals(found: &Beside) -> Vec<String> {
    let of = |rate: &Option<Rate>, what: &str| {
        rate.map(|rate| format!("{} of {} {what}{}", rate.count, rate.of, bounds(&rate)))
    };
    let totals = &found.totals;
    let (figures, changes) = match &found.reference {
        Some(host) => (format!("ratios of {}", clean(host)), format!("changes on {}", clean(host))),
        None => ("published ratios".to_owned(), "published changes".to_owned()),
    };
    let mut known = found.rows.iter().filter_map(|row| row.carries).peekable();
    let verdicts = match known.peek().is_some() && known.all(|carries| carries == Carries::AnotherHost) {
        true => " on another host",
        false => "",
    };
    let called = |one: &CalledChanges| {
        let larger = percent(one.beyond);
        let what = format!("{changes} larger than {larger} have a verdict of the same sign{verdicts}");
        [of(&Some(one.called), &what), of(&Some(one.opposite), "of them have one of the opposite sign")]
    };
    let mut lines =
        vec![of(&totals.agree, "agree"), of(&totals.same_direction, "agree or have the same direction")];
    lines.extend(totals.changes.iter().flat_map(called));
    let correlation = |value| format!("rank correlation of {figures} and those measured: {value:.2}");
    lines.push(totals.rank_correlation.map(correlation));
    let mut lines: Vec<String> = lines.into_iter().flatten().collect();
    let absent = found.rows.iter().filter(|row| row.agreement == Agreement::NotComparable).count();
    if absent > 0 {
        lines.push(format!("{absent} {figures} have no run with releases of the same series"));
    }
    if found.other_figures > 0 {
        lines.push(format!(
            "{} published figures are of other engines or no ratio of throughputs",
            found.other_figures
        ));
    }
    lines.push(rule(found));
    lines
}

/// The rule, with the interval that was used.
fn rule(found: &Beside) -> String {
    let carries = found.rows.iter().find_map(|row| row.carries);
    let of = match carries {
        Some(Carries::AnotherHost) => "the 95 % interval for another host",
        Some(Carries::AnotherRun) => "a host's 95 % interval for another run",
        Some(Carries::ThisRun) | None => "a run's 95 % interval",
    };
    let hosts: Vec<String> = found.hosts.iter().map(|host| clean(host)).collect();
    let agrees = match &found.reference {
        Some(_) => format!("the 95 % interval of their difference includes 0, where each has {of}"),
        None => format!("the published figure, as far as its digits go, lies in {of}"),
    };
    format!(
        "agrees: {agrees}; same direction: both are faster, both \
         slower, or both within the verdict's margin; measured on {}",
        hosts.join(", ")
    )
}

fn terminal(found: &Beside, style: Style) -> String {
    let columns = usize::from(style.width).max(60);
    let mut lines: Vec<String> = Vec::new();
    for group in groups(found) {
        lines.push(wrap(&heading(group.head), columns, 2));
        if let Some(nothing) = group.nothing_measured() {
            lines.extend([format!("  {nothing}"), String::new()]);
            continue;
        }
        let mut table = Table::new(&headings(found));
        table.rows = group.rows.iter().map(|row| cells(row)).collect();
        lines.extend(table.lines(columns, |_, _, cell| cell.to_owned()));
        lines.push(String::new());
    }
    lines.extend(totals(found).iter().map(|line| wrap(line, columns, 2)));
    lines.join("\n") + "\n"
}

fn as_markdown(found: &Beside) -> String {
    let mut out = String::new();
    for group in groups(found) {
        out += &format!("## {}\n\n", markdown(&heading(group.head)));
        if let Some(nothing) = group.nothing_measured() {
            out += &format!("{}\n\n", markdown(&nothing));
            continue;
        }
        let second = markdown(&clean(headings(found)[1].0));
        out += &format!(
            "| test | {second} | measured | 95 % interval | agreement | releases |\n|---|---:|---:|---|---|---|\n"
        );
        for row in &group.rows {
            let cells: Vec<String> = cells(row).iter().map(|cell| markdown(cell)).collect();
            out += &format!("| {} |\n", cells.join(" | "));
        }
        out.push('\n');
    }
    for line in totals(found) {
        out += &format!("- {}\n", markdown(&line));
    }
    out
}

/// The comparison as indented JSON with a final line feed.
fn json(found: &Beside) -> String {
    serde_json::to_string_pretty(found).expect("plain data with text keys") + "\n"
}

/// One line for each published ratio.
fn tsv(found: &Beside) -> String {
    let columns = "post\tengine\tbase\tsubject\ttest\tpublished\tmeasured\tlow\thigh\tagreement\treleases\n";
    let line = |row: &BesideRow| {
        let one = &row.published;
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        let (lows, highs) =
            (row.intervals.iter().map(|ends| ends[0]), row.intervals.iter().map(|ends| ends[1]));
        let cells = [
            clean(&one.post),
            clean(&one.engine),
            clean(&one.base),
            clean(&one.subject),
            clean(&one.test),
            printed(one),
            number(row.ratio),
            number(lows.reduce(f64::min)),
            number(highs.reduce(f64::max)),
            words(row.agreement).to_owned(),
            releases(row),
        ];
        cells.join("\t") + "\n"
    };
    columns.to_owned() + &found.rows.iter().map(line).collect::<String>()
}

#[cfg(test)]
mod tests;
