//! A proof: the share of a change that a setting carries. It runs four subjects side by side in fresh blocks
//! of one test: both as they are, the new one with the old value, and the old one with the new value.
//!
//! ```text
//!   old │ new │ new with the old value │ old with the new value
//! ```

use std::path::PathBuf;

use humdrum_contract::{Dirs, Engine, Progress, Silent, Sizing};
use humdrum_explain::{PROOF_LABELS, carried_by, setting_and_flag, settings, taken_over};
use humdrum_model::{Carried, Fault, Results, Setting, SettingChange, Subject, TestResult};
use humdrum_plan::Request;
use humdrum_provision::run_folder::RunFolder;

use crate::again::{labelled, request, writes};
use crate::catalogue::Catalogue;

/// The default budget of one setting's run. Four servers share it; tests that write get more, because they
/// also pay debts.
const BUDGET: &str = "30s";
const BUDGET_WRITES: &str = "4m";
/// The resources of a server in a trial start.
const TRIAL: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 1, connections: 8 };

/// The input of a proof.
pub struct ProofOrder<'a> {
    /// The run in which the test moved.
    pub results: &'a Results,
    /// The comparison's number: the subject after the base, from 0.
    pub number: usize,
    /// The test.
    pub test: &'a TestResult,
    /// The setting, or one of its flags.
    pub setting: &'a SettingChange,
    /// The budget of the proof, as a user types it; `None` for the default.
    pub budget: Option<String>,
}

impl ProofOrder<'_> {
    /// The request of the proof's run, with results in `folder`. Starts a server of each changed subject
    /// once, because many settings are facts of the build that cannot be set.
    ///
    /// # Errors
    /// When neither subject takes the other's value.
    pub fn request(&self, catalogue: &Catalogue, dirs: &Dirs, folder: PathBuf) -> Result<Request, Fault> {
        let subjects = self.subjects(catalogue, dirs)?;
        // Whole steps take as long as they take.
        let whole = catalogue.workload(&self.results.plan.suite)?.steps().is_some();
        let usual = if writes(self.results, self.test) { BUDGET_WRITES } else { BUDGET };
        let budget = self.budget.clone().or((!whole).then(|| usual.to_owned()));
        let budget_grows = self.budget.is_none();
        Ok(Request {
            budget,
            budget_grows,
            side_by_side: true,
            ..request(self.results, self.test, subjects, folder)
        })
    }

    /// The share that the setting carries, from the results of that run.
    pub fn carried(&self, proof: &Results) -> Carried {
        carried_by(proof, &self.test.test, self.setting)
    }

    /// The setting with its old value and its new one: of a flag, the list that has it.
    fn whole(&self, name: &str) -> SettingChange {
        let mut all = settings(self.results, self.number + 1).into_iter();
        all.find(|one| one.name == name).unwrap_or_else(|| self.setting.clone())
    }

    /// The old and the new subject, and those of the two others that can be made.
    fn subjects(&self, catalogue: &Catalogue, dirs: &Dirs) -> Result<Vec<String>, Fault> {
        let all = &self.results.plan.subjects;
        let (old, new) = (&all[0], &all[self.number + 1]);
        let mut subjects = vec![labelled(PROOF_LABELS[0], old), labelled(PROOF_LABELS[1], new)];
        let engine = catalogue.engine(new)?;
        let mut refusal = None;
        let (name, flag) = setting_and_flag(&self.setting.name);
        let whole = self.whole(name);
        let (old_value, new_value) = (whole.base.as_deref(), whole.subject.as_deref());
        for (label, subject, own, value) in
            [(PROOF_LABELS[2], new, new_value, old_value), (PROOF_LABELS[3], old, old_value, new_value)]
        {
            let Some(value) = taken_over(flag, own, value) else { continue };
            let other = with(subject, name, &value);
            match try_start(engine, &other, dirs, &Silent) {
                Ok(()) => subjects.push(labelled(label, &other)),
                Err(fault) => refusal = Some(fault),
            }
        }
        match refusal {
            Some(fault) if subjects.len() == 2 => Err(fault),
            _ if subjects.len() == 2 => Err(Fault::usage("only one side knows this setting")),
            _ => Ok(subjects),
        }
    }
}

/// Starts a server of a subject once, and ends it: whether it takes its settings.
///
/// # Errors
/// Usage for a setting that it does not take; environment or crash otherwise.
pub fn try_start(
    engine: &dyn Engine,
    subject: &Subject,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Result<(), Fault> {
    let subject = &subject.for_engine();
    engine.check(subject, dirs)?;
    let folder = RunFolder::new(dirs)?;
    let build = engine.install(subject, dirs, progress)?;
    let mut server = build.create(&folder.home("trial")?, &TRIAL)?;
    server.start()?;
    server.stop()
}

/// A subject with one more setting, which overrides earlier ones.
fn with(subject: &Subject, name: &str, value: &str) -> Subject {
    let mut other = subject.clone();
    other.settings.push(Setting::Value { key: name.to_owned(), value: value.to_owned() });
    other
}
