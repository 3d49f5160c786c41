//! What this program is made of: the tables of engines, workloads and probes, the folders, and the console. The
//! one place, beside `engines/all`, that knows concrete things.

use humdrum_contract::{Dirs, Engine, Interrupt, ProbeFactory, Workload};
use humdrum_model::{Fault, Subject};
use humdrum_provision::dirs::{Surroundings, find};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::Arguments;
use crate::progress::Console;

/// Everything a verb needs.
pub struct Lab {
    /// Engines, alphabetical.
    pub engines: Vec<Box<dyn Engine>>,
    /// Workloads, alphabetical.
    pub workloads: Vec<Box<dyn Workload>>,
    /// Host probes, in the order of readings.
    pub probes: Vec<ProbeFactory>,
    /// Where things are kept.
    pub dirs: Dirs,
    /// Where updates go.
    pub console: Console,
    /// Say more.
    pub verbose: bool,
}

impl Lab {
    /// Finds the folders and takes over Ctrl-C: the first asks to stop, a second stops at once (servers are
    /// ended by their guardians either way).
    ///
    /// # Errors
    /// When no folder for builds can be used.
    pub fn open(arguments: &Arguments) -> Result<Self, Fault> {
        let interrupt = Interrupt::new();
        for signal in [SIGINT, SIGTERM] {
            let second = signal_hook::flag::register_conditional_shutdown(signal, 130, interrupt.flag());
            let first = second.and_then(|_| signal_hook::flag::register(signal, interrupt.flag()));
            first.map_err(|error| Fault::environment(format!("cannot watch for signals: {error}")))?;
        }
        Ok(Self {
            engines: humdrum_engines::table(),
            workloads: vec![
                Box::new(humdrum_workload_insert::Insert),
                Box::new(humdrum_workload_kv::Kv),
                Box::new(humdrum_workload_sysbench::Sysbench),
            ],
            probes: humdrum_probes::table(),
            dirs: find(&Surroundings::read(), false, &interrupt)?,
            console: Console::new(arguments.progress, arguments.quiet),
            verbose: arguments.verbose > 0,
        })
    }

    /// What is read of a subject of this workload's; the host's own counters mean nothing where time is made up.
    pub fn probes_for(&self, workload: &dyn Workload, is_virtual: bool) -> Vec<ProbeFactory> {
        let host = (workload.steps().is_some() && !is_virtual).then(humdrum_probes::host);
        humdrum_probes::table().into_iter().chain(host).collect()
    }

    /// The engine of a subject.
    ///
    /// # Errors
    /// Usage, with the engines there are.
    pub fn engine(&self, subject: &Subject) -> Result<&dyn Engine, Fault> {
        self.engine_named(&subject.engine)
    }

    /// An engine by name.
    ///
    /// # Errors
    /// Usage, with the engines there are.
    pub fn engine_named(&self, name: &str) -> Result<&dyn Engine, Fault> {
        let found = self.engines.iter().find(|engine| engine.name() == name);
        found.map(|engine| &**engine).ok_or_else(|| {
            let names: Vec<&str> = self.engines.iter().map(|engine| engine.name()).collect();
            Fault::usage(format!("no engine `{name}`")).hint(format!("engines: {}", names.join(", ")))
        })
    }

    /// A workload by name.
    ///
    /// # Errors
    /// Usage, with the workloads there are.
    pub fn workload(&self, name: &str) -> Result<&dyn Workload, Fault> {
        let found = self.workloads.iter().find(|workload| workload.name() == name);
        found
            .map(|workload| &**workload)
            .ok_or_else(|| Fault::usage(format!("no suite `{name}`")).hint("suites: insert, kv, sysbench"))
    }

    /// The folders for one command, which may have been told to touch servers that are not ours.
    pub fn dirs(&self, allow_external: bool) -> Dirs {
        Dirs { allow_external, ..self.dirs.clone() }
    }
}
