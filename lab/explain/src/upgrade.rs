//! What an upgrade brings, from a comparison of the old release with the new one.

use humdrum_model::{
    Comparison, Event, Explanation, LoadFacts, Results, SettingOrigin, Summary, TestResult, TestStatus,
    Upgrade, UpgradeCost, UpgradeStatement,
};

use crate::settings::{rank, settings, worth_trying};

/// Most settings in the list.
const SETTINGS_MAX: usize = 12;

/// Reads an upgrade out of a comparison whose base is the old release; `explanations` are those of its tests.
pub fn upgrade(results: &Results, summary: &Summary, explanations: &[Explanation]) -> Upgrade {
    let Some(comparison) = summary.comparisons.first() else { return Upgrade::default() };
    let mix =
        |name: &str| results.plan.tests.iter().any(|test| test.name == name && !test.scripts.is_empty());
    let (mixes, others): (Vec<&TestResult>, Vec<&TestResult>) =
        comparison.tests.iter().partition(|test| mix(&test.test));
    let told = |test: &&TestResult| statement(test, &mixes, explanations);
    let writes = results.plan.tests.iter().any(|test| test.writes);
    let differ: Vec<_> =
        settings(results, 1).into_iter().filter(|one| one.origin == SettingOrigin::Default).collect();
    // What only one release has may matter as well, and cannot be put back.
    let mut alone: Vec<_> = differ.iter().filter(|one| one.base.is_none() || one.subject.is_none()).collect();
    alone.sort_by_key(|one| rank(&one.name, writes));
    let likely = worth_trying(&differ, writes).into_iter().chain(alone).take(SETTINGS_MAX).cloned().collect();
    Upgrade {
        tool: results.tool.clone(),
        from: summary.base.clone(),
        to: comparison.subject.clone(),
        statements: others.iter().map(told).collect(),
        mix: mixes.first().map(told),
        trouble: trouble(results, comparison),
        settings: likely,
        proven: explanations
            .iter()
            .find(|one| !one.carried.is_empty())
            .map(|one| (one.test.clone(), one.carried.clone())),
        costs: cost(&results.loads, 0).zip(cost(&results.loads, 1)).map(|(old, new)| [old, new]),
        ..Upgrade::default()
    }
}

fn statement(test: &TestResult, mixes: &[&TestResult], explanations: &[Explanation]) -> UpgradeStatement {
    let explained = explanations.iter().find(|one| one.test == test.test);
    let in_mix = mixes.iter().flat_map(|mix| &mix.scripts).find(|script| script.script == test.test);
    let cause = explained.filter(|_| crate::moved(test)).and_then(|one| one.causes.first());
    UpgradeStatement {
        test: test.test.clone(),
        status: test.status,
        verdict: test.verdict,
        rqps: test.rqps,
        ci95: test.ci95,
        share: in_mix.map(|script| script.base_time),
        plans: explained.map(|one| one.plans.clone()).unwrap_or_default(),
        cause: cause.map(|cause| cause.what.clone()),
    }
}

/// Events that are failures, each once; and tests that have no verdict because of one.
fn trouble(results: &Results, comparison: &Comparison) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut tell = |line: String| {
        if !told.contains(&line) {
            told.push(line);
        }
    };
    let label = |event: &Event| {
        let subject = results.plan.subjects.get(event.subject?)?;
        Some(subject.label.clone())
    };
    for event in results.events.iter().filter(|event| event.status != TestStatus::Ok) {
        let test = event.test.as_ref().map(|test| format!("{test}, ")).unwrap_or_default();
        let whose = label(event).map(|label| format!("{label}: ")).unwrap_or_default();
        tell(format!("{test}{whose}{}", event.what));
    }
    for test in comparison.tests.iter().filter(|test| test.status != TestStatus::Ok) {
        let known = results.events.iter().any(|event| event.test.as_ref() == Some(&test.test));
        if !known {
            tell(format!("{}: {}", test.test, test.status.word()));
        }
    }
    told
}

fn cost(loads: &[LoadFacts], subject: usize) -> Option<UpgradeCost> {
    // The first entry of a subject is a load; later ones may be checks of a copy, which takes no time of its own.
    let own: Vec<&LoadFacts> = loads.iter().filter(|load| load.subject == subject).collect();
    let first = own.first()?;
    Some(UpgradeCost { load_seconds: first.seconds, bytes: first.bytes })
}
