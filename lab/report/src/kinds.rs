//! What runs and hosts that were judged together are, and what they say of further hosts: one sentence for each kind of processor.

use std::collections::BTreeSet;

use humdrum_model::{BuildLevel, Comparison, KindOfHosts, Summary, TestResult, TestStatus, Verdict};

use crate::judged::has_builds;
use crate::number::{interval, percent};
use crate::text::{clean, listed};
use crate::words;

/// Which runs or hosts were judged together; `None` for a single run.
pub(crate) fn together(comparison: &Comparison) -> Option<String> {
    let runs = comparison.tests.iter().map(|test| &test.runs).max_by_key(|runs| runs.len())?;
    if let Some((count, of)) = hosts(comparison) {
        return Some(match show_how_much_hosts_differ(comparison) {
            true => format!(
                "{count} hosts are judged together ({of}): ratios are their means, and intervals hold for hosts of these kinds"
            ),
            false => format!(
                "{count} hosts ({of}) do not show how much hosts differ: only a verdict that all have stands, and an interval spans \
                 those of all"
            ),
        });
    }
    let (own, hold) = match has_builds(comparison) {
        true => (", each with builds of its own", "other builds of these sources and the hours of this host"),
        false => ("", "the hours of this host"),
    };
    let begun: Vec<String> = runs.iter().map(|run| clean(&run.started)).collect();
    let (count, begun) = (begun.len(), begun.join(", "));
    (count > 1).then(|| {
        format!(
            "{count} runs{own}, begun at {begun}, are judged together: ratios are their means, and intervals hold for {hold}"
        )
    })
}

/// How many hosts were measured, and with which processors; `None` for one.
pub(crate) fn hosts(comparison: &Comparison) -> Option<(usize, String)> {
    let hosts = processors_of_hosts(comparison)?;
    Some((hosts.len(), counted(&hosts)))
}

/// The processors of the hosts that were measured, each once and in the order of their names; `None` for one host.
pub(crate) fn processors(comparison: &Comparison) -> Option<BTreeSet<String>> {
    processors_of_hosts(comparison).map(|hosts| hosts.into_iter().collect())
}

/// The processor of each host that was measured; `None` for one host.
fn processors_of_hosts(comparison: &Comparison) -> Option<Vec<String>> {
    let runs = comparison.tests.iter().map(|test| &test.runs).max_by_key(|runs| runs.len())?;
    let hosts: Vec<String> =
        runs.iter().filter_map(|run| run.host.as_deref()).map(|host| clean(named(host))).collect();
    (hosts.len() > 1).then_some(hosts)
}

/// Of any test, or there is none that they could show it of.
fn show_how_much_hosts_differ(comparison: &Comparison) -> bool {
    let mut measured = comparison.tests.iter().filter(|test| test.status == TestStatus::Ok).peekable();
    measured.peek().is_none()
        || measured.any(|test| test.reach.as_ref().is_some_and(|reach| reach.over_hosts))
}

/// A processor's generation, which not every host tells, as verdicts by kind name it.
pub(crate) fn named(generation: &str) -> &str {
    if generation.is_empty() { "an unknown processor" } else { generation }
}

/// How large the level *build* is: `two builds of one source differ by …`; `None` where runs have no builds of their own.
pub(crate) fn builds(comparison: &Comparison) -> Option<String> {
    let tests: Vec<(&TestResult, &BuildLevel)> = comparison
        .tests
        .iter()
        .filter_map(|test| test.build_level.as_ref().map(|level| (test, level)))
        .collect();
    let (most, level) = tests.iter().max_by(|a, b| a.1.sd_between.total_cmp(&b.1.sd_between))?;
    let mean = |of: fn(&BuildLevel) -> f64| -> f64 {
        let sum: f64 = tests.iter().map(|(_, level)| of(level).powi(2)).sum();
        (sum / tests.len() as f64).sqrt()
    };
    let over = match tests.len() {
        1 => String::new(),
        count => format!(
            " over {count} tests (root mean square), most in {}, {}",
            clean(&most.test),
            percent(level.sd_between)
        ),
    };
    Some(format!(
        "from build to build of the same sources, and from hour to hour, a ratio varies by {} (standard deviation, of {} builds){over}; \
         the sessions of one build alone tell of {}",
        percent(mean(|level| level.sd_between)),
        level.builds,
        percent(mean(|level| level.sd_within))
    ))
}

