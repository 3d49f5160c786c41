//! What selftests found: the lines that every report quotes, and the table of `humdrum selftest`.

use humdrum_model::{
    Certificate, Dimension, HostFacts, LossRates, Place, Rate, Results, Scope, Selftest, Summary,
};

use crate::facts::suite;
use crate::number::percent;
use crate::processor;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, quoted, redact, wrap};

/// A loss that is called this often is one that a user can count on being told of.
const OFTEN: f64 = 0.8;

/// A line for each certificate, or the command that makes one; nothing where a selftest is not possible.
pub(crate) fn lines(summary: &Summary, results: &Results) -> Vec<String> {
    if summary.imported.is_some() {
        return Vec::new();
    }
    if summary.certificates.is_empty() {
        return missing(results).into_iter().collect();
    }
    summary.certificates.iter().map(|one| line(one, &summary.host)).collect()
}

/// `postgres point, 1 client, on AMD EPYC (Zen 3): 0 of 132 A/A verdicts wrong, upper bound 2.2 %; …`.
fn line(certificate: &Certificate, host: &HostFacts) -> String {
    let alarms = certificate
        .false_alarms
        .map(|rate| format!("{} of {} A/A verdicts wrong{}", rate.count, rate.of, bounds(&rate)));
    let called = telling(&certificate.losses).map(|loss| {
        let Rate { count, of, .. } = loss.called;
        let bounds = bounds(&loss.called);
        format!("losses of {} called in {count} of {of}{bounds}", percent(loss.injected))
    });
    let time = format!("with {:.0} s a test", certificate.seconds_per_test);
    let found: Vec<String> = alarms.into_iter().chain(called).chain([time]).collect();
    format!("selftest of {},{}: {}", scope(&certificate.scope), processor::on(host), found.join("; "))
}

/// The smallest loss that is called often, else the largest.
fn telling(losses: &[LossRates]) -> Option<&LossRates> {
    let often = |loss: &&LossRates| loss.called.count as f64 >= OFTEN * loss.called.of as f64;
    losses.iter().find(often).or(losses.last())
}

/// `postgres point, 1 client`.
fn scope(scope: &Scope) -> String {
    let s = if scope.clients == 1 { "" } else { "s" };
    format!("{} {}, {} client{s}", clean(&scope.engine), clean(&scope.class), scope.clients)
}

/// The interval, or the bound where the other end is known.
pub(crate) fn bounds(rate: &Rate) -> String {
    let [low, high] = rate.ci95;
    match rate.count {
        0 => format!(", upper bound {}", rough(high)),
        all if all == rate.of => format!(", lower bound {}", rough(low)),
        _ => format!(" [{}, {}]", rough(low), rough(high)),
    }
}

/// Percent to two digits: counts know no more.
fn rough(fraction: f64) -> String {
    let digits = usize::from(fraction < 0.0995);
    format!("{:.digits$} %", fraction * 100.0)
}

fn missing(results: &Results) -> Option<String> {
    let plan = &results.plan;
    let subject = plan.subjects.last().filter(|one| !matches!(one.place, Place::External(_)))?;
    let mut classes: Vec<&str> = Vec::new();
    for test in &plan.tests {
        if !classes.contains(&test.group.as_str()) {
            classes.push(&test.group);
        }
    }
    let (subject, classes) = (subject.for_engine().to_string(), classes.join(","));
    let suite = suite(plan);
    let mut words = vec!["humdrum", "selftest", &subject, "--suite", &suite, "--tests", &classes];
    let numbers: Vec<String> = plan.numbers(Dimension::Clients).iter().map(u64::to_string).collect();
    let clients = format!("clients={}", numbers.join(","));
    if numbers != ["1"] {
        words.extend(["--scale", &clients]);
    }
    let words: Vec<String> = words.into_iter().map(|word| quoted(&redact(word))).collect();
    Some(format!("no selftest was made here of these tests: {}", words.join(" ")))
}

/// The table of a selftest, for a terminal. It ends in a line feed.
pub fn selftest(selftest: &Selftest, host: &HostFacts, style: Style) -> String {
    let columns = usize::from(style.width).max(40);
    let wrapped = |text: &str| wrap(text, columns, 2);
    let mut out = vec![wrapped(&head(selftest, host)), String::new()];
    out.extend(table(&selftest.found).lines(columns, |_, _, cell| cell.to_owned()));
    out.extend([String::new(), wrapped(LEGEND)]);
    if selftest.certificates != selftest.found {
        out.extend([String::new(), "With all selftests made here:".to_owned()]);
        out.extend(selftest.certificates.iter().map(|one| wrapped(&line(one, host))));
    }
    out.join("\n") + "\n"
}

