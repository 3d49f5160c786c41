//! The common data of one run.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use humdrum_contract::{Dirs, Engine, Progress, Steps, Update, Workload};
use humdrum_model::{Fault, FaultKind, Plan, Results, Subject};
use humdrum_provision::hosts;
use humdrum_sample::gate::OnBusy;
use humdrum_sample::{Judged, KernelWatch};

use crate::catalogue::Catalogue;
use crate::sampler::ChunkSampler;

/// How much later than a server's end a signal to this program can be known, if both were ended together.
const ENDING: Duration = Duration::from_millis(300);

/// The folders of a run, and its behaviour on a busy host.
#[derive(Clone, Debug)]
pub struct Places {
    /// Builds and servers' data.
    pub dirs: Dirs,
    /// The folder for servers' logs at the end of the run.
    pub logs: PathBuf,
    /// What to do when other programs keep the host busy before the first session.
    pub on_busy: OnBusy,
}

/// One run: its plan, and the means to carry it out.
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) places: &'a Places,
    pub(crate) workload: &'a dyn Workload,
    pub(crate) reporter: &'a dyn Progress,
    /// Samples servers during one step, where the run is made for that.
    pub(crate) sampler: Option<&'a dyn ChunkSampler>,
    /// The calibration kernel, whose limits hold for the whole run.
    kernel: Mutex<KernelWatch>,
}

impl<'a> Run<'a> {
    /// # Errors
    /// Usage, if the catalogue has no such workload.
    pub(crate) fn new(
        plan: &'a Plan,
        catalogue: &'a Catalogue,
        places: &'a Places,
        reporter: &'a dyn Progress,
    ) -> Result<Self, Fault> {
        let workload = catalogue.workload(&plan.suite)?;
        Ok(Self { plan, catalogue, places, workload, reporter, sampler: None, kernel: Mutex::default() })
    }

    /// Whether each session begins with a load, so that data of the one before have no more use.
    pub(crate) fn loads_anew(&self) -> bool {
        self.plan.design.reload && !self.plan.design.copy
    }

    /// The suite's steps; `None` if its tests are cells of blocks.
    pub(crate) fn steps(&self) -> Option<&'a dyn Steps> {
        self.workload.steps()
    }

    /// A reading of the calibration kernel; `None` if the host does not let it run.
    pub(crate) fn read_host(&self) -> Option<Judged> {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// A subject's label.
    pub(crate) fn label(&self, subject: usize) -> &str {
        self.plan.subjects.get(subject).map_or("", |subject| subject.label.as_str())
    }

    /// The mistake in a user's own workload that a fault of a subject shows: a statement that the base refuses, because
    /// nothing can be compared then. Refused by another subject alone, it is something that the run found.
    pub(crate) fn mistake(&self, subject: usize, fault: &Fault) -> Option<Fault> {
        let refused = matches!(fault.kind, FaultKind::Environment | FaultKind::Usage);
        if subject != 0 || !refused || self.workload.fingerprint().is_none() {
            return None;
        }
        let known = fault.hint.is_some();
        let fault = Fault { kind: FaultKind::Usage, ..fault.clone().at(self.label(subject).to_owned()) };
        let hint = "correct the statement at this place; `humdrum suite check` tries the whole folder";
        Some(if known { fault } else { fault.hint(hint) })
    }

    /// Reports a new step of progress.
    pub(crate) fn say(&self, text: &str) {
        self.reporter.update(Update::Step(text));
    }

    /// Reports a note, on a line of its own.
    pub(crate) fn note(&self, text: &str) {
        self.reporter.update(Update::Note(text));
    }

    /// Reports a detail, shown with `-v`.
    pub(crate) fn detail(&self, text: &str) {
        self.reporter.update(Update::Detail(text));
    }

    /// Asked before a failure is recorded: a scheduler that ends a job ends the servers in the same moment as this program, which may
    /// see theirs first.
    ///
    /// # Errors
    /// Interrupted, now or before the servers' end can have been noticed here.
    pub(crate) fn check_ending(&self) -> Result<(), Fault> {
        let began = Instant::now();
        while began.elapsed() < ENDING {
            self.check_interrupt()?;
            std::thread::sleep(ENDING / 10);
        }
        self.check_interrupt()
    }

    /// # Errors
    /// Interrupted.
    pub(crate) fn check_interrupt(&self) -> Result<(), Fault> {
        self.places.dirs.interrupt.check()
    }
}

/// A record with all that is known before the first block: plan, host, time, this program's version.
pub fn new_record(
    tool: &str,
    plan: &Plan,
    catalogue: &Catalogue,
    dirs: &Dirs,
    reporter: &dyn Progress,
) -> Results {
    reporter.update(Update::Step("looking at the host"));
    let is_virtual = |subject: &Subject| catalogue.engine(subject).is_ok_and(Engine::is_virtual);
    let made_up = plan.subjects.iter().all(is_virtual);
    Results {
        tool: tool.to_owned(),
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        host: if made_up { hosts::known_facts() } else { hosts::host_facts(dirs) },
        ..Results::of(Plan {
            subjects: plan.subjects.iter().map(Subject::without_password).collect(),
            ..plan.clone()
        })
    }
}
