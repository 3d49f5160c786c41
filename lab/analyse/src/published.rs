//! Published ratios beside measured ones.
//!
//! The rule, fixed before any figure is seen: a published ratio *agrees* when it lies, as far as its digits go, in the 95 %
//! interval of what was measured. The interval is the prediction for another host where three hosts or more were measured;
//! else each host's interval for another run, and where that is unknown, the run's own. A ratio outside has the *same
//! direction* when both are beyond δ on the same side of 1, or both within δ; all others *differ*.
//!
//! Results of one host can take the place of the publication. Then both figures have an interval, and the two agree when the
//! interval of their difference (of logarithms) includes 0.
//!
//! Releases match when they are of one series: all numbers of a release but the last (8.0.33 stands for 8.0.45). A row says
//! when the releases are not the same.

mod answers;
mod bridge;
mod claims;
mod own;
mod read;
mod release;
mod totals;

use std::collections::BTreeMap;

use humdrum_model::{Agreement, Beside, BesideRow, Carries, Measured, Published};

use crate::reach::{RunEstimate, another_host};

pub use answers::answer;
pub use bridge::bridge;
pub use claims::{claims_not_asked, claims_of_plan, claims_tsv};
pub use own::beside_own;
pub use read::{
    Columns, PUBLISHED_COLUMNS, TableLine, measured, measured_tsv, published_ratio, published_tsv,
};
pub use totals::state as experiment_state;

/// Hosts from which on a figure is held against the prediction for another host. Tables of measured ratios have the names of hosts, and not
/// their processors.
const HOSTS_MIN: usize = 3;

/// Sets every published ratio of a measured engine beside what was measured. `other_figures` of the publication are counted.
pub fn beside_published(published: &[Published], measured: &[Measured], other_figures: u64) -> Beside {
    let is_measured = |one: &&Published| measured.iter().any(|own| own.engine == one.engine);
    let rows: Vec<BesideRow> = published.iter().filter(is_measured).map(|one| row(one, measured)).collect();
    let elsewhere = (published.len() - rows.len()) as u64;
    let totals = totals::totals(&rows);
    Beside { reference: None, rows, totals, hosts: hosts(measured), other_figures: other_figures + elsewhere }
}

/// The hosts of some figures, each once, in the order of the first of each.
fn hosts<'m>(measured: impl IntoIterator<Item = &'m Measured>) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for own in measured {
        if !hosts.contains(&own.host) {
            hosts.push(own.host.clone());
        }
    }
    hosts
}

fn row(published: &Published, all: &[Measured]) -> BesideRow {
    let measured = nearest(published, all);
    let (intervals, carries) = intervals(&measured);
    let agreement = agreement(published, &measured, &intervals);
    let same = |own: &Measured| own.base == published.base && own.subject == published.subject;
    BesideRow {
        ratio: mean(&measured),
        other_release: !measured.iter().all(same),
        published: published.clone(),
        measured,
        intervals,
        carries,
        agreement,
    }
}

/// Whether both are of one benchmark, as far as they tell: a workload of the user's may have a test of the same name.
fn is_of_one_suite(own: &Measured, published: &Published) -> bool {
    own.suite.is_empty() || published.benchmark.is_empty() || own.suite == published.benchmark
}

/// Of each host the run whose releases are nearest: the same ones, else of the same series, the newest of them; without settings
/// before one with settings, and of equals the last.
fn nearest(published: &Published, all: &[Measured]) -> Vec<Measured> {
    let mut found: BTreeMap<&str, &Measured> = BTreeMap::new();
    let are_of_one_series = |own: &Measured| {
        let depth = release::depth([&own.base, &own.subject, &published.base, &published.subject]);
        release::is_same_series(depth, &own.base, &published.base)
            && release::is_same_series(depth, &own.subject, &published.subject)
    };
    let fits = |own: &&Measured| {
        own.engine == published.engine
            && own.test == published.test
            && is_of_one_suite(own, published)
            && are_of_one_series(own)
    };
    let rank = |own: &Measured| {
        let same = [own.base == published.base, own.subject == published.subject];
        let newest = [release::numbers(&own.subject), release::numbers(&own.base)];
        (own.settings.is_empty(), same.iter().filter(|same| **same).count(), newest)
    };
    for own in all.iter().filter(fits) {
        let best = found.entry(&own.host).or_insert(own);
        if rank(own) >= rank(best) {
            *best = own;
        }
    }
    found.into_values().cloned().collect()
}

fn mean(measured: &[Measured]) -> Option<f64> {
    let sum: f64 = measured.iter().map(|own| own.ratio.ln()).sum();
    (!measured.is_empty()).then(|| (sum / measured.len() as f64).exp())
}

fn intervals(measured: &[Measured]) -> (Vec<[f64; 2]>, Option<Carries>) {
    if measured.is_empty() {
        return (Vec::new(), None);
    }
    if measured.len() >= HOSTS_MIN {
        let hosts: Vec<RunEstimate> = measured.iter().map(estimate).collect();
        if let Some(found) = another_host(&hosts) {
            return (vec![found.map(f64::exp)], Some(Carries::AnotherHost));
        }
    }
    if measured.iter().all(|own| own.another_run.is_some()) {
        return (measured.iter().filter_map(|own| own.another_run).collect(), Some(Carries::AnotherRun));
    }
    (measured.iter().map(|own| own.ci95).collect(), Some(Carries::ThisRun))
}

