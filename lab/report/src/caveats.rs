//! What is part of the figures beside the servers: round trips to servers that ran already, the luck of a single build, and what the
//! last selftest of this host found.

use humdrum_model::{LAYOUT, Place, Results, Setting, Subject, Summary};

use crate::links;
use crate::number::percent;
use crate::selftest;

/// What one link of one source adds to the time of an operation, as a standard deviation over tests: under "Luck of a build" in
/// `docs/host-effects.md`.
const LUCK: f64 = 0.0076;

/// A sentence for each.
pub(crate) fn lines(summary: &Summary, results: &Results) -> Vec<String> {
    let lines = links::lines(results).into_iter().chain(one_build(results));
    lines.chain(selftest::lines(summary, results)).collect()
}

/// A sentence where subjects were compiled here, and each only once: intervals do not cover where a link has put the code.
fn one_build(results: &Results) -> Option<String> {
    let plan = &results.plan;
    let compiled = |subject: &&Subject| matches!(subject.place, Place::Source { .. });
    let has_layout =
        |one: &Setting| matches!(one, Setting::Value { key, value } if key == LAYOUT && value != "0");
    let all = plan.subjects.iter().all(|subject| compiled(&subject));
    let chosen = plan.subjects.iter().any(|subject| subject.settings.iter().any(has_layout));
    (all && !chosen && plan.builds.is_none()).then(|| {
        format!(
            "each subject is one build of its sources: the luck of a link, some {} in a test (standard deviation), is part of \
             these ratios, and no interval covers it; --builds 8 does, where an engine's builds have layouts",
            percent(LUCK)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn one_build_of_a_source_is_told_and_several_are_not() {
        let (_, mut results, ..) = fixture::run();
        assert_eq!(one_build(&results), None, "releases");
        for subject in &mut results.plan.subjects {
            subject.place = Place::Source { path: "/src".into(), revision: Some("a1".into()) };
        }
        assert!(one_build(&results).is_some_and(|line| line.contains("the luck of a link, some 0.")));
        results.plan.subjects[1].settings = vec![Setting::Value { key: LAYOUT.into(), value: "7".into() }];
        assert_eq!(one_build(&results), None, "a layout of its own");
        results.plan.subjects[1].settings.clear();
        results.plan.builds = Some(humdrum_model::Builds { of: 8, number: 1 });
        assert_eq!(one_build(&results), None, "several");
    }
}