const LEGEND: &str = "Wrong is a verdict that is known to be false: any change of equal subjects (A/A); an improvement or, \
                      beyond δ, \"boring\" of a slowed one; a regression where what was injected is at most δ. Intervals hold 95 %.";

fn head(selftest: &Selftest, host: &HostFacts) -> String {
    let Selftest { suite, runs, runs_planned, budget_seconds, seed, .. } = selftest;
    format!(
        "selftest of {}{}: {suite}, {runs} of {runs_planned} runs of {budget_seconds:.0} s, seed {seed}",
        clean(&selftest.subject),
        processor::on(host)
    )
}

fn table(certificates: &[Certificate]) -> Table {
    let mut table = Table::new(&[
        ("verdicts", Align::Left),
        ("injected", Align::Right),
        ("regressions called", Align::Left),
        ("wrong", Align::Left),
    ]);
    for certificate in certificates {
        let equal = certificate.false_alarms.map(|rate| ["A/A".to_owned(), "–".to_owned(), cell(&rate)]);
        let losses = certificate.losses.iter();
        let slowed = losses.map(|one| [percent(one.injected), cell(&one.called), cell(&one.wrong)]);
        let rows = equal.into_iter().chain(slowed).enumerate();
        table.rows.extend(rows.map(|(number, cells)| {
            let name = if number == 0 { scope(&certificate.scope) } else { String::new() };
            [vec![name], cells.to_vec()].concat()
        }));
    }
    table
}

fn cell(rate: &Rate) -> String {
    format!("{} of {}{}", rate.count, rate.of, bounds(rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn rate(count: u64, of: u64, low: f64, high: f64) -> Rate {
        Rate { count, of, ci95: [low, high] }
    }

    fn certificate(class: &str) -> Certificate {
        let loss = |injected, called, wrong| LossRates { injected, called, wrong };
        Certificate {
            scope: Scope {
                engine: "postgres".into(),
                class: class.into(),
                clients: 1,
                generation: "Zen 3".into(),
            },
            runs: 4,
            latest: "2026-01-02T03:04:05Z".into(),
            seconds_per_test: 12.3,
            false_alarms: Some(rate(0, 132, 0.0, 0.022_44)),
            losses: vec![
                loss(0.01, rate(1, 20, 0.001_3, 0.248_7), rate(1, 20, 0.001_3, 0.248_7)),
                loss(0.02, rate(18, 20, 0.683, 0.987_7), rate(0, 20, 0.0, 0.139)),
                loss(0.05, rate(20, 20, 0.860_9, 1.0), rate(0, 20, 0.0, 0.139)),
            ],
        }
    }

    fn host() -> HostFacts {
        let (mut summary, ..) = fixture::run();
        summary.host.cpu_model = "AMD EPYC 7763 64-Core Processor".into();
        summary.host.processor.generation = "Zen 3".into();
        summary.host
    }

    #[test]
    fn a_report_quotes_the_smallest_loss_that_is_called_often() {
        assert_eq!(
            line(&certificate("point"), &host()),
            "selftest of postgres point, 1 client, on AMD EPYC 7763 (Zen 3): 0 of 132 A/A verdicts wrong, upper bound 2.2 %; \
             losses of 2 % called in 18 of 20 [68 %, 99 %]; with 12 s a test"
        );
        let mut blind = certificate("range");
        blind.losses.truncate(1);
        blind.false_alarms = None;
        let told = line(&blind, &host());
        assert!(
            told.ends_with(": losses of 1 % called in 1 of 20 [0.1 %, 25 %]; with 12 s a test"),
            "{told}"
        );
    }

    #[test]
    fn where_there_is_none_one_line_says_what_to_type() {
        let (summary, mut results, _) = fixture::run();
        let told = lines(&summary, &results);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains(": humdrum selftest postgres@17.7 --suite sysbench --tests point,"),
            "{told:?}"
        );
        results.plan.subjects[1].place = Place::External("postgres://me@host/db".into());
        assert!(lines(&summary, &results).is_empty());
    }

    #[test]
    fn the_table_looks_like_this() {
        let found = vec![certificate("point"), Certificate { losses: Vec::new(), ..certificate("range") }];
        let mut certificates = found.clone();
        certificates[0].false_alarms = Some(rate(1, 1320, 0.0, 0.004_2));
        let selftest = Selftest {
            schema: 1,
            tool: "humdrum 0.1.0".into(),
            suite: "sysbench".into(),
            subject: "postgres@17.7".into(),
            seed: 1,
            budget_seconds: 60.0,
            runs: 4,
            runs_planned: 12,
            found,
            certificates,
        };
        let style = Style { color: false, width: 100, verbose: false };
        insta::assert_snapshot!(super::selftest(&selftest, &host(), style));
    }
}
