//! The parts of this program: the tables of engines, workloads and probes, the folders, and the console. Only
//! this file and `engines/all` name them.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Engine};
use humdrum_model::{Fault, Plan};
use humdrum_plan::{Request, parse_subject};
use humdrum_provision::dirs::{Surroundings, find};
use humdrum_record::ResultsFolder;
use humdrum_run::{Catalogue, HostProbes, Places};
use humdrum_sample::gate::OnBusy;
use humdrum_workload_script::{Folder, Given};

use crate::args::Arguments;
use crate::planned::check;
use crate::reader::Reader;
use crate::suites;
use crate::workloads;

/// Everything a verb needs.
pub struct Lab {
    /// Engines, workloads and probes.
    pub catalogue: Catalogue,
    /// Where things are kept.
    pub dirs: Dirs,
    /// What reading results needs.
    reader: Reader,
    /// The folder of a user's own workload, which the catalogue has as well.
    own: Option<Folder>,
}

impl Lab {
    /// Finds the folders and takes over Ctrl-C.
    ///
    /// # Errors
    /// When no folder for builds can be used.
    pub fn open(arguments: &Arguments) -> Result<Self, Fault> {
        let reader = Reader::open(arguments)?;
        let dirs = find(&Surroundings::read(), false, &reader.interrupt)?;
        let reader = Reader { cache: Some(dirs.cache.clone()), ..reader };
        Ok(Self { catalogue: catalogue(), dirs, reader, own: None })
    }

    /// The folders for one command; `allow_external` permits it to touch servers that are not ours.
    pub fn dirs(&self, allow_external: bool) -> Dirs {
        Dirs { allow_external, ..self.dirs.clone() }
    }

    /// What a command says of the data of its workload, with what its subjects can do about them.
    pub fn given_for(&self, given: Given, subjects: &[String]) -> Given {
        let imports = |text: &String| {
            let subject = parse_subject(text).ok()?;
            let engine = self.catalogue.engine(&subject).ok()?;
            Some(engine.imports_statistics(&engine.check(&subject, &self.dirs).ok()?))
        };
        // A subject that is none is told of later.
        let imports = subjects.iter().all(|subject| imports(subject).unwrap_or_default());
        Given { imports_statistics: (!subjects.is_empty()).then_some(imports), ..given }
    }

    /// Takes the workload that `--suite` names by its folder into the catalogue, with what is said of its data; `suite` is its
    /// name then.
    ///
    /// # Errors
    /// Usage: a mistake in the folder.
    pub fn adopt(&mut self, suite: &mut Option<String>, given: &Given) -> Result<(), Fault> {
        let (progress, interrupt) = (&self.console, &self.dirs.interrupt);
        let Some(folder) = workloads::named(suite.as_deref(), given, progress, interrupt)? else {
            return Ok(());
        };
        *suite = Some(folder.name.clone());
        self.take(folder);
        Ok(())
    }

    /// The plan of a file as it would be measured here, its workload taken into the catalogue; and what the file asks for.
    ///
    /// # Errors
    /// Usage: a file that cannot be read, a plan that cannot be measured.
    pub fn planned(&mut self, file: &Path) -> Result<(Request, Plan), Fault> {
        let mut request = Request::from_toml(file)?;
        let given = self.given_for(Given::default(), &request.subjects);
        self.adopt(&mut request.suite, &given)?;
        let plan = check(&request, &self.catalogue, &self.dirs)?;
        Ok((request, plan))
    }

    /// Takes the workload of earlier results into the catalogue, if it was a user's own.
    ///
    /// # Errors
    /// Usage: its files are not what they were.
    pub fn adopt_kept(&mut self, plan: &Plan, out: &ResultsFolder) -> Result<(), Fault> {
        self.adopt_files((plan.suite.as_str(), plan.suite_sha256.as_deref()), out)
    }

    /// The same by the workload's name and the hash of its files.
    ///
    /// # Errors
    /// As `adopt_kept`.
    pub fn adopt_files(&mut self, suite: (&str, Option<&str>), out: &ResultsFolder) -> Result<(), Fault> {
        if let Some(folder) = workloads::kept(suite, out, &self.console, &self.dirs.interrupt)? {
            self.take(folder);
        }
        Ok(())
    }

    /// Takes a folder into the catalogue.
    pub fn take(&mut self, folder: Folder) {
        self.catalogue.workloads.push(workloads::own(folder.clone()));
        self.own = Some(folder);
    }

    /// The engine of a running server's URL, by its scheme, or as a subject has it (`mysql@mysql://…`); and the URL alone.
    ///
    /// # Errors
    /// The name that no engine has.
    pub fn engine_at<'u>(&self, text: &'u str) -> Result<(&dyn Engine, &'u str), &'u str> {
        let (name, url) = match text.split_once('@') {
            Some((name, url)) if !name.contains("://") => (name, url),
            _ => (text.split("://").next().unwrap_or_default(), text),
        };
        let all = || self.catalogue.engines.iter().map(|engine| &**engine);
        let found = all().find(|engine| engine.name() == name);
        // `postgresql://` is as usual as `postgres://`.
        let found = found.or_else(|| all().find(|engine| name.starts_with(engine.name())));
        found.map(|engine| (engine, url)).ok_or(name)
    }

    /// Keeps the files of a user's own workload with the results.
    ///
    /// # Errors
    /// Environment: they cannot be written.
    pub fn keep_suite(&self, out: &ResultsFolder) -> Result<(), Fault> {
        workloads::keep(self.own.as_ref(), out)
    }

    /// Where the files of one run are, its logs in `logs`.
    pub fn places(&self, allow_external: bool, logs: PathBuf) -> Places {
        Places { dirs: self.dirs(allow_external), logs, on_busy: OnBusy::default() }
    }
}

/// A lab reads results too: verbs that measure end with one that reads, on the same console.
impl Deref for Lab {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

fn catalogue() -> Catalogue {
    Catalogue {
        engines: humdrum_engines::table(),
        workloads: suites::table(),
        host: HostProbes {
            slice: humdrum_probes::table(),
            chunk: humdrum_probes::chunk(),
            steal: humdrum_probes::steal,
            switches: humdrum_probes::switches,
            threads: humdrum_probes::threads,
            device: humdrum_probes::device,
        },
    }
}
