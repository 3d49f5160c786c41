//! The content of a post.

use humdrum_model::{Comparison, Explanation, Results, Summary, TestResult};

use super::{Block, Section, Table, costs, plain, plans, store, throughput};
use crate::Extras;
use crate::caveats;
use crate::choice;
use crate::explanation;
use crate::facts;
use crate::kinds;
use crate::number::interval;
use crate::opening::brief;
use crate::processor;
use crate::settings;
use crate::steps;
use crate::text::{clean, redact};
use crate::words::{self, Outcome};

/// Bullets of the summary. Readers of a post read these.
const BULLETS_MAX: usize = 5;
/// Subjects that have a bullet of their own; of a longer row, the last has one.
const SUBJECTS_MAX: usize = 3;
/// Settings that are listed.
const SETTINGS_MAX: usize = 15;
/// Letters of a checksum that a reader needs to tell two builds apart.
const CHECKSUM_LETTERS: usize = 12;

/// What the post is about.
pub(super) fn title(summary: &Summary, results: &Results) -> String {
    let (base, on) = (choice::base(summary), processor::on_hosts(summary));
    let suite = clean(&results.plan.suite);
    match &summary.comparisons[..] {
        [] => format!("{base}: {suite}{on}"),
        [one] => format!("{} against {base}: {suite}{on}", clean(&one.subject)),
        [.., last] => format!("{base} to {}: {suite}{on}", clean(&last.subject)),
    }
}

/// All parts that have something to say, in order.
pub(super) fn all(summary: &Summary, results: &Results, extras: &Extras) -> Vec<Section> {
    let parts = [
        ("tl;dr", vec![Block::Bullets(bullets(summary, results, extras))]),
        ("What was compared", compared(results, extras)),
        ("Hardware", vec![Block::Bullets(hardware(summary, results))]),
        ("Benchmark", benchmark(summary, results)),
        ("Steps", steps::grids(summary).into_iter().map(of_grid).collect()),
        ("Throughput", throughput::all(summary)),
        ("Flushes and compactions", store::all(summary)),
        ("What the tests cost that moved", costs::all(summary)),
        ("Query plans that differ", plans::all(&extras.explanations)),
        ("Data", vec![Block::Files(&DATA)]),
    ];
    let section = |(heading, blocks): (&str, Vec<Block>)| Section { heading: heading.to_owned(), blocks };
    parts.into_iter().filter(|(_, blocks)| !blocks.is_empty()).map(section).collect()
}

/// Files beside the post, and what they have.
const DATA: [(&str, &str); 3] = [
    ("report.html", "every interval, chart, explanation and setting"),
    ("summary.json", "the verdicts and figures for programs"),
    ("results.sqlite", "every block that was measured"),
];

/// What was found: the whole of each comparison, the largest changes, and for what it holds.
fn bullets(summary: &Summary, results: &Results, extras: &Extras) -> Vec<String> {
    let all = &summary.comparisons[..];
    let told = if all.len() > SUBJECTS_MAX { &all[all.len() - 1..] } else { all };
    let mut lines: Vec<String> =
        told.iter().map(|one| format!("{}: {}", words::pair(summary, one), brief(one))).collect();
    let mut moved: Vec<(&Comparison, &TestResult)> =
        told.iter().flat_map(|one| moved(one).map(move |test| (one, test))).collect();
    let size = |test: &TestResult| test.rqps.map_or(0.0, |ratio| ratio.ln().abs());
    moved.sort_by(|a, b| size(b.1).total_cmp(&size(a.1)));
    let room = BULLETS_MAX.saturating_sub(lines.len() + 1);
    lines.extend(moved.into_iter().take(room).map(|(one, test)| largest(one, test, &extras.explanations)));
    lines.push(holds_for(summary, results));
    lines
}

fn moved(one: &Comparison) -> impl Iterator<Item = &TestResult> {
    one.tests.iter().filter(|test| Outcome::of(test).moved())
}

