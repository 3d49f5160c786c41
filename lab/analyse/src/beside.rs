//! Several runs side by side: what differs between them is the condition. Runs that answer different questions are refused.

use std::collections::BTreeSet;

use humdrum_model::{Dimension, Fault, Plan, Results, Subject, delay_text, memory_text};

/// A name for each run's condition: what it has of its own in scale, memory limit, mode and configuration, or when it began
/// if that is all. Runs of several processor generations stand side by side only if `pool_generations`.
///
/// # Errors
/// Usage: other suites, engines, releases or processor generations.
pub fn conditions(runs: &[Results], pool_generations: bool) -> Result<Vec<String>, Fault> {
    let Some((first, others)) = runs.split_first() else { return Ok(Vec::new()) };
    others.iter().try_for_each(|other| alike(first, other, pool_generations))?;
    let facets: Vec<Vec<(&str, String)>> = runs.iter().map(facets).collect();
    let differs = |at: usize| facets.iter().any(|one| one[at].1 != facets[0][at].1);
    let differing: Vec<usize> = (0..facets[0].len()).filter(|at| differs(*at)).collect();
    let name = |one: &Vec<(&str, String)>| {
        let parts: Vec<String> = differing.iter().map(|at| told(&one[*at])).collect();
        parts.join(", ")
    };
    let names: Vec<String> = facets.iter().map(name).collect();
    let shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let dated = |(name, run): (&String, &Results)| match shared(name) {
        true if name.is_empty() => run.started.clone(),
        true => format!("{name}, {}", run.started),
        false => name.clone(),
    };
    let names: Vec<String> = names.iter().zip(runs).map(dated).collect();
    if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        return Err(
            Fault::usage("two of these results are of the same run").hint("name each results folder once")
        );
    }
    Ok(names)
}

/// Whether runs have the same conditions, and only the processor's generation may be another one.
pub(crate) fn differ_in_hosts_only(runs: &[&Results]) -> bool {
    let conditions = |run: &&Results| {
        let mut all = facets(run);
        all.pop();
        all
    };
    let Some((first, others)) = runs.split_first() else { return true };
    let expected = conditions(first);
    others.iter().all(|run| conditions(run) == expected)
}

fn told((name, value): &(&str, String)) -> String {
    if name.is_empty() { value.clone() } else { format!("{name} {value}") }
}

/// What runs may differ in, the processor's generation last. A name is empty where the value says what it is.
fn facets(run: &Results) -> Vec<(&'static str, String)> {
    let plan = &run.plan;
    let numbers = |dimension: Dimension| {
        plan.numbers(dimension).iter().map(u64::to_string).collect::<Vec<_>>().join("/")
    };
    let more: Vec<String> = plan.scale.more.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let memory = plan.memory_bytes.map_or_else(|| "no limit".to_owned(), memory_text);
    vec![
        ("rows", numbers(Dimension::Rows)),
        ("tables", plan.scale.tables.to_string()),
        ("clients", numbers(Dimension::Clients)),
        ("", more.join(" ")),
        ("memory", memory),
        (
            "fsync",
            plan.fsync_delay_us
                .map_or_else(|| "as it is".to_owned(), |delay| format!("+{}", delay_text(delay))),
        ),
        ("", plan.mode.word().to_owned()),
        ("", if plan.compat { "as the reference" } else { "compat off" }.to_owned()),
        ("", configuration(plan)),
        ("", run.host.processor.generation.clone()),
    ]
}

/// The settings of the subjects: once if all have the same.
fn configuration(plan: &Plan) -> String {
    let of = |subject: &Subject| {
        let settings: Vec<String> = subject.settings.iter().map(ToString::to_string).collect();
        if settings.is_empty() { "defaults".to_owned() } else { settings.join("+") }
    };
    let mut all: Vec<String> = plan.subjects.iter().map(of).collect();
    all.dedup();
    all.join(" / ")
}

