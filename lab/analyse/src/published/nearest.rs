//! Which measured ratios stand beside a published one, and the reason where none does.

use std::collections::BTreeMap;

use humdrum_model::{Measured, NotComparable, Numbers, OtherFigure, Published, without_numbers};

use super::release;

/// Of each host the run whose releases are nearest: the same ones, else of the same series, the newest of them; without settings
/// before one with settings, and of equals the last.
pub(super) fn nearest(published: &Published, all: &[Measured]) -> Vec<Measured> {
    let mut found: BTreeMap<&str, &Measured> = BTreeMap::new();
    let numbers = Numbers { clients: published.clients, ..Numbers::default() };
    let fits = |own: &&Measured| {
        own.engine == published.engine
            && numbers.own_name(&own.test) == published.test
            && is_of_one_suite(own, published)
            && are_of_one_series(own, published)
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

/// Why none of the ratios stands beside a published one: the first condition that none of them meets. All of them are met where the test
/// was measured at other numbers of rows or clients alone.
pub(super) fn why_none(published: &Published, all: &[Measured]) -> NotComparable {
    let test = without_numbers(&published.test);
    let of_test = |own: &&Measured| own.engine == published.engine && without_numbers(&own.test) == test;
    let of_test: Vec<&Measured> = all.iter().filter(of_test).collect();
    let of_suite: Vec<&&Measured> = of_test.iter().filter(|own| is_of_one_suite(own, published)).collect();
    if of_test.is_empty() {
        NotComparable::NoSuchTest
    } else if of_suite.is_empty() {
        NotComparable::OtherBenchmark
    } else if !of_suite.iter().any(|own| are_of_one_series(own, published)) {
        NotComparable::OtherRelease
    } else {
        NotComparable::OtherScale
    }
}

/// The figures of measured engines whose test and release have no published ratio of throughputs.
pub(super) fn other_metrics(
    others: &[OtherFigure],
    published: &[Published],
    measured: &[Measured],
) -> Vec<OtherFigure> {
    let is_measured = |other: &OtherFigure| measured.iter().any(|own| own.engine == other.engine);
    let is_of = |other: &OtherFigure, one: &Published| {
        one.post == other.post
            && one.engine == other.engine
            && one.test == other.test
            && [&one.base, &one.subject].contains(&&other.subject)
    };
    let is_alone = |other: &OtherFigure| !published.iter().any(|one| is_of(other, one));
    others.iter().filter(|other| is_measured(other) && is_alone(other)).cloned().collect()
}

/// Whether both are of one benchmark, as far as they tell: a workload of the user's may have a test of the same name.
fn is_of_one_suite(own: &Measured, published: &Published) -> bool {
    own.suite.is_empty() || published.benchmark.is_empty() || own.suite == published.benchmark
}

fn are_of_one_series(own: &Measured, published: &Published) -> bool {
    let depth = release::depth([&own.base, &own.subject, &published.base, &published.subject]);
    release::is_same_series(depth, &own.base, &published.base)
        && release::is_same_series(depth, &own.subject, &published.subject)
}

#[cfg(test)]
mod tests {
    use humdrum_model::Agreement;

    use super::super::beside_published;
    use super::super::tests::{other, own, published};
    use super::*;

    fn why(published: Published, measured: Measured) -> Option<NotComparable> {
        // Another test keeps the engine among those that were measured.
        let all = [measured, own("a", "insert", 0.7)];
        let row = beside_published(&[published], &all, &[]).rows.remove(0);
        assert_eq!(row.why.is_some(), row.agreement == Agreement::NotComparable);
        row.why
    }

    #[test]
    fn a_row_without_a_figure_says_why() {
        let scan = || own("a", "scan", 0.65);
        let of = |benchmark: &str| Published { benchmark: benchmark.into(), ..published("scan", 0.65) };
        assert_eq!(why(published("scan", 0.65), scan()), None);
        assert_eq!(why(published("hot-points", 0.65), scan()), Some(NotComparable::NoSuchTest));
        let elsewhere = Measured { engine: "other".into(), ..scan() };
        assert_eq!(why(published("scan", 0.65), elsewhere), Some(NotComparable::NoSuchTest));
        let another_suite = Measured { suite: "mine".into(), ..scan() };
        assert_eq!(why(of("sysbench"), another_suite.clone()), Some(NotComparable::OtherBenchmark));
        assert_eq!(why(of(""), another_suite), None, "the publication does not say");
        let newer = Measured { subject: "8.4.8".into(), ..scan() };
        assert_eq!(why(published("scan", 0.65), newer), Some(NotComparable::OtherRelease));
        let older = Measured { base: "5.5.62".into(), ..scan() };
        assert_eq!(why(published("scan", 0.65), older), Some(NotComparable::OtherRelease));
    }

    /// In a run at several numbers of clients each is a test of its own.
    #[test]
    fn clients_are_those_of_the_publication() {
        let with = |clients: Option<u32>| Published { clients, ..published("scan", 0.65) };
        let four = || own("a", "scan:c4", 0.65);
        assert_eq!(why(with(Some(4)), four()), None);
        assert_eq!(why(with(Some(40)), four()), Some(NotComparable::OtherScale));
        assert_eq!(why(with(None), four()), Some(NotComparable::OtherScale), "the number is not known");
        assert_eq!(why(with(Some(4)), own("a", "scan", 0.65)), None, "a single number is not in the name");
        let reference = Published { test: "scan:c4".into(), ..published("", 0.65) };
        assert_eq!(why(reference.clone(), four()), None);
        assert_eq!(why(reference, own("a", "scan:c16", 0.65)), Some(NotComparable::OtherScale));
        let newer = Measured { subject: "8.4.8".into(), ..four() };
        assert_eq!(why(with(Some(40)), newer), Some(NotComparable::OtherRelease));
    }

    #[test]
    fn figures_of_another_metric_alone_are_kept() {
        let ratios = [published("scan", 0.65)];
        let others = [
            other("fake", "8.0.45", "scan"),
            other("fake", "5.6.51", "scan"),
            other("fake", "8.0.45", "insert"),
            other("fake", "9.7.0", "scan"),
            other("else", "8.0.45", "insert"),
        ];
        let found = beside_published(&ratios, &[own("a", "scan", 0.65)], &others);
        let kept: Vec<(&str, &str)> =
            found.other_metrics.iter().map(|one| (one.subject.as_str(), one.test.as_str())).collect();
        assert_eq!(kept, [("8.0.45", "insert"), ("9.7.0", "scan")], "throughput tells of the others");
        assert_eq!((found.other_figures, found.rows.len()), (5, 1));
    }
}
