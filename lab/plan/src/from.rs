//! Where a subject's build comes from. With `--from source`, releases are built on this host instead of fetched as their
//! makers built them. A plan has names that mean the same later.

use humdrum_contract::{Dirs, Engine, Outcome};
use humdrum_model::{Fault, Place, Subject};

/// The subject with its release to be built from sources, if `from` asks for that. Folders, sources and running servers
/// stay what they are.
///
/// # Errors
/// Usage: `from` is something else, or the engine is not built here.
pub fn from(mut subject: Subject, from: Option<&str>, engine: &dyn Engine) -> Outcome<Subject> {
    match from {
        None => return Ok(subject),
        Some("source") => {}
        Some(other) => {
            return Err(Fault::usage(format!("builds do not come from `{other}`"))
                .hint("type --from source, or leave it out to take releases as their makers built them"));
        }
    }
    if let Place::Version(release) = &subject.place {
        subject.place = engine.sources_of(release).ok_or_else(|| {
            let name = engine.name();
            Fault::usage(format!("{name} cannot be built from sources here"))
                .hint(format!("leave --from source out, or name a build of yours: {name}@/folder"))
                .at(subject.label.clone())
        })?;
    }
    Ok(subject)
}

/// The subject, checked by its engine, with a release or commit in place of what was typed for it.
///
/// # Errors
/// As the engine's `check`.
pub(crate) fn pinned(mut subject: Subject, engine: &dyn Engine, dirs: &Dirs) -> Outcome<Subject> {
    let asked = subject.for_engine();
    let release = engine.check(&asked, dirs).map_err(|fault| fault.at(subject.label.clone()))?;
    match engine.pinned(&asked, dirs)? {
        Some(place) => subject.place = place,
        None if matches!(subject.place, Place::Version(_)) => subject.place = Place::Version(release),
        None => {}
    }
    Ok(subject)
}
