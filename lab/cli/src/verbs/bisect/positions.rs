//! What a bisect goes over: the releases of a catalogue, or the commits of a repository. All else takes a list of
//! positions and does not know where it comes from.

use std::path::{Path, PathBuf};

use humdrum_contract::Engine;
use humdrum_model::{Bisect, BisectBranch, BisectPosition, Fault, Place, Subject};
use humdrum_plan::parse_subject;
use humdrum_provision::commits::{Commit, check_top, commits};

use crate::args::{BisectOptions, Prior};
use crate::lab::Lab;

/// Characters of a commit's id that people read.
const ID_CHARS: usize = 10;

/// The positions, the good end first.
///
/// # Errors
/// Usage, for ends that do not belong together.
pub fn positions(lab: &Lab, options: &BisectOptions) -> Result<Vec<BisectPosition>, Fault> {
    match &options.subjects[..] {
        [typed, good, bad] if options.run.is_some() => {
            let path = Path::new(typed);
            check_top(path, typed, |top| top.display().to_string())?;
            of_commits(options, path, good, bad, |commit| commit.to_owned())
        }
        _ if options.run.is_some() => Err(Fault::usage("--run needs a repository and two revisions")
            .hint("humdrum bisect ../repo GOOD BAD --run COMMAND")),
        [good, bad] => releases(lab, options, &parse_subject(good)?, &parse_subject(bad)?),
        [source, good, bad] => of_repository(options, source, good, bad),
        _ => Err(Fault::usage("a bisect has a good end and a bad one")),
    }
}

fn releases(
    lab: &Lab,
    options: &BisectOptions,
    good: &Subject,
    bad: &Subject,
) -> Result<Vec<BisectPosition>, Fault> {
    only_for_commits(options)?;
    if good.engine != bad.engine || good.settings != bad.settings {
        return Err(Fault::usage(format!("{good} and {bad} differ in more than the release"))
            .hint("give both ends the same engine and the same settings"));
    }
    let engine = lab.catalogue.engine(good)?;
    let versions: Vec<String> = engine.releases(&lab.dirs).into_iter().map(|one| one.version).collect();
    let [first, last] = [place(lab, engine, good, &versions)?, place(lab, engine, bad, &versions)?];
    if first >= last {
        return Err(Fault::usage(format!("{bad} is not after {good} in the catalogue"))
            .hint(format!("name the older one first; `humdrum versions {}` lists them", good.engine)));
    }
    let position = |version: &String| BisectPosition {
        name: version.clone(),
        subject: Subject { place: Place::Version(version.clone()), ..good.clone() }.to_string(),
        about: String::new(),
        weight: 1.0,
    };
    Ok(versions[first..=last].iter().map(position).collect())
}

fn only_for_commits(options: &BisectOptions) -> Result<(), Fault> {
    if options.path.is_none() && options.prior == Prior::Uniform && !options.first_parent {
        return Ok(());
    }
    Err(Fault::usage("--path, --first-parent and --prior lines are for the commits of a repository")
        .hint("leave them out, or name a repository: ENGINE@src:PATH GOOD BAD"))
}

/// Where in the catalogue a release is.
fn place(lab: &Lab, engine: &dyn Engine, subject: &Subject, versions: &[String]) -> Result<usize, Fault> {
    if !matches!(subject.place, Place::Version(_)) {
        return Err(Fault::usage(format!("{subject} is no release of the catalogue"))
            .hint("name two releases, or a repository and two revisions: ENGINE@src:PATH GOOD BAD"));
    }
    let exact = engine.check(&subject.for_engine(), &lab.dirs)?;
    versions.iter().position(|version| *version == exact).ok_or_else(|| {
        Fault::usage(format!("{subject} is not in the catalogue"))
            .hint(format!("`humdrum versions {}` lists what is", subject.engine))
    })
}

fn of_repository(
    options: &BisectOptions,
    typed: &str,
    good: &str,
    bad: &str,
) -> Result<Vec<BisectPosition>, Fault> {
    let source = parse_subject(typed)?;
    let Place::Source { path, revision: None } = &source.place else {
        return Err(Fault::usage(format!("{source} is no repository"))
            .hint("type ENGINE@src:PATH GOOD BAD, with the revisions after it"));
    };
    check_top(path, typed, |top| built_from(&source, top, None))?;
    of_commits(options, path, good, bad, |commit| built_from(&source, path, Some(commit)))
}

/// A subject as typed, built from a commit of a repository.
fn built_from(subject: &Subject, repository: &Path, commit: Option<&str>) -> String {
    let place = Place::Source { path: repository.to_owned(), revision: commit.map(str::to_owned) };
    Subject { place, ..subject.clone() }.to_string()
}

/// The repository and the commit of a position; `None` of a release.
pub fn commit_of(bisect: &Bisect, position: usize) -> Option<(PathBuf, String)> {
    let subject = &bisect.positions[position].subject;
    if let Some(script) = &bisect.script {
        return Some((script.repository.clone(), subject.clone()));
    }
    match parse_subject(subject).ok()?.place {
        Place::Source { path, revision: Some(commit) } => Some((path, commit)),
        _ => None,
    }
}

/// The commits of a branch that a position merged, after the one that it began at. All are equally probable. `None` where the
/// repository has them no more.
pub fn of_branch(bisect: &Bisect, merge: usize, branch: &BisectBranch) -> Option<Vec<BisectPosition>> {
    let (repository, _) = commit_of(bisect, merge)?;
    let found = commits(&repository, &branch.good, &branch.bad, bisect.path.as_deref()).ok()?;
    let built = match bisect.script {
        Some(_) => None,
        None => Some(parse_subject(&bisect.positions[merge].subject).ok()?),
    };
    let subject = |commit: &str| match &built {
        Some(built) => built_from(built, &repository, Some(commit)),
        None => commit.to_owned(),
    };
    Some(found.into_iter().map(|commit| position(commit, subject, 1.0)).collect())
}

fn of_commits(
    options: &BisectOptions,
    path: &Path,
    good: &str,
    bad: &str,
    subject: impl Fn(&str) -> String,
) -> Result<Vec<BisectPosition>, Fault> {
    let found = commits(path, good, bad, options.path.as_deref())?;
    let weight = |commit: &Commit| match options.prior {
        Prior::Uniform => 1.0,
        // A change of a thousand lines is more probable than one of ten, but not a hundred times.
        Prior::Lines => (1.0 + commit.lines as f64).sqrt(),
    };
    let weighted = |commit: Commit| {
        let weight = weight(&commit);
        position(commit, &subject, weight)
    };
    Ok(found.into_iter().map(weighted).collect())
}

fn position(commit: Commit, subject: impl Fn(&str) -> String, weight: f64) -> BisectPosition {
    BisectPosition {
        name: commit.id[..ID_CHARS].to_owned(),
        subject: subject(&commit.id),
        about: commit.about,
        weight,
    }
}
