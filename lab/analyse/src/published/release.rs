//! Releases by their numbers.

use humdrum_model::{Place, Results, Subject};

/// The numbers of a release: `8.0.33` is [8, 0, 33]. What is no number ends them.
pub(super) fn numbers(release: &str) -> Vec<u32> {
    release.split('.').map_while(|part| part.parse().ok()).collect()
}

/// How many numbers releases have, by the one that has most: three of `5.6.51` and `8.0..9.5`. A table may name a series (`9.7`) where
/// others are whole releases, which are of one engine and so show what is left out.
pub(super) fn depth<'t>(releases: impl IntoIterator<Item = &'t String>) -> usize {
    let single = |text: &'t String| text.split(';').flat_map(|one| one.split(".."));
    releases.into_iter().flat_map(single).map(|one| numbers(one.trim()).len()).max().unwrap_or(0)
}

/// Whether two releases are the same, or differ only in the last number of a release with that many numbers.
pub(super) fn is_same_series(depth: usize, one: &str, other: &str) -> bool {
    let (own, others) = (numbers(one), numbers(other));
    let series = depth.max(own.len()).max(others.len()).saturating_sub(1);
    one == other
        || (series > 0 && own.len() >= series && others.len() >= series && own[..series] == others[..series])
}

/// Whether a claim about `claimed` is about a release: `8.0.45`, `10.x`, all of `8.0..9.5`, or either of `5.7; 8.0`. Words beside
/// a release (`8.0.35 perf schema on`) are a configuration, which no release alone has.
pub(super) fn covers(depth: usize, claimed: &str, release: &str) -> bool {
    claimed.split(';').map(str::trim).any(|one| {
        if one.contains(char::is_whitespace) {
            return false;
        }
        let (is_from, is_until) = (
            |first| numbers(release) >= numbers(first) || is_of_series(depth, first, release),
            |last| numbers(release) <= numbers(last) || is_of_series(depth, last, release),
        );
        match one.split_once("..") {
            Some((first, last)) => is_from(first) && is_until(last),
            None => is_of_series(depth, one, release),
        }
    })
}

/// Of `17.x` all of 17.
fn is_of_series(depth: usize, claimed: &str, release: &str) -> bool {
    match claimed.strip_suffix(".x") {
        Some(series) => {
            let (series, own) = (numbers(series), numbers(release));
            !series.is_empty() && own.starts_with(&series)
        }
        None => is_same_series(depth, claimed, release),
    }
}

/// Whether a release is the one that a plan names: `9.7.4` is what `9.7` was when it was measured.
pub(super) fn is_planned(planned: &str, release: &str) -> bool {
    let series = numbers(planned);
    let is_numbers = !series.is_empty() && series.len() == planned.split('.').count();
    planned == release || (is_numbers && numbers(release).starts_with(&series))
}

/// The settings of a subject, as labels have them.
pub(super) fn typed_settings(subject: &Subject) -> String {
    subject.settings.iter().map(|setting| format!("+{setting}")).collect()
}

/// The engine, the release and the settings of a label as subjects are typed: `mysql@8.0.33+gtid`.
pub(super) fn parts(label: &str) -> Option<(&str, &str, &str)> {
    let (engine, rest) = label.split_once('@')?;
    let end = rest.find('+').unwrap_or(rest.len());
    let (release, settings) = rest.split_at(end);
    (!numbers(release).is_empty()).then_some((engine, release, settings))
}

/// Follows the settings of a build that its makers did not hand out.
const BUILT: &str = " (own build)";

/// What a label of a run stands for.
pub(super) struct Told {
    engine: String,
    release: String,
    settings: String,
}

impl Told {
    pub(super) fn parts(&self) -> (&str, &str, &str) {
        (&self.engine, &self.release, &self.settings)
    }
}

/// The release that a label of a run stands for; `None` for a server that was running, and where no number is known.
pub(super) fn told(results: &Results, label: &str) -> Option<Told> {
    let Some(place) = results.plan.subjects.iter().position(|subject| subject.label == label) else {
        let (engine, release, settings) = parts(label)?;
        return Some(Told { engine: engine.into(), release: release.into(), settings: settings.into() });
    };
    let subject = &results.plan.subjects[place];
    let release = match &subject.place {
        Place::Version(version) => version.clone(),
        Place::Source { .. } | Place::Folder(_) => results.subjects.get(place)?.version.clone(),
        Place::External(_) => return None,
    };
    // A build of the user's may have more than the release that it tells: it stands behind the makers', and is named.
    let built = if matches!(subject.place, Place::Version(_)) { "" } else { BUILT };
    let settings = typed_settings(subject) + built;
    (!numbers(&release).is_empty()).then(|| Told { engine: subject.engine.clone(), release, settings })
}