/// `17.7, hot-points: 2.020 [1.980, 2.060]; the server works less per operation`.
fn largest(one: &Comparison, test: &TestResult, all: &[Explanation]) -> String {
    let about = |found: &&Explanation| found.test == test.test && found.subject == one.subject;
    let cause = all.iter().find(about).and_then(explanation::first_cause);
    let cause = cause.map_or_else(String::new, |cause| format!("; {cause}"));
    let (subject, name) = (clean(&one.subject), clean(&test.test));
    format!(
        "{name}, {subject}: {} of the base's throughput {}{cause}",
        words::times(test.rqps),
        interval(test.ci95)
    )
}

/// What was not measured is not known.
fn holds_for(summary: &Summary, results: &Results) -> String {
    let hosts = summary.comparisons.first().and_then(kinds::hosts);
    let here = match hosts {
        Some((count, of)) => format!("{count} hosts ({of})"),
        None => processor::named(&summary.host).unwrap_or_else(|| "this host".to_owned()),
    };
    let unfinished = if summary.finished {
        ""
    } else {
        "; the run was interrupted, and this is what was measured until then"
    };
    format!("this holds for {here} and {}{unfinished}", facts::workload(results))
}

fn compared(results: &Results, extras: &Extras) -> Vec<Block> {
    let subjects = results.plan.subjects.iter().zip(&results.subjects);
    let lines = subjects.map(|(subject, built)| {
        let mut told = vec![facts::build(&built.version, &short_checksums(&built.origin))];
        told.extend(built.build.iter().map(|remark| clean(remark)));
        told.extend(settings::after_load(&results.plan, subject));
        let (label, typed) = (clean(&subject.label), clean(&redact(&subject.to_string())));
        // A label of the user's own does not say what it stands for.
        let name =
            if typed == label || subject.label.contains('@') { label } else { format!("{label} ({typed})") };
        format!("{name}: {}", told.join("; "))
    });
    let mut blocks = vec![Block::Bullets(lines.collect())];
    let (differ, known_to_some) = settings::split(&extras.setting_differences);
    let shown =
        |value: &Option<String>| plain(value.as_deref().map_or_else(|| "no such setting".to_owned(), clean));
    let rows: Vec<_> = differ
        .iter()
        .take(SETTINGS_MAX)
        .map(|(name, values)| (name.clone(), values.iter().map(shown).collect()))
        .collect();
    if !rows.is_empty() {
        let labels = results.plan.subjects.iter().map(|subject| clean(&subject.label)).collect();
        let caption = "Settings that differ".to_owned();
        blocks.push(Block::Table(Table { caption, head: ("setting".to_owned(), labels), rows }));
    }
    let more = differ.len().saturating_sub(SETTINGS_MAX);
    let left = [
        (more > 0).then(|| format!("{more} more settings differ")),
        (!known_to_some.is_empty()).then(|| settings::known_to_some(known_to_some.len())),
    ];
    let left: Vec<String> = left.into_iter().flatten().collect();
    if !left.is_empty() {
        blocks.push(Block::Text(format!("{}; report.html lists them.", left.join("; "))));
    }
    blocks
}

/// A checksum of 64 letters says no more to a reader than its beginning; report.html has all of it.
fn short_checksums(origin: &str) -> String {
    let hex = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let short = |word: &str| {
        let core = word.trim_end_matches([' ', ',', ';']);
        if hex(core) {
            format!("{}…{}", &core[..CHECKSUM_LETTERS], &word[core.len()..])
        } else {
            word.to_owned()
        }
    };
    origin.split_inclusive(' ').map(short).collect()
}

fn hardware(summary: &Summary, results: &Results) -> Vec<String> {
    let mut lines = vec![facts::host(summary)];
    lines.extend(processor::described(&summary.host));
    lines.push(facts::noise(summary));
    lines.extend(caveats::lines(summary, results));
    let warnings = facts::warnings(summary).into_iter();
    lines.extend(
        warnings
            .map(|(level, name, found, advice)| format!("{level}: {}", facts::finding(name, found, advice))),
    );
    lines
}

fn benchmark(summary: &Summary, results: &Results) -> Vec<Block> {
    vec![Block::Text(facts::workload(results)), Block::Command(clean(&facts::command(summary, results)))]
}

fn of_grid(grid: steps::Grid) -> Block {
    Block::Table(Table {
        caption: grid.title.to_owned(),
        head: ("subject".to_owned(), grid.steps),
        rows: grid.rows,
    })
}
