//! Published ratios beside measured ones.
//!
//! The rule, fixed before any figure is seen: a published ratio *agrees* when it lies, as far as its digits go, in the 95 %
//! interval of what was measured. The interval is the prediction for another host where three hosts or more were measured, or where
//! results of several hosts have one; else each host's interval for another run, and where that is unknown, the run's own. A ratio outside has the *same
//! direction* when both are beyond δ on the same side of 1, or both within δ; all others *differ*.
//!
//! Results of one host can take the place of the publication. Then both figures have an interval, and the two agree when the
//! interval of their difference (of logarithms) includes 0.
//!
//! Releases match when they are of one series: all numbers of a release but the last (8.0.33 stands for 8.0.45). A row says
//! when the releases are not the same. A row with nothing measured beside it says why.
//!
//! Shares of dead rows stand beside measured ones too, without a word on whether they agree.

mod answers;
mod bridge;
mod claims;
mod covered;
mod intervals;
mod nearest;
mod own;
mod read;
mod release;
mod shares;
mod totals;

use humdrum_model::{Agreement, Beside, BesideRow, Measured, OtherFigure, Published};

use intervals::Intervals;
use nearest::{nearest, other_metrics, why_none};

pub use answers::answer;
pub use bridge::bridge;
pub use claims::{claims_not_asked, claims_of_plan, claims_tsv};
pub use covered::record_coverage;
pub use own::beside_own;
pub use read::{
    Columns, PUBLISHED_COLUMNS, TableLine, measured, measured_tsv, published_ratio, published_tsv,
};
pub use shares::{add_shares, has_shares, is_share};
pub use totals::state as experiment_state;

/// Sets every published ratio of a measured engine beside what was measured. The publication's `others` are counted, and kept where
/// they are all that it has of a test.
pub fn beside_published(published: &[Published], measured: &[Measured], others: &[OtherFigure]) -> Beside {
    let is_measured = |one: &&Published| measured.iter().any(|own| own.engine == one.engine);
    let rows: Vec<BesideRow> = published.iter().filter(is_measured).map(|one| row(one, measured)).collect();
    let elsewhere = published.len() - rows.len();
    Beside {
        reference: None,
        totals: totals::totals(&rows),
        rows,
        hosts: hosts(measured),
        other_figures: (others.len() + elsewhere) as u64,
        other_metrics: other_metrics(others, published, measured),
        dead_rows: Vec::new(),
    }
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
    let found = Intervals::of(&measured);
    let (intervals, carries) = found.farthest();
    let agreement = agreement(published, &measured, &intervals);
    let same = |own: &Measured| own.base == published.base && own.subject == published.subject;
    BesideRow {
        ratio: mean(&measured),
        other_release: !measured.iter().all(same),
        why: measured.is_empty().then(|| why_none(published, all)),
        published: published.clone(),
        measured,
        intervals,
        carries,
        this_host: found.this_host,
        this_host_carries: found.this_host_carries,
        another_host: found.another_host,
        agreement,
    }
}

fn mean(measured: &[Measured]) -> Option<f64> {
    let sum: f64 = measured.iter().map(|own| own.ratio.ln()).sum();
    (!measured.is_empty()).then(|| (sum / measured.len() as f64).exp())
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
    use humdrum_model::{NotComparable, Verdict};

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
        let (settings, another_run, over_hosts, delta) = (String::new(), None, false, 0.01);
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
            over_hosts,
            verdict,
            delta,
        }
    }

    pub(super) fn other(engine: &str, subject: &str, test: &str) -> OtherFigure {
        let [engine, subject, test, metric, value] =
            [engine, subject, test, "cpu_per_op_ratio", "1.2"].map(str::to_owned);
        let why = NotComparable::OtherMetric;
        let [post, title, date, server, condition, base] = [const { String::new() }; 6];
        OtherFigure { post, title, date, engine, server, condition, base, subject, test, metric, value, why }
    }

    fn agreement_of(published_ratio: f64, ratios: &[f64]) -> Agreement {
        let own: Vec<Measured> =
            ratios.iter().enumerate().map(|(n, ratio)| own(&n.to_string(), "scan", *ratio)).collect();
        beside_published(&[published("scan", published_ratio)], &own, &[]).rows[0].agreement
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
    fn the_nearest_release_of_the_series_stands_for_a_published_one() {
        let mut older = own("a", "scan", 0.5);
        older.subject = "8.0.11".to_owned();
        let mut set = own("a", "scan", 0.4);
        set.settings = "+gtid".to_owned();
        let mut other = own("a", "scan", 0.3);
        other.subject = "8.4.8".to_owned();
        let nearest = own("a", "scan", 0.65);
        let found = beside_published(&[published("scan", 0.65)], &[older, set, nearest.clone(), other], &[]);
        assert_eq!(found.rows[0].measured, [nearest]);
        assert!(found.rows[0].other_release);
    }

    #[test]
    fn figures_of_other_engines_are_counted_and_left_out() {
        let mut elsewhere = published("scan", 1.0);
        elsewhere.engine = "other".to_owned();
        let found = beside_published(
            &[published("scan", 0.65), elsewhere],
            &[own("b", "insert", 0.7), own("a", "insert", 0.7)],
            &[other("other", "1", "scan")],
        );
        assert_eq!((found.rows.len(), found.other_figures), (1, 2));
        assert_eq!((found.hosts, found.other_metrics), (vec!["b".to_owned(), "a".to_owned()], Vec::new()));
        assert_eq!(found.rows[0].agreement, Agreement::NotComparable);
    }
}
