//! What speaks for a part of the time as a cause: costs, context switches, threads, waits, functions.

use humdrum_model::{Change, CodeChange, Cost, Explanation, Part, PartName, SWITCHES, TestResult, WaitKind};

use crate::causes::percent;
use crate::{threads, waited};

/// Contention means that context switches grow by this much more than CPU.
const SWITCHES_BEYOND_CPU: f64 = 0.1;
/// Least cost whose growth is told: one in a thousand operations.
const COST_MIN: f64 = 1e-3;

/// A line each.
pub(crate) fn of_part(part: &Part, explanation: &Explanation, result: &TestResult) -> Vec<String> {
    let mut evidence = growths(part.name, result);
    if !matches!(part.name, PartName::Disk | PartName::ClientCpu) {
        evidence.extend(switches(explanation));
    }
    if matches!(part.name, PartName::ServerCpu | PartName::Processor | PartName::Other) {
        evidence.extend(threads::told(&explanation.counters));
    }
    let kind_of_wait = match part.name {
        PartName::Disk => Some(WaitKind::Disk),
        PartName::Locks => Some(WaitKind::Lock),
        PartName::Other => Some(WaitKind::Other),
        _ => None,
    };
    let waits = explanation.waits.iter().filter(|wait| Some(wait.kind) == kind_of_wait).take(3);
    evidence.extend(waits.map(|wait| {
        let [base, subject] = [wait.share.base, wait.share.subject].map(percent);
        format!("{}: seen in {base} → {subject} of samples", wait.event)
    }));
    evidence.extend(waited::told(&explanation.waited, part));
    if part.name == PartName::ServerCpu {
        evidence.extend(function(explanation, part.time.change));
    }
    if !part.note.is_empty() {
        evidence.push(part.note.clone());
    }
    evidence
}

/// `cs/o +23 %, cpu/o +3 %`, as the reference puts it.
fn growths(name: PartName, result: &TestResult) -> Vec<String> {
    let of = |&(name, heading): &(&str, &str)| {
        let cost = result.cost.get(name).filter(|cost| cost.base >= COST_MIN);
        let ratio = ratio(cost)?;
        Some(format!("{heading} {:+.0} %", (ratio - 1.0) * 100.0))
    };
    let pairs: &[(&str, &str)] = match name {
        PartName::Disk => &[("rkb_o", "rKB/o"), ("wkb_o", "wKB/o"), ("w_o", "w/o")],
        PartName::ClientCpu => &[],
        _ => &[("cs_o", "cs/o"), ("cpu_o", "cpu/o")],
    };
    let told: Vec<String> = pairs.iter().filter_map(of).collect();
    if told.is_empty() { Vec::new() } else { vec![told.join(", ")] }
}

/// The function whose own time moved most in the direction of the cause, if a profile was taken.
fn function(explanation: &Explanation, change: f64) -> Option<String> {
    let same = |code: &&CodeChange| code.time.change * change > 0.0;
    let found = explanation.code.iter().filter(same);
    let most = found.max_by(|a, b| a.time.change.abs().total_cmp(&b.time.change.abs()))?;
    let Change { base, subject, .. } = most.time;
    Some(format!("in the profile, `{}` moved most: {base:.1} → {subject:.1} µs per operation", most.symbol))
}

/// How each kind of switch moved, as examinations counted them. A change that is not significant is left out.
fn switches(explanation: &Explanation) -> Option<String> {
    let told = |(name, kind): (&str, &str)| {
        let counter = explanation.counters.iter().find(|counter| counter.name == name)?;
        let Change { base, subject, .. } = counter.per_operation;
        Some(format!("{kind} {base:.2} → {subject:.2}"))
    };
    let kinds = ["voluntary (it waits)", "involuntary (another takes the processor)"];
    let told: Vec<String> = SWITCHES.into_iter().zip(kinds).filter_map(told).collect();
    (!told.is_empty()).then(|| format!("switches per operation in examinations: {}", told.join(", ")))
}

fn ratio(cost: Option<&Cost>) -> Option<f64> {
    cost?.ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

/// Whether context switches grow faster than CPU.
pub(crate) fn is_contention(result: &TestResult) -> bool {
    let growth = |name: &str| ratio(result.cost.get(name)).map(f64::ln);
    match (growth("cs_o"), growth("cpu_o")) {
        (Some(switches), Some(cpu)) => switches > cpu.max(0.0) + SWITCHES_BEYOND_CPU,
        _ => false,
    }
}
