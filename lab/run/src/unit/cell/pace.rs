//! The number of operations in a slice; found once per run and test. Where one subject has the host at a time, it is found by
//! the first one, and the others repeat the operations that found it.

use std::time::Duration;

use humdrum_contract::Workload;
use humdrum_drive::{Crew, Pace, Portion};
use humdrum_model::{Calibration, Fault};
use humdrum_plan::block_seed;
use humdrum_record::Store;

use super::super::{Exit, Unit};
use super::Cell;

/// The length of the slice that finds the pace.
const PACE: Duration = Duration::from_millis(25);

impl Cell<'_> {
    /// Finds the pace of every subject, after a first warm-up.
    pub(super) fn calibrate(
        &self,
        crew: &mut Crew<'_>,
        workload: &dyn Workload,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<Option<Calibration>, Fault> {
        let design = &self.run.plan.design;
        let scale = &self.run.plan.scale_of(self.test());
        let most_operations = workload.most_operations(self.test().own_name(), scale);
        let extra = (design.first_warmup_seconds - design.warmup_seconds).max(0.0);
        let subjects = if self.alone.is_some() { self.run.plan.subjects.len() } else { crew.alive().len() };
        let share = Duration::from_secs_f64(extra / subjects.max(1) as f64).max(PACE);
        let mut paces = Vec::new();
        for (subject, pace) in self.paces(crew, share, most_operations) {
            match pace {
                Ok(pace) => paces.push(pace),
                Err(fault) => exits.push(Exit { subject, fault }),
            }
        }
        if paces.is_empty() {
            return Ok(None);
        }
        if self.alone.is_some() {
            // The others are taken to be as fast, because nobody has seen them yet.
            paces.resize(subjects, paces[0]);
            self.alike.keep_prelude(self.position, crew.prelude());
        }
        let portion = Portion { clients: scale.clients, most_operations };
        let calibration = Pace::calibrate(&paces, self.test(), design, &portion);
        store.append_calibration(&calibration)?;
        Ok(Some(calibration))
    }

    /// Does what found the pace on another subject, if that was in this session: all subjects do equal work.
    pub(super) fn repeat_prelude(&self, crew: &mut Crew<'_>, exits: &mut Vec<Exit>) {
        let Some(prelude) = self.alike.prelude(self.position) else { return };
        let faults = crew.repeat(&prelude);
        exits.extend(faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
    }

    /// Finds paces one subject after the other for tests that read, and with equal work for tests that write.
    fn paces(
        &self,
        crew: &mut Crew<'_>,
        share: Duration,
        most_operations: Option<u64>,
    ) -> Vec<(usize, Result<Pace, Fault>)> {
        let seed = |subject| block_seed(self.run.plan.seed, &self.test().name, u32::MAX, subject);
        if self.test().writes {
            let most = most_operations.unwrap_or(u64::MAX);
            let first = crew.paces(seed(0), share, most).into_iter();
            let failed: Vec<_> = first.filter(|(_, pace)| pace.is_err()).collect();
            return failed.into_iter().chain(crew.paces(seed(1), PACE, most)).collect();
        }
        let alive = crew.alive();
        let pace = |subject| {
            let seed = seed(subject as u32);
            let pace = crew.pace(subject, seed, share).and_then(|_| crew.pace(subject, seed, PACE));
            (subject, pace)
        };
        alive.into_iter().map(pace).collect()
    }
}
