//! What is said below the tables: counts of agreement, the reasons of figures that cannot be compared, and the rule.

use humdrum_model::{Beside, CalledChanges, Carries, NotComparable, Rate};

use super::rows::reason;
use super::shares;
use crate::number::percent;
use crate::selftest::bounds;
use crate::text::clean;

/// Reasons of published ratios that cannot be compared, in the order in which they are tried.
const REASONS: [NotComparable; 4] = [
    NotComparable::NoSuchTest,
    NotComparable::OtherBenchmark,
    NotComparable::OtherRelease,
    NotComparable::OtherScale,
];
/// Names of other metrics that are listed.
const METRICS_SHOWN: usize = 5;

/// All lines below the tables: what was counted, and what a share of dead rows is where there are some.
pub(super) fn below(found: &Beside) -> Vec<String> {
    let mut lines = totals(found);
    if !found.dead_rows.is_empty() {
        lines.push(shares::SENTENCE.to_owned());
    }
    lines
}

/// What was counted, one line each. The last one is the rule; without ratios there is none, and nothing to count.
pub(crate) fn totals(found: &Beside) -> Vec<String> {
    if found.rows.is_empty() {
        return other_metrics(found).into_iter().collect();
    }
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
    lines.extend(REASONS.iter().filter_map(|why| not_comparable(found, *why, &figures)));
    lines.extend(other_metrics(found));
    if found.other_figures > 0 {
        lines.push(format!(
            "{} published figures are of other engines or no ratio of throughputs",
            found.other_figures
        ));
    }
    lines.push(rule(found));
    lines
}

/// How many rows cannot be compared for a reason, and what it means.
fn not_comparable(found: &Beside, why: NotComparable, figures: &str) -> Option<String> {
    let count = found.rows.iter().filter(|row| row.why == Some(why)).count();
    let what = format!("not comparable, {}: {count} of {} {figures}", reason(why), found.rows.len());
    (count > 0).then(|| format!("{what}; {}", meaning(why)))
}

fn other_metrics(found: &Beside) -> Option<String> {
    let first = found.other_metrics.first()?;
    let mut metrics: Vec<String> = Vec::new();
    for other in &found.other_metrics {
        let metric = clean(&other.metric);
        if !metrics.contains(&metric) && metrics.len() < METRICS_SHOWN {
            metrics.push(metric);
        }
    }
    let (count, metrics) = (found.other_metrics.len(), metrics.join(", "));
    let what = format!("not comparable, {}: {count} published figures ({metrics})", reason(first.why));
    Some(format!("{what}; {}", meaning(first.why)))
}

fn meaning(why: NotComparable) -> &'static str {
    match why {
        NotComparable::NoSuchTest => "the results have no ratio of the test",
        NotComparable::OtherBenchmark => "the results have a test of this name of another benchmark",
        NotComparable::OtherRelease => "the test was measured, but not with releases of the same series",
        NotComparable::OtherScale => {
            "the test was measured with other numbers of clients, as far as they are known"
        }
        NotComparable::OtherMetric => "of the test and release, no ratio of throughputs was published",
    }
}

/// The rule, with the intervals that were used.
fn rule(found: &Beside) -> String {
    let (another_host, own): (Vec<Carries>, Vec<Carries>) =
        found.rows.iter().filter_map(|row| row.carries).partition(|one| *one == Carries::AnotherHost);
    let another = "the 95 % interval for another host";
    let here = match own.first() {
        Some(Carries::AnotherRun) => "a host's 95 % interval for another run",
        _ => "a run's 95 % interval",
    };
    let of = match (another_host.is_empty(), own.is_empty()) {
        (true, _) => here.to_owned(),
        (false, true) => another.to_owned(),
        (false, false) => format!("{another} or, where there is none, {here}"),
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
