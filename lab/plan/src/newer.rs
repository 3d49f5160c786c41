//! Which of the releases that are offered are newer than those that are known. Engines number their releases, so that this
//! needs no engine.

use std::cmp::Ordering;

/// A release that is newer than the known ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    /// The release.
    pub version: String,
    /// The newest release before it, known or newer.
    pub after: String,
}

/// The releases of `offered` that are newer than every known one, oldest first. With `maintenance` also those that are newer
/// than the known ones of their own series: 17.8 where 17.7 and 18.1 are known. A variant of a release (`18.6-debian`) is
/// newer only where the newest known one is of the same variant.
pub fn newer(known: &[String], offered: &[String], maintenance: bool) -> Vec<Newer> {
    let mut before: Vec<Number<'_>> = known.iter().map(|version| Number::of(version)).collect();
    before.sort();
    let Some(newest) = before.last().copied() else { return Vec::new() };
    let mut found: Vec<Number<'_>> = offered.iter().map(|version| Number::of(version)).collect();
    found.sort();
    found.dedup();
    found.retain(|one| one.is_number() && one.variant == newest.variant && !before.contains(one));
    let continues = |one: &Number<'_>| {
        let below = before.iter().rfind(|other| *other < one);
        *one > newest || (maintenance && below.is_some_and(|below| below.series() == one.series()))
    };
    found.retain(continues);
    let mut all = [before.clone(), found.clone()].concat();
    all.retain(|one| one.variant == newest.variant);
    all.sort();
    let after = |one: Number<'_>| {
        let below = all.iter().rfind(|other| **other < one)?;
        Some(Newer { version: one.text.to_owned(), after: below.text.to_owned() })
    };
    found.into_iter().filter_map(after).collect()
}

/// The newest of several releases.
pub fn newest(versions: &[String]) -> Option<&String> {
    versions.iter().max_by_key(|version| Number::of(version))
}

/// A version as people order them: `9.6.24`, `19rc1` before `19.0`, `18.6-debian`.
#[derive(Clone, Copy, Debug)]
struct Number<'a> {
    text: &'a str,
    /// Digits and dots.
    numbers: &'a str,
    /// What follows them without a dash: `rc1` of a release that is not finished.
    stage: &'a str,
    /// What follows a dash: another build of the same release.
    variant: &'a str,
}

impl<'a> Number<'a> {
    fn of(text: &'a str) -> Self {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (numbers, rest) = text.split_at(end);
        let (stage, variant) = rest.split_once('-').unwrap_or((rest, ""));
        Self { text, numbers, stage, variant }
    }

    fn is_number(&self) -> bool {
        self.numbers.starts_with(|c: char| c.is_ascii_digit())
    }

    fn parts(&self) -> Vec<u64> {
        self.numbers.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    }

    /// All numbers but the last: `8.0` of 8.0.33.
    fn series(&self) -> Vec<u64> {
        let mut parts = self.parts();
        parts.pop();
        parts
    }

    /// A release follows its candidates, and those follow each other by name.
    fn key(&self) -> (Vec<u64>, bool, &'a str, &'a str) {
        (self.parts(), self.stage.is_empty(), self.stage, self.variant)
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number<'_> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(known: &str, offered: &str, maintenance: bool) -> String {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = newer(&list(known), &list(offered), maintenance);
        let told: Vec<String> =
            found.iter().map(|one| format!("{} after {}", one.version, one.after)).collect();
        told.join(", ")
    }

    #[test]
    fn only_what_is_newer_than_all_counts() {
        assert_eq!(
            told("16.11 17.7", "16.10 16.11 16.12 17.7 17.10 17.8", false),
            "17.8 after 17.7, 17.10 after 17.8"
        );
        assert_eq!(
            told("17.7 16.11", "18.0 19rc1 19.0", false),
            "18.0 after 17.7, 19rc1 after 18.0, 19.0 after 19rc1"
        );
        assert_eq!(told("9.9.3", "9.10.0 9.9.3", false), "9.10.0 after 9.9.3");
        assert_eq!(told("3.0", "1.0 3.0", false), "");
    }

    #[test]
    fn maintenance_of_older_series_counts_on_request() {
        assert_eq!(told("16.11 18.1", "15.2 16.12 17.3 18.1", true), "16.12 after 16.11");
        assert_eq!(
            told("8.0.33 8.4.1", "8.0.34 8.1.0 8.4.2", true),
            "8.0.34 after 8.0.33, 8.4.2 after 8.4.1"
        );
    }

    #[test]
    fn another_build_of_a_release_is_not_newer() {
        assert_eq!(told("18.1", "18.1 18.6 18.6-debian", false), "18.6 after 18.1");
        assert_eq!(told("18.5-debian", "18.6 18.6-debian", false), "18.6-debian after 18.5-debian");
        assert_eq!(told("18.1", "latest -x 18.2", false), "18.2 after 18.1");
    }

    proptest! {
        #[test]
        fn each_is_newer_than_its_predecessor_and_none_is_known(
            known in prop::collection::vec("[0-9]{1,2}\\.[0-9]{1,2}", 1..5),
            offered in prop::collection::vec("[0-9]{1,2}(\\.[0-9]{1,2}|rc[1-3]|\\.[0-9]-deb)", 0..12),
            maintenance: bool,
        ) {
            let found = newer(&known, &offered, maintenance);
            for one in &found {
                prop_assert!(Number::of(&one.after) < Number::of(&one.version));
                prop_assert!(offered.contains(&one.version) && !known.contains(&one.version));
            }
            let more: Vec<String> = known.iter().cloned().chain(found.iter().map(|one| one.version.clone())).collect();
            prop_assert!(newer(&more, &offered, maintenance).is_empty(), "once known, nothing is newer");
        }
    }
}
