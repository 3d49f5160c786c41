//! Sampled stacks as time per operation, by function and by stack.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_analyse::mean_of;
use humdrum_model::{Change, CodeChange, Profile, ProfileKind, StackTimes};

/// Most functions in a list.
const SHOWN_MAX: usize = 25;
/// Least change of a function's own time that is listed, as a share of an operation.
const CHANGE_MIN: f64 = 0.002;
/// Least share of all waiting that is listed. Shorter waits have few samples.
const WAIT_MIN: f64 = 0.005;
/// Innermost frames that identify a wait: the system call, and the functions of libraries and server that called it.
const INNERMOST: usize = 5;
/// Least share of an operation that a stack needs to be visible in a drawing.
const STACK_MIN: f64 = 0.0005;

/// µs per operation by name.
type Times = BTreeMap<String, f64>;

/// Functions whose own time changed, those that changed most first. Empty without profiles of both subjects.
pub(crate) fn code(profiles: &[Profile], statements: f64) -> Vec<CodeChange> {
    let leaf = |stack: &str| stack.rsplit(';').next().unwrap_or(stack).to_owned();
    let (mut changes, whole) = changes(profiles, ProfileKind::Running, statements, leaf);
    changes.retain(|one| one.time.change.abs() >= whole * CHANGE_MIN);
    changes.sort_by(|a, b| b.time.change.abs().total_cmp(&a.time.change.abs()));
    changes.truncate(SHOWN_MAX);
    changes
}

/// Where sessions waited, by the innermost functions, longest first. Empty without profiles of both subjects.
pub(crate) fn waiting(profiles: &[Profile], statements: f64) -> Vec<CodeChange> {
    let innermost = |stack: &str| stack.rsplit(';').take(INNERMOST).collect::<Vec<_>>().join(" ← ");
    let (mut changes, whole) = changes(profiles, ProfileKind::Waiting, statements, innermost);
    let longer = |one: &CodeChange| one.time.base.max(one.time.subject);
    changes.retain(|one| longer(one) >= whole * WAIT_MIN);
    changes.sort_by(|a, b| longer(b).total_cmp(&longer(a)));
    changes.truncate(SHOWN_MAX);
    changes
}

/// Whether sessions of both subjects were sampled and none was waiting.
pub(crate) fn nobody_waited(profiles: &[Profile]) -> bool {
    let sides = sides(profiles, ProfileKind::Waiting, 1.0, str::to_owned);
    !sides.is_empty() && sides.iter().all(|(base, subject)| base.is_empty() && subject.is_empty())
}

/// The time of each name for both subjects, and the larger of the two subjects' total times.
fn changes(
    profiles: &[Profile],
    kind: ProfileKind,
    statements: f64,
    name: impl Fn(&str) -> String,
) -> (Vec<CodeChange>, f64) {
    let sides = sides(profiles, kind, statements, name);
    let whole = |side: &Times| side.values().sum::<f64>();
    let whole = sides.iter().map(|(base, subject)| whole(base).max(whole(subject))).fold(0.0, f64::max);
    let symbols: BTreeSet<&String> =
        sides.iter().flat_map(|(base, subject)| base.keys().chain(subject.keys())).collect();
    let changes = symbols.into_iter().filter_map(|symbol| {
        let of = |side: &Times| side.get(symbol).copied().unwrap_or(0.0);
        let pairs: Vec<(f64, f64)> = sides.iter().map(|(base, subject)| (of(base), of(subject))).collect();
        Some(CodeChange { symbol: symbol.clone(), time: change(&pairs)? })
    });
    (changes.collect(), whole)
}

/// All stacks of a kind, with their means over rounds.
pub(crate) fn stacks(profiles: &[Profile], kind: ProfileKind, statements: f64) -> Vec<StackTimes> {
    let sides = sides(profiles, kind, statements, str::to_owned);
    let rounds = sides.len().max(1) as f64;
    let mut found: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (base, subject) in &sides {
        for (stack, time) in base {
            found.entry(stack).or_default().0 += time / rounds;
        }
        for (stack, time) in subject {
            found.entry(stack).or_default().1 += time / rounds;
        }
    }
    let all = found.values().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let least = all.0.max(all.1) * STACK_MIN;
    let seen = found.into_iter().filter(|(_, (base, subject))| base.max(*subject) >= least);
    seen.map(|(stack, (base, subject))| StackTimes { stack: stack.to_owned(), base, subject }).collect()
}

