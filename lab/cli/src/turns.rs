//! How the subjects of a suite of whole steps take turns where the user does not say: together if their data fit this
//! host's memory and disk beside each other, else one after the other.

use std::path::Path;

use humdrum_contract::House;
use humdrum_model::{Fault, Mode, Plan};
use humdrum_plan::{Request, StepNeed};
use humdrum_provision::{hosts, run_folder};

use crate::lab::Lab;

/// Part of the host's memory that data of all subjects together may have; the rest is for servers and clients.
const MEMORY_SHARE: f64 = 0.6;

/// Room on disk, as a multiple of the data: logs, and what a rebuilt index takes beside the old.
const DISK_FACTOR: f64 = 3.0;

/// Settles the plan's mode, and says why; `None` for suites that have slices.
///
/// # Errors
/// No such suite.
pub fn choose(
    lab: &Lab,
    house: &House,
    request: &Request,
    plan: &mut Plan,
) -> Result<Option<StepNeed>, Fault> {
    let workload = lab.workload(&plan.suite)?;
    let Some(steps) = workload.steps() else { return Ok(None) };
    let bytes_per_subject = workload.bytes(&plan.scale);
    let seconds_per_subject = steps.seconds(&plan.tests, &plan.scale);
    let all = Wanted { bytes: bytes_per_subject as f64, subjects: plan.subjects.len() as f64 };
    let why = match request.mode {
        Some(_) => "as asked".to_owned(),
        None => {
            let free = existing(&house.runs).and_then(|folder| run_folder::free_bytes(folder).ok());
            let (mode, why) = all.fit(hosts::memory_bytes() as f64, free.map(|bytes| bytes as f64));
            plan.mode = mode;
            why
        }
    };
    let why = match plan.mode {
        Mode::Interleaved => format!("subjects take turns in chunks: {why}"),
        Mode::Sequential => format!("one subject at a time: {why}"),
    };
    Ok(Some(StepNeed { bytes_per_subject, seconds_per_subject, why }))
}

/// The folder or the first one above it that is there already.
fn existing(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.exists())
}

struct Wanted {
    bytes: f64,
    subjects: f64,
}

impl Wanted {
    fn fit(&self, memory_bytes: f64, free_bytes: Option<f64>) -> (Mode, String) {
        let (data, memory) = (self.bytes * self.subjects, memory_bytes * MEMORY_SHARE);
        let disk = data * DISK_FACTOR;
        let shown = |bytes: f64| format!("{:.1} GiB", bytes / f64::from(1 << 30));
        if free_bytes.is_some_and(|free| disk > free) {
            let free = free_bytes.unwrap_or(0.0);
            let why = format!("all together need {} of disk, and {} are free", shown(disk), shown(free));
            return (Mode::Sequential, why);
        }
        // What does not fit even alone is no reason to give one of them all the memory.
        if data > memory && self.bytes <= memory {
            let why =
                format!("the data of all, {}, exceed the {} of memory for them", shown(data), shown(memory));
            return (Mode::Sequential, why);
        }
        let why = match data <= memory {
            true => format!("the data of all, {}, fit the {} of memory for them", shown(data), shown(memory)),
            false => format!("the data of one, {}, exceed memory either way", shown(self.bytes)),
        };
        (Mode::Interleaved, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn together_where_all_fit_and_apart_where_only_one_does() {
        let two = |gib: f64| Wanted { bytes: gib * f64::from(1 << 30), subjects: 2.0 };
        let memory = 10.0 * f64::from(1 << 30);
        let mode = |wanted: Wanted, free: f64| wanted.fit(memory, Some(free * f64::from(1 << 30))).0;
        assert_eq!(mode(two(2.0), 100.0), Mode::Interleaved);
        assert_eq!(mode(two(4.0), 100.0), Mode::Sequential);
        assert_eq!(mode(two(2.0), 11.0), Mode::Sequential);
        assert_eq!(mode(two(8.0), 100.0), Mode::Interleaved);
        assert!(two(4.0).fit(memory, None).1.contains("8.0 GiB"));
    }
}
