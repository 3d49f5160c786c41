//! `--builds N`: several builds of each subject from the same sources, one for each run.

use humdrum_contract::{Engine, Outcome};
use humdrum_model::{BUILDS_MAX, Builds, Fault, LAYOUT, Setting, Subject};

use crate::request::Request;

/// One build shows no spread.
const BUILDS: std::ops::RangeInclusive<u32> = 2..=BUILDS_MAX;

/// The builds of the first run.
///
/// # Errors
/// Usage: too few or too many, or a subject that is not built here in several layouts.
pub(crate) fn builds(
    request: &Request,
    subjects: &[Subject],
    engines: &[Box<dyn Engine>],
) -> Outcome<Option<Builds>> {
    let Some(of) = request.builds else { return Ok(None) };
    if !BUILDS.contains(&of) {
        return Err(Fault::usage(format!("{of} builds of each subject"))
            .at("--builds")
            .hint("give 2 to 64; without the option there is one"));
    }
    for subject in subjects {
        let engine = engines.iter().find(|engine| engine.name() == subject.engine);
        let place = |what: String| Fault::usage(what).at(subject.label.clone());
        if !engine.is_some_and(|engine| engine.has_layouts(subject)) {
            return Err(place(format!("{subject} is not built here from sources in several layouts")).hint(
                "name sources (postgres@src:PATH#REVISION), add --from source, or leave --builds out",
            ));
        }
        let is_layout = |one: &Setting| matches!(one, Setting::Value { key, .. } if key == LAYOUT);
        if subject.settings.iter().any(is_layout) {
            return Err(place(format!("{subject} has a layout of its own, and --builds gives it several"))
                .hint("leave out one of the two"));
        }
    }
    Ok(Some(Builds { of, number: 1 }))
}