/// The times in rounds in which both subjects were profiled, by the name that `name` gives to a stack.
fn sides(
    profiles: &[Profile],
    kind: ProfileKind,
    statements: f64,
    name: impl Fn(&str) -> String,
) -> Vec<(Times, Times)> {
    let of = |subject: usize| {
        profiles.iter().filter(move |one| one.subject == subject && one.kind == kind && one.sample_us > 0.0)
    };
    let pairs = of(0).filter_map(|base| Some((base, of(1).find(|one| one.round == base.round)?)));
    pairs.map(|(base, subject)| (times(base, statements, &name), times(subject, statements, &name))).collect()
}

/// The time of each name. A sample counts as the time between two samples.
fn times(profile: &Profile, statements: f64, name: impl Fn(&str) -> String) -> Times {
    let sample_us = profile.sample_us / statements;
    let mut found = Times::new();
    for (stack, samples) in &profile.stacks {
        *found.entry(name(stack)).or_default() += *samples as f64 * sample_us;
    }
    found
}

fn change(pairs: &[(f64, f64)]) -> Option<Change> {
    let of = |value: fn(&(f64, f64)) -> f64| mean_of(&pairs.iter().map(value).collect::<Vec<_>>());
    let change = of(|pair| pair.1 - pair.0)?;
    Some(Change {
        base: of(|pair| pair.0)?.mean,
        subject: of(|pair| pair.1)?.mean,
        change: change.mean,
        ci95: change.ci95,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(round: u32, subject: usize, stacks: &[(&str, u64)]) -> Profile {
        Profile {
            test: "point-query".into(),
            round,
            subject,
            kind: ProfileKind::Running,
            // A sample a millisecond, over 1,000 operations.
            sample_us: 1.0,
            stacks: stacks.iter().map(|(stack, samples)| ((*stack).to_owned(), *samples)).collect(),
        }
    }

    #[test]
    fn samples_become_microseconds_of_the_function_that_was_running() {
        let base = [("main;parse", 40), ("main;run;scan", 50), ("main;scan", 10)];
        let subject = [("main;parse", 40), ("main;run;scan", 20), ("main;scan", 10)];
        let profiles = [
            profile(0, 0, &base),
            profile(0, 1, &subject),
            profile(1, 1, &subject),
            profile(1, 0, &base),
            profile(2, 0, &base),
        ];
        let found = code(&profiles, 1.0);
        assert_eq!(found.len(), 1, "what did not change is left out: {found:?}");
        let Change { base, subject, change, ci95 } = found[0].time;
        assert_eq!(found[0].symbol, "scan");
        // 60 samples of a millisecond each over 1,000 operations.
        assert!((base - 60.0).abs() < 1e-9 && (subject - 30.0).abs() < 1e-9 && (change + 30.0).abs() < 1e-9);
        assert!(ci95.is_some_and(|[low, high]| low <= change && change <= high));
        assert!((code(&profiles, 2.0)[0].time.base - 30.0).abs() < 1e-9, "two statements an operation");
        let stacks = stacks(&profiles, ProfileKind::Running, 1.0);
        let run = stacks.iter().find(|one| one.stack == "main;run;scan").expect("the stack");
        assert!((run.base - 50.0).abs() < 1e-9 && (run.subject - 20.0).abs() < 1e-9);
    }

    #[test]
    fn waits_are_named_by_their_innermost_frames_and_apart_from_work() {
        let long = [("main;loop;exec;lock;futex_wait;syscall", 30), ("main;read;poll", 60)];
        let short = [("main;read;poll", 60), ("main;loop;exec;lock;futex_wait;syscall", 3)];
        let of = |round, subject, stacks: &[(&str, u64)]| Profile {
            kind: ProfileKind::Waiting,
            ..profile(round, subject, stacks)
        };
        let profiles =
            [of(0, 0, &short), of(0, 1, &long), of(1, 0, &short), of(1, 1, &long), profile(0, 0, &long)];
        let found = waiting(&profiles, 1.0);
        let names: Vec<&str> = found.iter().map(|one| one.symbol.as_str()).collect();
        assert_eq!(names, ["poll ← read ← main", "syscall ← futex_wait ← lock ← exec ← loop"]);
        assert!((found[1].time.change - 27.0).abs() < 1e-9);
        assert_eq!(stacks(&profiles, ProfileKind::Waiting, 1.0).len(), 2);
        assert!(code(&profiles, 1.0).is_empty(), "work was sampled on one side alone");
        assert!(!nobody_waited(&profiles) && !nobody_waited(&profiles[4..]), "that is not known of work");
        assert!(nobody_waited(&[of(0, 0, &[]), of(0, 1, &[])]));
    }

    #[test]
    fn one_side_alone_says_nothing() {
        let profiles = [profile(0, 0, &[("main", 10)]), profile(1, 1, &[("main", 20)])];
        assert!(code(&profiles, 1.0).is_empty());
        assert!(stacks(&profiles, ProfileKind::Running, 1.0).is_empty());
    }
}
