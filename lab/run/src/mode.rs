//! The default mode of a suite of whole steps: interleaved if each subject's data fit the cache of its server
//! beside the others and the data of all fit the disk; else sequential.

use humdrum_contract::{Dirs, Workload};
use humdrum_model::{Fault, Mode, Plan};
use humdrum_plan::{Request, StepNeed};
use humdrum_provision::run_folder;

use crate::catalogue::Catalogue;
use crate::disk::existing;
use crate::provision::sizing;

/// Space on disk, as a multiple of the data: for logs, and for a rebuilt index beside the old one.
const DISK_FACTOR: f64 = 3.0;

/// Settles the plan's mode, and says why; `None` for suites that have slices.
///
/// # Errors
/// No such suite.
pub fn choose_mode(
    request: &Request,
    plan: &mut Plan,
    catalogue: &Catalogue,
    dirs: &Dirs,
) -> Result<Option<StepNeed>, Fault> {
    let workload = catalogue.workload(&plan.suite)?;
    let Some(steps) = workload.steps() else { return Ok(None) };
    let bytes_per_subject = workload.bytes(&plan.scale);
    let seconds_per_subject = steps.seconds(&plan.tests, &plan.scale);
    let why = match request.mode {
        Some(_) => "as asked".to_owned(),
        None => {
            let free = existing(&dirs.runs).and_then(|folder| run_folder::free_bytes(folder).ok());
            let wanted = Wanted {
                bytes: bytes_per_subject,
                subjects: plan.subjects.len() as u64,
                together: cache(catalogue, workload, plan, Mode::Interleaved)?,
                alone: cache(catalogue, workload, plan, Mode::Sequential)?,
            };
            let (mode, why) = wanted.fit(free);
            plan.mode = mode;
            why
        }
    };
    if plan.mode == Mode::Sequential {
        // Only one server is up at any time.
        plan.design.incomplete = None;
    }
    let why = match plan.mode {
        Mode::Interleaved => format!("subjects take turns in chunks: {why}"),
        Mode::Sequential => format!("one subject at a time: {why}"),
    };
    Ok(Some(StepNeed { bytes_per_subject, seconds_per_subject, why }))
}

/// Bytes that each server can cache in that mode; the least, if engines cache different parts of their
/// memory.
fn cache(catalogue: &Catalogue, workload: &dyn Workload, plan: &Plan, mode: Mode) -> Result<u64, Fault> {
    let sizing = sizing(&Plan { mode, ..plan.clone() }, workload);
    let caches = plan.subjects.iter().map(|subject| Ok(catalogue.engine(subject)?.cache_bytes(&sizing)));
    let caches: Vec<u64> = caches.collect::<Result<_, Fault>>()?;
    Ok(caches.into_iter().min().unwrap_or(sizing.memory_bytes))
}

struct Wanted {
    /// Bytes of one subject.
    bytes: u64,
    subjects: u64,
    /// Cache of each server beside all others.
    together: u64,
    /// Cache of a server that has the host to itself.
    alone: u64,
}

impl Wanted {
    fn fit(&self, free_bytes: Option<u64>) -> (Mode, String) {
        let shown = |bytes: f64| format!("{:.1} GiB", bytes / f64::from(1 << 30));
        let [data, together, alone] =
            [self.bytes, self.together, self.alone].map(|bytes| shown(bytes as f64));
        let disk = self.bytes as f64 * self.subjects as f64 * DISK_FACTOR;
        match free_bytes {
            Some(free) if disk > free as f64 => {
                let (disk, free) = (shown(disk), shown(free as f64));
                (Mode::Sequential, format!("all together need {disk} of disk, and {free} are free"))
            }
            _ if self.bytes <= self.together => (
                Mode::Interleaved,
                format!("the data of each, {data}, fit the {together} that its server caches"),
            ),
            // What does not fit even alone is no reason to give one of them all the memory.
            _ if self.bytes > self.alone => (
                Mode::Interleaved,
                format!("the data of one, {data}, exceed what a server caches either way"),
            ),
            _ => {
                let together = format!("the {together} that a server caches beside the others");
                (
                    Mode::Sequential,
                    format!("the data of each, {data}, exceed {together}, and fit the {alone} alone"),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// Two subjects on 10 GiB of memory: 6 for servers, 3 for each of two, of which they cache 23/32, in halves of a
    /// gibibyte.
    fn two(gib: u64) -> Wanted {
        Wanted { bytes: gib * GIB, subjects: 2, together: 2 * GIB, alone: 4 * GIB }
    }

    #[test]
    fn together_where_each_is_cached_and_apart_where_only_one_is() {
        let mode = |wanted: Wanted, free: u64| wanted.fit(Some(free * GIB)).0;
        assert_eq!(mode(two(2), 100), Mode::Interleaved);
        // It would fit the 3 GiB that a server is given, and not its cache.
        assert_eq!(mode(two(3), 100), Mode::Sequential);
        assert_eq!(mode(two(2), 11), Mode::Sequential);
        assert_eq!(mode(two(8), 100), Mode::Interleaved);
    }

    #[test]
    fn the_reason_is_what_was_compared() {
        let why = |wanted: Wanted| wanted.fit(None).1;
        assert_eq!(why(two(1)), "the data of each, 1.0 GiB, fit the 2.0 GiB that its server caches");
        let apart = "the data of each, 3.0 GiB, exceed the 2.0 GiB that a server caches beside the others, and fit the \
                     4.0 GiB alone";
        assert_eq!(why(two(3)), apart);
        assert_eq!(why(two(8)), "the data of one, 8.0 GiB, exceed what a server caches either way");
    }
}