/// Two releases of one engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'l> {
    pub(super) engine: &'l str,
    pub(super) base: &'l str,
    pub(super) subject: &'l str,
    /// The subject's settings, or the base's where it has none.
    pub(super) settings: &'l str,
}

/// The releases that two labels name; none where one names no release, or the engines differ.
pub(super) fn pair<'l>(base: &'l str, subject: &'l str) -> Option<Pair<'l>> {
    pair_of(parts(base)?, parts(subject)?)
}

/// The same of labels whose parts are known: engine, release, settings.
pub(super) fn pair_of<'l>(
    base: (&'l str, &'l str, &'l str),
    subject: (&'l str, &'l str, &'l str),
) -> Option<Pair<'l>> {
    let ((engine, base, base_settings), (subject_engine, subject, settings)) = (base, subject);
    let settings = if settings.is_empty() { base_settings } else { settings };
    (engine == subject_engine).then_some(Pair { engine, base, subject, settings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_a_series_differ_in_their_last_number_alone() {
        for (depth, one, other, same) in [
            (3, "8.0.33", "8.0.45", true),
            (3, "8.0.33", "8.4.8", false),
            (3, "9.7", "9.7.0", true),
            (3, "9.7", "9.5", false),
            (3, "8", "8.0.45", false),
            (2, "17.7", "17.0", true),
            (2, "17", "17.0", true),
            (2, "17.7", "18.1", false),
            (2, "late 17.x", "17.0", false),
            (1, "9", "9", true),
            (1, "9", "8", false),
        ] {
            assert_eq!(is_same_series(depth, one, other), same, "{one} and {other} of {depth} numbers");
        }
        let releases = ["5.6.51", "8.0..9.5"].map(str::to_owned);
        assert_eq!((depth(&releases), depth(&releases[1..]), depth(&[])), (3, 2, 0));
    }

    #[test]
    fn a_claim_is_about_a_release_a_series_or_a_range() {
        for (depth, claimed, release, covered) in [
            (3, "8.0.45", "8.0.33", true),
            (3, "10.x", "10.6.2", true),
            (3, "10.x", "9.8.4", false),
            (3, "8.0..9.5", "8.4.8", true),
            (3, "8.0..9.5", "9.5", true),
            (3, "8.0..9.5", "9.7.2", false),
            (3, "8.0..9.5", "9.7", false),
            (3, "8.0..9.5", "5.7.22", false),
            (3, "5.7.44..9.5", "5.7.22", true),
            (3, "9.8..9.10", "9.11.2", false),
            (2, "12.22..18.1", "18.3", true),
            (2, "13.x..18.2", "13.23", true),
            (3, "5.7; 8.0", "8.0.33", true),
            (3, "5.7.44; 8.0.44", "8.0.33", true),
            (2, "18.2 full-page writes off", "18.2", false),
        ] {
            assert_eq!(covers(depth, claimed, release), covered, "{claimed} and {release}");
        }
    }

    #[test]
    fn a_label_stands_for_what_was_typed_or_for_what_the_server_told() {
        let mut results = crate::testkit::Bench::new(&["scan"], 3, 1, 1).results;
        let places = [
            Place::Version("8.0.33".into()),
            Place::Source { path: "/src".into(), revision: None },
            Place::External("mysql://somewhere".into()),
        ];
        for (subject, place) in results.plan.subjects.iter_mut().zip(places) {
            subject.place = place;
        }
        let labels: Vec<String> = results.plan.subjects.iter().map(|one| one.label.clone()).collect();
        results.plan.subjects[0].settings = vec![humdrum_model::Setting::Named("gtid".into())];
        results.subjects[1].version = "9.7.2".into();
        let told = |label: &str| told(&results, label).map(|told| [told.engine, told.release, told.settings]);
        let own = |release: &str, settings: &str| Some(["fake", release, settings].map(str::to_owned));
        let found: Vec<_> = labels.iter().map(|label| told(label)).collect();
        assert_eq!(found, [own("8.0.33", "+gtid"), own("9.7.2", " (own build)"), None]);
        assert_eq!(told("fake@1.5"), own("1.5", ""), "of a table of another run");
    }

    #[test]
    fn labels_have_parts() {
        assert_eq!(parts("mysql@8.0.33+gtid+x"), Some(("mysql", "8.0.33", "+gtid+x")));
        assert_eq!(parts("postgres@17.7"), Some(("postgres", "17.7", "")));
        assert_eq!((parts("new"), parts("postgres@/opt/pg")), (None, None));
    }
}