fn estimate(own: &Measured) -> RunEstimate {
    RunEstimate::within(own.ratio, own.interval())
}

fn agreement(published: &Published, measured: &[Measured], intervals: &[[f64; 2]]) -> Agreement {
    let Some(ratio) = mean(measured) else { return Agreement::NotComparable };
    let (low, high) = (published.ratio - published.rounding, published.ratio + published.rounding);
    let agrees = |interval: &[f64; 2]| match published.ci95 {
        Some(ci95) => own::is_equal(ci95, *interval),
        None => low <= interval[1] && high >= interval[0],
    };
    if intervals.iter().any(agrees) {
        return Agreement::Agrees;
    }
    let delta = measured.iter().map(|own| own.delta).fold(0.0, f64::max);
    if side(published.ratio, delta) == side(ratio, delta) {
        return Agreement::SameDirection;
    }
    Agreement::Differs
}

/// -1 for slower, 1 for faster, 0 within δ.
fn side(ratio: f64, delta: f64) -> i8 {
    i8::from(ratio > 1.0 + delta) - i8::from(ratio < 1.0 - delta)
}

#[cfg(test)]
mod tests {
    use humdrum_model::Verdict;

    use super::*;

    pub(super) fn published(test: &str, ratio: f64) -> Published {
        let [engine, base, subject, test] = ["fake", "5.6.51", "8.0.45", test].map(str::to_owned);
        Published { engine, base, subject, test, ratio, rounding: 0.005, ..Published::default() }
    }

    pub(super) fn own(host: &str, test: &str, ratio: f64) -> Measured {
        let [host, engine, base, subject, test] = [host, "fake", "5.6.14", "8.0.33", test].map(str::to_owned);
        let verdict = Some(match side(ratio, 0.01) {
            -1 => Verdict::Regression,
            0 => Verdict::Boring,
            _ => Verdict::Improvement,
        });
        let ci95 = [ratio * 0.99, ratio * 1.01];
        let (settings, another_run, delta) = (String::new(), None, 0.01);
        let (suite, group) = (String::new(), String::new());
        Measured {
            host,
            engine,
            suite,
            base,
            subject,
            settings,
            group,
            test,
            ratio,
            ci95,
            another_run,
            verdict,
            delta,
        }
    }

    fn agreement_of(published_ratio: f64, ratios: &[f64]) -> Agreement {
        let own: Vec<Measured> =
            ratios.iter().enumerate().map(|(n, ratio)| own(&n.to_string(), "scan", *ratio)).collect();
        beside_published(&[published("scan", published_ratio)], &own, 0).rows[0].agreement
    }

    #[test]
    fn the_rule() {
        assert_eq!(agreement_of(0.65, &[0.653]), Agreement::Agrees);
        assert_eq!(
            agreement_of(0.70, &[0.708]),
            Agreement::Agrees,
            "0.705 rounds to it and is in the interval"
        );
        assert_eq!(agreement_of(0.65, &[0.86]), Agreement::SameDirection);
        assert_eq!(agreement_of(0.74, &[1.02]), Agreement::Differs);
        assert_eq!(agreement_of(1.0, &[0.9]), Agreement::Differs);
        assert_eq!(agreement_of(0.65, &[0.9, 0.65]), Agreement::Agrees, "one of two hosts");
    }

    #[test]
    fn three_hosts_foretell_another_one() {
        let hosts = [("a", 0.655), ("b", 0.861), ("c", 0.805)].map(|(host, ratio)| own(host, "scan", ratio));
        let found = beside_published(&[published("scan", 0.69)], &hosts, 0);
        let row = &found.rows[0];
        assert_eq!((row.carries, row.agreement), (Some(Carries::AnotherHost), Agreement::Agrees));
        assert!(row.intervals[0][0] < 0.655 && row.intervals[0][1] > 0.861, "{:?}", row.intervals);
        assert_eq!(found.hosts, ["a", "b", "c"]);
    }

    #[test]
    fn the_nearest_release_of_the_series_stands_for_a_published_one() {
        let mut older = own("a", "scan", 0.5);
        older.subject = "8.0.11".to_owned();
        let mut set = own("a", "scan", 0.4);
        set.settings = "+gtid".to_owned();
        let mut other = own("a", "scan", 0.3);
        other.subject = "8.4.8".to_owned();
        let nearest = own("a", "scan", 0.65);
        let found = beside_published(&[published("scan", 0.65)], &[older, set, nearest.clone(), other], 0);
        assert_eq!(found.rows[0].measured, [nearest]);
        assert!(found.rows[0].other_release);
    }

    #[test]
    fn figures_of_other_engines_are_counted_and_left_out() {
        let mut elsewhere = published("scan", 1.0);
        elsewhere.engine = "other".to_owned();
        let found = beside_published(&[published("scan", 0.65), elsewhere], &[own("a", "insert", 0.7)], 4);
        assert_eq!((found.rows.len(), found.other_figures), (1, 5));
        assert_eq!(found.rows[0].agreement, Agreement::NotComparable);
    }
}