/// What to know of figures of a single run beside verdicts on several: those of the first one are shown.
pub(crate) fn first_of(summary: &Summary) -> Option<String> {
    let tests = || summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let runs = tests().map(|test| test.runs.len()).max().filter(|runs| *runs > 1)?;
    let hosts = tests().flat_map(|test| &test.runs).any(|run| run.host.is_some());
    let word = if hosts { "hosts" } else { "runs" };
    Some(format!("sessions and blocks are those of the first of {runs} {word}; the verdicts are of all"))
}

/// `another host with AMD Zen 3 (4 measured), in 95 of 100: regression: scan [0.962, 0.978]; boring: 3 of 4 tests`, for each kind
/// of which several hosts were measured. Intervals of different tests are not corrected for their number.
pub(crate) fn another_host(comparison: &Comparison) -> Vec<String> {
    let names = names(&comparison.tests);
    names.into_iter().filter_map(|name| sentence(comparison, name).ok()).collect()
}

/// `1 host with AMD Zen 4 says nothing of another one`, for each other kind.
pub(crate) fn alone(comparison: &Comparison) -> Vec<String> {
    names(&comparison.tests).into_iter().filter_map(|name| sentence(comparison, name).err()).collect()
}

fn names(tests: &[TestResult]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in tests.iter().flat_map(of).map(|kind| kind.generation.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The kinds for which any test has an interval for another host; none where all hosts are of one kind, whose interval is that of all.
pub(crate) fn with_another(tests: &[TestResult]) -> Vec<&str> {
    let mut names = names(tests);
    if names.len() < 2 {
        return Vec::new();
    }
    names.retain(|name| tests.iter().any(|test| another(test, name).is_some()));
    names
}

/// 95 % prediction interval of a test's ratio on another host of a kind.
pub(crate) fn another(test: &TestResult, generation: &str) -> Option<[f64; 2]> {
    of(test).find(|kind| kind.generation == generation)?.another_host
}

fn of(test: &TestResult) -> impl Iterator<Item = &KindOfHosts> {
    test.reach.iter().filter_map(|reach| reach.kinds.as_ref()).flat_map(|kinds| &kinds.kinds)
}

/// What is known of another host of a kind; an error is the sentence that nothing is.
fn sentence(comparison: &Comparison, generation: &str) -> Result<String, String> {
    let ours = |test| of(test).find(|kind| kind.generation == generation).map(|kind| (test, kind));
    let all: Vec<(&TestResult, &KindOfHosts)> = comparison.tests.iter().filter_map(ours).collect();
    let hosts = all.iter().map(|(_, kind)| kind.hosts).max().unwrap_or_default();
    let name = clean(generation);
    if all.iter().all(|(_, kind)| kind.another_host.is_none()) {
        return Err(format!("{hosts} host with {name} says nothing of another one"));
    }
    let with = |verdict| all.iter().filter(move |(_, kind)| kind.verdict == Some(verdict));
    let named = |verdict: Verdict| {
        let told: Vec<String> = with(verdict)
            .map(|(test, kind)| format!("{} {}", clean(&test.test), interval(kind.another_host)))
            .collect();
        (!told.is_empty()).then(|| format!("{}: {}", verdict.word(), words::first(&told)))
    };
    let counted = |verdict: Verdict| {
        let count = with(verdict).count();
        (count > 0).then(|| format!("{}: {count} of {}", verdict.word(), words::count(all.len())))
    };
    let parts = [
        named(Verdict::Regression),
        counted(Verdict::Boring),
        named(Verdict::Improvement),
        counted(Verdict::Inconclusive),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Ok(format!("another host with {name} ({hosts} measured), in 95 of 100: {}", parts.join("; ")))
}

/// `3 with AMD Zen 3 and 1 with AMD Zen 4`, in the order of the first of each.
fn counted(generations: &[String]) -> String {
    let mut found: Vec<(&String, usize)> = Vec::new();
    for generation in generations {
        match found.iter_mut().find(|(known, _)| *known == generation) {
            Some((_, count)) => *count += 1,
            None => found.push((generation, 1)),
        }
    }
    let told: Vec<String> = found.into_iter().map(|(name, count)| format!("{count} with {name}")).collect();
    listed(&told)
}

#[cfg(test)]
mod tests {
    use humdrum_model::{KindsOfHosts, Reach};

    use super::*;
    use crate::fixture;

    #[test]
    fn each_kind_has_a_sentence() {
        let (mut summary, ..) = fixture::run();
        let comparison = &mut summary.comparisons[0];
        let kind = |generation: &str, hosts, another_host, verdict| KindOfHosts {
            generation: generation.into(),
            hosts,
            rqps: 0.97,
            another_host,
            verdict,
        };
        for (test, (ends, verdict)) in comparison.tests.iter_mut().zip([
            ([0.962, 0.978], Verdict::Regression),
            ([0.996, 1.004], Verdict::Boring),
            ([0.98, 1.02], Verdict::Inconclusive),
        ]) {
            let kinds = KindsOfHosts {
                sd_within: 0.002,
                sd_between: None,
                kinds: vec![
                    kind("AMD Zen 3", 4, Some(ends), Some(verdict)),
                    kind("AMD Zen 4", 1, None, None),
                ],
            };
            test.reach = Some(Reach {
                another_run: ends,
                basis: "5 hosts".into(),
                bears_out: true,
                over_hosts: true,
                kinds: Some(kinds),
            });
        }
        let name = comparison.tests[0].test.clone();
        let expected = format!(
            "another host with AMD Zen 3 (4 measured), in 95 of 100: regression: {name} [0.962, 0.978]; boring: 1 of 3 \
             tests; inconclusive: 1 of 3 tests"
        );
        assert_eq!(another_host(comparison), [expected]);
        assert_eq!(alone(comparison), ["1 host with AMD Zen 4 says nothing of another one"]);
    }

    #[test]
    fn hosts_that_do_not_show_how_much_hosts_differ_are_no_mean() {
        let (mut summary, ..) = fixture::run();
        assert_eq!((together(&summary.comparisons[0]), hosts(&summary.comparisons[0])), (None, None));
        fixture::on_hosts(&mut summary);
        let comparison = &mut summary.comparisons[0];
        assert!(together(comparison).is_some_and(|told| told.contains("ratios are their means")));
        for test in &mut comparison.tests {
            test.reach = None;
            test.runs.truncate(3);
            test.runs.iter_mut().take(1).for_each(|run| run.host = Some(String::new()));
        }
        let expected = "3 hosts (1 with an unknown processor, 1 with AMD Zen 4 and 1 with AMD Zen 3) do not show how much hosts \
                        differ: only a verdict that all have stands, and an interval spans those of all";
        assert_eq!(together(comparison).as_deref(), Some(expected));
    }

    #[test]
    fn the_level_build_has_its_size() {
        let (mut summary, ..) = fixture::run();
        let comparison = &mut summary.comparisons[0];
        assert_eq!(builds(comparison), None);
        let level = |sd_between| Some(BuildLevel { builds: 8, sd_between, sd_within: 0.004 });
        comparison.tests[0].build_level = level(0.03);
        let one = "from build to build of the same sources, and from hour to hour, a ratio varies by 3 % (standard deviation, of 8 \
                   builds); the sessions of one build alone tell of 0.4 %";
        assert_eq!(builds(comparison).as_deref(), Some(one));
        comparison.tests[1].build_level = level(0.04);
        let told = builds(comparison).expect("two tests");
        let most = &comparison.tests[1].test;
        assert!(told.contains(&format!("3.54 % (standard deviation, of 8 builds) over 2 tests (root mean square), most in {most}, 4 %;")), "{told}");
    }

    #[test]
    fn generations_are_counted() {
        let names = ["AMD Zen 3", "AMD Zen 4", "AMD Zen 3"].map(str::to_owned);
        assert_eq!(counted(&names), "2 with AMD Zen 3 and 1 with AMD Zen 4");
        assert_eq!(counted(&names[..1]), "1 with AMD Zen 3");
    }
}
