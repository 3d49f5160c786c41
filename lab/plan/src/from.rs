//! Where a subject's build comes from. With `--from source`, releases are built on this host instead of fetched as their
//! makers built them. A plan has names that mean the same later.

use std::path::Path;

use humdrum_contract::{Dirs, Engine, Outcome};
use humdrum_model::{Fault, Place, Setting, Subject};

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

/// The subject with these changes of its sources behind its own, if it is built from sources.
pub(crate) fn patched(mut subject: Subject, files: &[String]) -> Outcome<Subject> {
    if matches!(subject.place, Place::Source { .. }) {
        for file in files {
            subject.settings.push(patch(Path::new(file))?);
        }
    }
    Ok(subject)
}

/// A file that changes sources, as the setting of a build.
///
/// # Errors
/// Usage: a path that cannot be made whole.
pub fn patch(file: &Path) -> Outcome<Setting> {
    let path = std::path::absolute(file)
        .map_err(|error| Fault::usage(format!("cannot use the patch {}: {error}", file.display())))?;
    Ok(Setting::Value { key: "patch".into(), value: path.display().to_string() })
}

/// Refuses changes of sources where no subject has any.
pub(crate) fn refuse_patches(files: &[String], subjects: &[Subject]) -> Outcome<()> {
    if files.is_empty() || subjects.iter().any(|subject| matches!(subject.place, Place::Source { .. })) {
        return Ok(());
    }
    Err(Fault::usage("--patch changes sources, and no subject is built from any")
        .hint("add --from source, or name sources: ENGINE@src:PATH#REVISION"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_subject;

    #[test]
    fn patches_are_for_all_subjects_that_are_built_and_come_behind_their_own() {
        let files = ["/p/a.patch".to_owned(), "b.patch".to_owned()];
        let built =
            patched(parse_subject("x=it@src:/it#main+patch=/p/own.patch").expect("a subject"), &files);
        let built = built.expect("patched");
        let of =
            |subject: &Subject| -> Vec<String> { subject.settings.iter().map(ToString::to_string).collect() };
        let here = std::path::absolute("b.patch").expect("a path").display().to_string();
        assert_eq!(of(&built), ["patch=/p/own.patch", "patch=/p/a.patch", &format!("patch={here}")]);
        assert_eq!(built.label, "x");
        let release = patched(parse_subject("it@1.2").expect("a subject"), &files).expect("as it is");
        assert!(release.settings.is_empty());
        refuse_patches(&files, &[release.clone(), built]).expect("one of them is built");
        refuse_patches(&[], std::slice::from_ref(&release)).expect("nothing to patch by");
        let fault = refuse_patches(&files, &[release]).expect_err("none is built");
        assert!(fault.exit_code() == 2 && fault.hint.is_some_and(|hint| hint.contains("--from source")));
    }
}
