//! What is part of the figures beside the servers: round trips to servers that ran already, the luck of a single build, a compiler that was
//! asked for small programs, and what the last selftest of this host found.

use humdrum_model::{LAYOUT, Place, Results, Setting, Subject, SubjectFacts, Summary};

use crate::links;
use crate::number::percent;
use crate::selftest;
use crate::text::clean;

/// What one link of one source adds to the time of an operation, as a standard deviation over tests, measured on Postgres: under
/// "Luck of a build" in `docs/host-effects.md`.
const LUCK: f64 = 0.0076;

/// Of builds that were made elsewhere.
const MAKERS: &str = "the makers' builds have a luck of their own, and perhaps another compiler";

/// Setting of a build that keeps jumps from 32-byte boundaries.
const ALIGN: &str = "align_branches";

/// Processors on which that matters (Intel's erratum of jumps), by words of their generations' names.
const SLOW_JUMPS: [&str; 4] = ["Skylake", "Kaby Lake", "Cascade Lake", "Comet Lake"];

/// A sentence for each.
pub(crate) fn lines(summary: &Summary, results: &Results) -> Vec<String> {
    let lines = links::lines(results).into_iter().chain(one_build(results)).chain(for_size(results));
    lines.chain(selftest::lines(summary, results)).collect()
}

/// A sentence where subjects are builds of the user's own, and each only one: intervals do not cover where a link has put the code.
fn one_build(results: &Results) -> Option<String> {
    let plan = &results.plan;
    let has_layout =
        |one: &Setting| matches!(one, Setting::Value { key, value } if key == LAYOUT && value != "0");
    if plan.builds.is_some() || plan.subjects.iter().any(|one| one.settings.iter().any(has_layout)) {
        return None;
    }
    let compiled = |subject: &&Subject| matches!(subject.place, Place::Source { .. } | Place::Folder(_));
    let ours: Vec<String> = plan.subjects.iter().filter(compiled).map(|one| clean(&one.label)).collect();
    let all = ours.len() == plan.subjects.len();
    let (who, more) = match ours.len() {
        0 => return None,
        _ if all => (
            "each subject is one build".to_owned(),
            "--builds 8 covers it, where builds from sources have layouts",
        ),
        1 => (format!("{} is one build", ours[0]), MAKERS),
        _ => (format!("{} are one build each", ours.join(", ")), MAKERS),
    };
    Some(format!(
        "{who}: the luck of a link is part of these ratios, and no interval covers it; where it was measured it is some {} of a test \
         (standard deviation; \"Luck of a build\" in docs/host-effects.md){}; {more}",
        percent(LUCK),
        slow_jumps(results)
    ))
}

/// A sentence where builds are compiled for size. What that costs differs between tests and releases.
fn for_size(results: &Results) -> Option<String> {
    let is_small = |facts: &SubjectFacts| {
        facts.build.iter().flat_map(|text| text.split([' ', ','])).any(|word| word == "-Os")
    };
    let pairs = results.plan.subjects.iter().zip(&results.subjects);
    let small: Vec<String> =
        pairs.filter(|(_, facts)| is_small(facts)).map(|(one, _)| clean(&one.label)).collect();
    let who = match small.len() {
        0 => return None,
        all if all == results.plan.subjects.len() => "all builds are".to_owned(),
        1 => format!("{} is", small[0]),
        _ => format!("{} are", small.join(", ")),
    };
    Some(format!(
        "{who} compiled for size (-Os): tests are slower than with -O2, in some releases by more than in others, so that ratios are others too \
         (\"How much the compiler is\" in docs/from-source.md); --from source compiles releases here, with -O2"
    ))
}

/// What more there is on a processor with slow jumps, unless all builds heed it.
fn slow_jumps(results: &Results) -> &'static str {
    let aligned = |subject: &Subject| {
        let is_on =
            |one: &Setting| matches!(one, Setting::Value { key, value } if key == ALIGN && value == "on");
        subject.settings.iter().any(is_on)
    };
    let generation = &results.host.processor.generation;
    if !SLOW_JUMPS.iter().any(|name| generation.contains(name)) || results.plan.subjects.iter().all(aligned) {
        return "";
    }
    ", but on this processor a jump across a 32-byte boundary can take a third of a test: +align_branches=on builds without such jumps"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn builds_for_size_are_told() {
        let (_, mut results, ..) = fixture::run();
        assert_eq!(for_size(&results), None, "-O2");
        results.subjects[1].build = vec!["GCC 7.5, -Os".into()];
        let label = clean(&results.plan.subjects[1].label);
        assert!(for_size(&results).expect("one").starts_with(&format!("{label} is compiled for size (-Os)")));
        results.subjects[0].build = vec!["flags -Os -fno-omit-frame-pointer".into()];
        assert!(for_size(&results).expect("both").starts_with("all builds are "));
    }

    #[test]
    fn one_build_of_a_source_is_told_and_several_are_not() {
        let (_, mut results, ..) = fixture::run();
        assert_eq!(one_build(&results), None, "releases");
        let source = Place::Source { path: "/src".into(), revision: Some("a1".into()) };
        results.plan.subjects[0].place = source.clone();
        let beside = one_build(&results).expect("one of them");
        let label = clean(&results.plan.subjects[0].label);
        assert!(beside.starts_with(&format!("{label} is one build: ")), "{beside}");
        assert!(beside.contains("the makers' builds") && !beside.contains("--builds 8"), "{beside}");
        results.plan.subjects.iter_mut().for_each(|subject| subject.place = source.clone());
        let all = one_build(&results).expect("all of them");
        assert!(all.starts_with("each subject is ") && all.contains("some 0.76 % of a test"), "{all}");
        assert!(all.contains("--builds 8 covers it"), "{all}");
        assert!(!all.contains(ALIGN), "{all}");
        results.host.processor.generation = "Cascade Lake".into();
        assert!(one_build(&results).expect("there").contains("+align_branches=on"));
        let align = Setting::Value { key: ALIGN.into(), value: "on".into() };
        results.plan.subjects.iter_mut().for_each(|subject| subject.settings = vec![align.clone()]);
        assert!(!one_build(&results).expect("there").contains(ALIGN));
        results.plan.subjects.iter_mut().for_each(|subject| subject.settings.clear());
        results.plan.subjects[0].place = Place::Folder("/opt/pg".into());
        assert!(one_build(&results).is_some(), "a folder is a build too");
        results.plan.subjects[1].settings = vec![Setting::Value { key: LAYOUT.into(), value: "7".into() }];
        assert_eq!(one_build(&results), None, "a layout of its own");
        results.plan.subjects[1].settings.clear();
        results.plan.builds = Some(humdrum_model::Builds { of: 8, number: 1 });
        assert_eq!(one_build(&results), None, "several");
    }
}
