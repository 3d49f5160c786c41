//! The tables of throughput of a post: relative to the base, to the release before, and in operations per second.

use humdrum_model::{Comparison, Summary, TestResult};

use super::{Block, Table, plain};
use crate::choice;
use crate::number::{NONE, interval, ratio, short_or_none};
use crate::steps::{Cell, Tone};
use crate::text::clean;
use crate::words::{self, Outcome};

/// By group: relative to the base, and in a row of subjects also to the one before.
pub(super) fn all(summary: &Summary) -> Vec<Block> {
    let Some(first) = summary.comparisons.first() else { return Vec::new() };
    let mut blocks = vec![Block::Text(format!(
        "rQPS is the throughput of a subject relative to that of {}. ▲ and ▼ are verdicts.",
        choice::base(summary)
    ))];
    let alone = summary.comparisons.len() == 1;
    for (group, tests) in words::grouped(&first.tests) {
        let mut names: Vec<String> = summary.comparisons.iter().map(|one| clean(&one.subject)).collect();
        names.extend(alone.then(|| "95 % interval".to_owned()));
        let row = |test: &&TestResult| {
            let mut cells: Vec<Cell> =
                summary.comparisons.iter().map(|one| judged(find(one, &test.test))).collect();
            cells.extend(alone.then(|| plain(interval(test.ci95))));
            (clean(&test.test), cells)
        };
        let caption = format!("{}, relative to {}", clean(group), clean(&summary.base));
        blocks.push(Block::Table(Table {
            caption,
            head: ("test".to_owned(), names),
            rows: tests.iter().map(row).collect(),
        }));
    }
    if !alone {
        blocks.push(to_the_one_before(summary, &first.tests));
    }
    if !first.tests.is_empty() {
        blocks.push(rates(summary, first));
    }
    blocks
}

/// What each subject did in a second, test by test in the order of the plan, which is that of a suite's steps.
fn rates(summary: &Summary, first: &Comparison) -> Block {
    let cell = |rate: Option<f64>| plain(short_or_none(rate));
    let row = |test: &TestResult| {
        let own: Vec<Option<&TestResult>> =
            summary.comparisons.iter().map(|one| find(one, &test.test)).collect();
        // The base may have no figure beside a subject that failed.
        let base = own.iter().flatten().find_map(|found| found.base_qps);
        let others = own.iter().map(|found| cell(found.and_then(|found| found.qps)));
        (clean(&test.test), std::iter::once(cell(base)).chain(others).collect())
    };
    let subjects = summary.comparisons.iter().map(|one| clean(&one.subject));
    Block::Table(Table {
        caption: "operations per second, over all blocks; ratios above are means over sessions".to_owned(),
        head: ("test".to_owned(), std::iter::once(clean(&summary.base)).chain(subjects).collect()),
        rows: first.tests.iter().map(row).collect(),
    })
}

/// Quotients of the ratios above, for readers; no verdict rests on them.
fn to_the_one_before(summary: &Summary, tests: &[TestResult]) -> Block {
    let pairs: Vec<_> = summary.comparisons.windows(2).collect();
    let row = |test: &TestResult| {
        let quotient = |pair: &&[Comparison]| {
            let [before, after] =
                [&pair[0], &pair[1]].map(|one| find(one, &test.test).and_then(|found| found.rqps));
            plain(ratio(after.zip(before).map(|(after, before)| after / before)))
        };
        (clean(&test.test), pairs.iter().map(quotient).collect())
    };
    let names = pairs.iter().map(|pair| clean(&pair[1].subject)).collect();
    Block::Table(Table {
        caption:
            "each relative to the one before it, without verdicts (--base SUBJECT judges against another)"
                .to_owned(),
        head: ("test".to_owned(), names),
        rows: tests.iter().map(row).collect(),
    })
}

pub(super) fn find<'a>(one: &'a Comparison, test: &str) -> Option<&'a TestResult> {
    one.tests.iter().find(|found| found.test == test)
}

fn judged(test: Option<&TestResult>) -> Cell {
    let Some(test) = test else { return Cell { text: NONE.to_owned(), tone: Tone::Void } };
    match Outcome::of(test) {
        Outcome::Status(status) => Cell { text: status.word().to_owned(), tone: Tone::Void },
        outcome => Cell { text: ratio(test.rqps), tone: tone(outcome) },
    }
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Regression => Tone::Less,
        Outcome::Improvement => Tone::More,
        _ => Tone::Plain,
    }
}
