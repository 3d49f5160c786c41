//! How much of a plan its records have ratios of.

use std::collections::BTreeSet;

use humdrum_model::{CountOf, Coverage, Measured, Place, Subject};

use super::release::{is_planned, typed_settings};

/// How much of a plan is in `records`, the ratios of all its records: of its subjects, base first, and of its tests, where these are
/// known. A subject that is no release counts as missing, because a table of ratios cannot say what it was.
pub fn record_coverage(subjects: &[Subject], tests: Option<&[String]>, records: &[Measured]) -> Coverage {
    let (base, others) = subjects.split_at(subjects.len().min(1));
    let is_asked = |own: &&Measured| tests.is_none_or(|tests| tests.contains(&own.test));
    let tests_of = |subject: &Subject| -> BTreeSet<&str> {
        let own = records.iter().filter(|own| base.iter().any(|base| is_of(own, base, subject)));
        own.filter(is_asked).map(|own| own.test.as_str()).collect()
    };
    let measured: Vec<BTreeSet<&str>> = others.iter().map(tests_of).collect();
    let releases_with = |test: &String| measured.iter().filter(|own| own.contains(test.as_str())).count();
    let count_of = |count: usize, of: usize| CountOf { count: count as u64, of: of as u64 };
    Coverage {
        tests: tests
            .map(|tests| count_of(tests.iter().filter(|test| releases_with(test) > 0).count(), tests.len())),
        releases: count_of(measured.iter().filter(|own| !own.is_empty()).count(), others.len()),
        ratios: tests
            .map(|tests| count_of(tests.iter().map(releases_with).sum(), tests.len() * others.len())),
    }
}

/// Whether a ratio is that of a subject over a base.
fn is_of(own: &Measured, base: &Subject, subject: &Subject) -> bool {
    let (Place::Version(from), Place::Version(to)) = (&base.place, &subject.place) else { return false };
    // The settings of a ratio are its subject's, or its base's where that has none.
    let settings = [subject, base].map(typed_settings).into_iter().find(|settings| !settings.is_empty());
    own.engine == subject.engine
        && own.engine == base.engine
        && is_planned(from, &own.base)
        && is_planned(to, &own.subject)
        && own.settings == settings.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use humdrum_model::Setting;

    use super::super::tests::own;
    use super::*;

    fn subject(version: &str) -> Subject {
        let place = Place::Version(version.into());
        Subject { label: version.into(), engine: "fake".into(), place, settings: Vec::new() }
    }

    /// Counts of tests, releases and ratios.
    fn counts(subjects: &[&str], tests: Option<&[&str]>, records: &[Measured]) -> [Option<[u64; 2]>; 3] {
        let subjects: Vec<Subject> = subjects.iter().map(|version| subject(version)).collect();
        let tests: Option<Vec<String>> =
            tests.map(|tests| tests.iter().map(|test| (*test).to_owned()).collect());
        let found = record_coverage(&subjects, tests.as_deref(), records);
        let pair = |of: CountOf| [of.count, of.of];
        [found.tests.map(pair), Some(pair(found.releases)), found.ratios.map(pair)]
    }

    #[test]
    fn tests_and_releases_of_the_plan_are_counted() {
        let plan = ["5.6.14", "8.0.33", "9.7"];
        let records = [own("a", "scan", 0.8), own("b", "scan", 0.7), own("b", "insert", 0.9)];
        let tests = ["scan", "insert", "point-query"];
        assert_eq!(counts(&plan, Some(&tests), &records), [Some([2, 3]), Some([1, 2]), Some([2, 6])]);
        let newest = Measured { subject: "9.7.4".into(), ..own("a", "point-query", 0.6) };
        let all = [&records[..], &[newest]].concat();
        let found = counts(&plan, Some(&tests), &all);
        assert_eq!(found, [Some([3, 3]), Some([2, 2]), Some([3, 6])], "of each something");
        assert_eq!(counts(&plan[..2], Some(&["scan"]), &all), [Some([1, 1]); 3], "more than the plan has");
        assert_eq!(counts(&plan, None, &all), [None, Some([2, 2]), None]);
    }

    #[test]
    fn other_bases_releases_and_settings_are_not_the_plans() {
        let records = [own("a", "scan", 0.8)];
        let none = [Some([0, 1]), Some([0, 1]), Some([0, 1])];
        assert_eq!(counts(&["5.7.22", "8.0.33"], Some(&["scan"]), &records), none);
        assert_eq!(counts(&["5.6.14", "8.0.34"], Some(&["scan"]), &records), none);
        assert_eq!(counts(&["5.6.14", "8.0.33-built"], Some(&["scan"]), &records), none);
        let mut set = [subject("5.6.14"), subject("8.0.33")];
        set[1].settings.push(Setting::Named("gtid".into()));
        assert_eq!(record_coverage(&set, None, &records).releases.count, 0);
        let as_set = [Measured { settings: "+gtid".into(), ..records[0].clone() }];
        assert_eq!(record_coverage(&set, None, &as_set).releases.count, 1);
    }
}
