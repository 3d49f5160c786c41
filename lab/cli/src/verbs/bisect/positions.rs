//! What a bisect goes over: the releases of a catalogue, or the commits of a repository. All else takes a list of
//! positions and does not know where it comes from.

use std::path::Path;

use humdrum_contract::Engine;
use humdrum_model::{BisectPosition, Fault, Place, Subject};
use humdrum_plan::parse_subject;
use humdrum_provision::commits::{Commit, commits};

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
        [path, good, bad] if options.run.is_some() => {
            let path = Path::new(path);
            of_commits(options, path, good, bad, |commit| commit.to_owned())
        }
        _ if options.run.is_some() => Err(Fault::usage("--run needs a repository and two revisions")
            .hint("humdrum bisect ../repo GOOD BAD --run COMMAND")),
        [good, bad] => releases(lab, options, &parse_subject(good)?, &parse_subject(bad)?),
        [source, good, bad] => of_repository(options, &parse_subject(source)?, good, bad),
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
    source: &Subject,
    good: &str,
    bad: &str,
) -> Result<Vec<BisectPosition>, Fault> {
    let Place::Source { path, revision: None } = &source.place else {
        return Err(Fault::usage(format!("{source} is no repository"))
            .hint("type ENGINE@src:PATH GOOD BAD, with the revisions after it"));
    };
    of_commits(options, path, good, bad, |commit| {
        let place = Place::Source { path: path.clone(), revision: Some(commit.to_owned()) };
        Subject { place, ..source.clone() }.to_string()
    })
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
    let position = |commit: Commit| BisectPosition {
        name: commit.id[..ID_CHARS].to_owned(),
        subject: subject(&commit.id),
        weight: weight(&commit),
        about: commit.about,
    };
    Ok(found.into_iter().map(position).collect())
}
