//! Releases that came out after the catalogue was written: what Debian's suites and the registry of artifacts hold now. They are not
//! pinned; their files are checked by the checksums that their origin publishes.
//!
//! What the registry offered is remembered in the cache, so that a subject can name it later without asking again.

use std::fs;
use std::path::PathBuf;

use humdrum_contract::{Dirs, Outcome, Progress, Release, Update};
use humdrum_model::{Fault, FaultKind};
use humdrum_provision::{debian, maven};

use crate::catalogue::{Catalogue, Entry, Maven, Source};
use crate::install;
use crate::profile::Profile;
use crate::version::Version;

/// The catalogue's releases and newer ones, oldest first within their origin.
///
/// # Errors
/// Environment: no origin could be asked; interrupted.
pub(crate) fn offered(profile: &Profile, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Vec<Release>> {
    let catalogue = &profile.catalogue;
    let mut all: Vec<Entry> = (catalogue.releases)().to_vec();
    let (mut reached, mut unreached) = (false, None);
    for answer in of_debian(profile, dirs, progress).into_iter().chain(of_maven(profile, dirs)) {
        match answer {
            Ok(entries) => {
                reached = true;
                let new =
                    entries.into_iter().filter(|one| !all.iter().any(|known| known.version == one.version));
                all.extend(new.collect::<Vec<_>>());
            }
            Err(fault) if fault.kind == FaultKind::Interrupted => return Err(fault),
            Err(fault) => {
                progress
                    .update(Update::Note(&format!("an origin of {} was not asked: {fault}", profile.name)));
                unreached = Some(fault);
            }
        }
    }
    match unreached.filter(|_| !reached) {
        Some(fault) => Err(fault),
        None => Ok(all.iter().map(|entry| install::release(profile, entry, dirs)).collect()),
    }
}

type Answer = Outcome<Vec<Entry>>;

/// One answer for each package of Debian's.
fn of_debian(profile: &Profile, dirs: &Dirs, progress: &dyn Progress) -> Vec<Answer> {
    let catalogue = &profile.catalogue;
    let ask = |entry: &Entry| -> Option<Answer> {
        let (suites, package) = entry.debian()?;
        let (_, suffix) = catalogue.makers_version(&entry.version);
        let answer = debian::current(suites, package, dirs, progress);
        // A release that Debian does not serve for this catalogue is no newer one.
        let newer = |version: Option<String>| {
            version.and_then(|version| catalogue.find(profile.name, &format!("{version}{suffix}")).ok())
        };
        Some(answer.map(|version| newer(version).into_iter().collect()))
    };
    (catalogue.releases)().iter().filter_map(ask).collect()
}

/// One answer for each artifact of the registry that is named after releases.
fn of_maven(profile: &Profile, dirs: &Dirs) -> Vec<Answer> {
    let mut found = Vec::new();
    let answers = templates(&profile.catalogue).into_iter().map(|template| -> Answer {
        let Some(Maven { coordinates, .. }) = template.maven() else { return Ok(Vec::new()) };
        let listed = maven::versions(coordinates, &dirs.interrupt)?;
        let entries: Vec<Entry> = listed.iter().filter_map(|listed| newer(&template, listed)).collect();
        found.extend(entries.iter().map(|entry| entry.version.clone()));
        Ok(entries)
    });
    let answers: Vec<Answer> = answers.collect();
    if let Err(fault) = remember(profile.name, &found, dirs) {
        return answers.into_iter().chain([Err(fault)]).collect();
    }
    answers
}

/// The newest release of each artifact whose versions tell the release: the same, or with `.0` after it.
fn templates(catalogue: &Catalogue) -> Vec<Entry> {
    let mut newest: Vec<Entry> = Vec::new();
    for entry in (catalogue.releases)() {
        let Some(Maven { coordinates, .. }) = entry.maven() else { continue };
        let same = |known: &Entry| {
            known.maven().is_some_and(|one| {
                (&one.coordinates.group, &one.coordinates.artifact)
                    == (&coordinates.group, &coordinates.artifact)
            })
        };
        newest.retain(|known| !same(known));
        newest.push(entry.clone());
    }
    newest.retain(|entry| ending(entry).is_some());
    newest
}

/// What an artifact's version has after the release's.
fn ending(entry: &Entry) -> Option<&str> {
    let rest = entry.maven()?.coordinates.version.strip_prefix(entry.version.as_str())?;
    matches!(rest, "" | ".0").then_some(rest)
}

/// A version of the registry as a release that is newer than the newest of its artifact.
fn newer(template: &Entry, listed: &str) -> Option<Entry> {
    let version = listed.strip_suffix(ending(template)?)?;
    let plain = !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    (plain && Version::of(version) > Version::of(&template.version)).then(|| named(template, version))?
}

/// The template's artifact of another version.
fn named(template: &Entry, version: &str) -> Option<Entry> {
    let mut artifact = template.maven()?.clone();
    artifact.coordinates.version = format!("{version}{}", ending(template)?);
    artifact.sha256 = None;
    Some(Entry { version: version.to_owned(), source: Source::Maven(artifact), build: template.build })
}

/// A release that the registry offered when it was last asked.
pub(crate) fn remembered(profile: &Profile, version: &str, dirs: &Dirs) -> Option<Entry> {
    let text = fs::read_to_string(file(profile.name, dirs)).ok()?;
    let is_listed = text.lines().any(|line| line == version);
    is_listed
        .then(|| templates(&profile.catalogue).iter().find_map(|one| newer(one, &listed(one, version)?)))?
}

fn listed(template: &Entry, version: &str) -> Option<String> {
    Some(format!("{version}{}", ending(template)?))
}

fn remember(engine: &str, versions: &[String], dirs: &Dirs) -> Outcome<()> {
    let path = file(engine, dirs);
    let known = fs::read_to_string(&path).unwrap_or_default();
    let mut all: Vec<&str> = known.lines().chain(versions.iter().map(String::as_str)).collect();
    all.sort_unstable();
    all.dedup();
    if all.is_empty() {
        return Ok(());
    }
    let cannot =
        |error: std::io::Error| Fault::environment(format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(dirs.cache.join("offered")).map_err(cannot)?;
    let fresh = path.with_extension("new");
    fs::write(&fresh, all.join("\n") + "\n").and_then(|()| fs::rename(&fresh, &path)).map_err(cannot)
}

fn file(engine: &str, dirs: &Dirs) -> PathBuf {
    dirs.cache.join("offered").join(engine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_catalogue;

    const TABLE: &str = "17.6\tmaven\t.txz\tg:server-linux:17.6.0\taa\tGCC\n17.7\tmaven\t.txz\tg:server-linux:17.7.0\tbb\tGCC\n\
        8.0.33\tmaven\tfiles\tg:dist:8.0.33.1:zip:linux\tcc\tGCC\n9.1\tmaven\tfiles\tg:other:9.1\tdd\tGCC\n";

    fn catalogue() -> Catalogue {
        fn releases() -> &'static [Entry] {
            static ALL: std::sync::LazyLock<Vec<Entry>> =
                std::sync::LazyLock::new(|| parse_catalogue(TABLE, |_| ""));
            &ALL
        }
        Catalogue {
            releases,
            origin: "",
            debian_suffix: "-debian",
            series: |version| vec![version.to_owned()],
            is_newer: |_, _| false,
            unknown: |_, _, _| String::new(),
        }
    }

    #[test]
    fn artifacts_that_are_named_after_releases_tell_newer_ones() {
        let templates = templates(&catalogue());
        let names: Vec<&str> = templates.iter().map(|entry| entry.version.as_str()).collect();
        assert_eq!(names, ["17.7", "9.1"], "the newest of each; 8.0.33.1 tells no release");
        let found: Vec<Entry> =
            ["17.5.0", "17.7.0", "17.8.0", "18.0.0", "18.1", "18.2.0-1", "19.0.0.rc1", ".0"]
                .iter()
                .filter_map(|listed| newer(&templates[0], listed))
                .collect();
        let names: Vec<&str> = found.iter().map(|entry| entry.version.as_str()).collect();
        assert_eq!(names, ["17.8", "18.0"]);
        let artifact = found[0].maven().expect("an artifact");
        assert_eq!((artifact.coordinates.version.as_str(), artifact.sha256), ("17.8.0", None));
        assert!(!found[0].pinned());
        assert_eq!(newer(&templates[1], "9.2").map(|entry| entry.version), Some("9.2".to_owned()));
    }
}