/// Refuses two runs that cannot stand side by side.
fn alike(first: &Results, other: &Results, pool_generations: bool) -> Result<(), Fault> {
    let (one, two) = (&first.plan, &other.plan);
    equal("one is of the suite", [one.suite.clone(), two.suite.clone()], "name runs of one suite")?;
    let engines = |plan: &Plan| listed(plan, |subject| subject.engine.clone());
    equal("one compares", [engines(one), engines(two)], "name runs of the same engines")?;
    let releases = |plan: &Plan| listed(plan, |subject| format!("{}@{}", subject.engine, subject.place));
    let hint = "name runs of the same releases; --base and --subjects choose some of a run";
    equal("one compares", [releases(one), releases(two)], hint)?;
    if pool_generations {
        return Ok(());
    }
    let generation = |run: &Results| run.host.processor.generation.clone();
    let hint = "ratios depend on the processor; add --pool-generations to see them side by side all the same";
    equal("one is of", [generation(first), generation(other)], hint)
}

fn equal(what: &str, [left, right]: [String; 2], hint: &str) -> Result<(), Fault> {
    if left == right {
        return Ok(());
    }
    let what = format!("these results cannot stand side by side: {what} {left}, the other {right}");
    Err(Fault::usage(what).hint(hint))
}

fn listed(plan: &Plan, of: impl Fn(&Subject) -> String) -> String {
    plan.subjects.iter().map(of).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use humdrum_model::Setting;

    use super::*;
    use crate::testkit::Bench;

    type Change = fn(&mut Results);

    fn runs(change: impl FnOnce(&mut Results)) -> [Results; 2] {
        let first = Bench::new(&["t"], 2, 0, 4).results;
        let mut second = first.clone();
        second.started = "2026-02-03T04:05:06Z".into();
        change(&mut second);
        [first, second]
    }

    fn names(change: impl FnOnce(&mut Results)) -> Vec<String> {
        conditions(&runs(change), false).unwrap()
    }

    #[test]
    fn what_differs_is_the_condition() {
        assert_eq!(names(|run| run.plan.scale.clients = 16)[1], "clients 16");
        let more = |run: &mut Results| {
            run.plan.scale.rows = 7;
            run.plan.memory_bytes = Some(1 << 30);
        };
        let both = names(more);
        assert!(both[0].ends_with(", memory no limit") && both[1] == "rows 7, memory 1G", "{both:?}");
        let configured = names(|run| {
            let named = |subject: &mut Subject| subject.settings.push(Setting::Named("x10b".into()));
            run.plan.subjects.iter_mut().for_each(named);
        });
        assert_eq!(configured, ["defaults", "x10b"]);
    }

    #[test]
    fn runs_that_differ_in_nothing_have_their_time_and_one_run_twice_is_refused() {
        assert_eq!(names(|_| ())[1], "2026-02-03T04:05:06Z");
        let [first, _] = runs(|_| ());
        assert!(conditions(&[first.clone(), first], false).unwrap_err().what.contains("the same run"));
    }

    #[test]
    fn other_questions_are_refused() {
        let refused = |change: Change, pool| conditions(&runs(change), pool).map_err(|fault| fault.what);
        let changes: [(Change, &str); 4] = [
            (|run| run.plan.suite = "kv".into(), "one is of the suite"),
            (|run| run.plan.subjects[1].engine = "other".into(), " and other"),
            (|run| run.plan.subjects[1].place = humdrum_model::Place::Version("9".into()), "@9"),
            (|run| run.host.processor.generation = "AMD Zen 9".into(), "AMD Zen 9"),
        ];
        for (change, expected) in changes {
            let what = refused(change, false).unwrap_err();
            assert!(what.contains(expected), "{what}");
        }
        let pooled = refused(|run| run.host.processor.generation = "AMD Zen 9".into(), true).unwrap();
        assert_eq!(pooled[1], "AMD Zen 9");
    }
}
