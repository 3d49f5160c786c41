//! The folder of a user's own workload: `workload.toml`, the scripts of its tests and conditions, `schema.sql` and
//! `load.sql`.
//!
//! All of it is read and checked before any server is started. A mistake is named with its file and line.

use std::path::{Path, PathBuf};

use humdrum_contract::{Interrupt, Outcome, Progress, Silent};
use humdrum_model::Fault;
use sha2::{Digest, Sha256};

use crate::checksum;
use crate::condition::Condition;
use crate::data::{self, WrittenData};
use crate::dump::{self, Dump, Statistics};
use crate::effect::Effect;
use crate::given::Given;
use crate::parse::Script;
use crate::source::Source;
use crate::written::{self, EXAMPLE, NamedScale, Protocol, Written};

mod files;

use files::{Attached, Files, WORKLOAD};

/// A workload's folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// The workload's name.
    pub name: String,
    /// What it is, in one line.
    pub about: Option<String>,
    /// How statements are sent.
    pub protocol: Protocol,
    /// Rows of all tables at scale 1, if they are given.
    pub rows: Option<u64>,
    /// Smallest first.
    pub scales: Vec<NamedScale>,
    /// In the order of the file.
    pub tests: Vec<ScriptTest>,
    /// The mix of the tests: positions and weights. Empty without a mix.
    pub mix: Vec<(usize, u64)>,
    /// What must hold after all work.
    pub conditions: Vec<Condition>,
    /// The tables that `workload.toml` describes rows of, in its order.
    pub(crate) data: Vec<data::Table>,
    /// The dump that makes and fills the tables, in place of `schema.sql`.
    pub(crate) dump: Option<Dump>,
    /// Where the optimizer's statistics come from.
    pub(crate) statistics: Statistics,
    /// The scripts that create the tables, by engine; without one for all others.
    schemas: Vec<ForEngine>,
    /// The scripts that fill them, likewise.
    loads: Vec<ForEngine>,
    /// All files that were read, by name.
    files: Vec<(String, String)>,
    /// Files that are not held in memory.
    attached: Vec<Attached>,
}

/// A script that is for one engine, or for all that have none of their own.
type ForEngine = (Option<String>, Script);

/// A test: a script that is run as one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptTest {
    /// Its name.
    pub name: String,
    /// Its group: the one that is given, else `read` or `write`.
    pub group: String,
    /// What it is, in one line, if that is given.
    pub about: Option<String>,
    /// Its file.
    pub file: String,
    /// What it does to the tables.
    pub effect: Effect,
    /// One operation takes longer than a slice.
    pub long: bool,
    /// Its script.
    pub script: Script,
}

impl Folder {
    /// Reads a folder and the scripts of its tests.
    ///
    /// # Errors
    /// Usage: a file that is missing or cannot be read, a key that is unknown or missing, a mistake in a script.
    pub fn read(path: &Path) -> Outcome<Self> {
        Self::read_with(path, &Given::default(), &Silent, &Interrupt::new())
    }

    /// The same with what a command says of the data. A dump is read to its end, which takes time.
    ///
    /// # Errors
    /// As `read`; interrupted.
    pub fn read_with(
        path: &Path,
        given: &Given,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<Self> {
        is_there(path)?;
        let mut files = Files { path, read: Vec::new(), attached: Vec::new() };
        let text = files.text(WORKLOAD);
        let text = text.map_err(|fault| fault.hint(format!("it begins like this:\n{EXAMPLE}")))?;
        let shown = path.join(WORKLOAD).display().to_string();
        let source = Source { file: &shown, text: &text };
        let written = written::read(&source).map_err(hinted)?;
        let (protocol, rows) = (written.protocol(&source)?, written.rows(&source)?);
        let (scales, mix) = (written.scales(&source)?, written.weights(&source)?);
        let tests = written.test.iter().map(|test| files.test(&source, test)).collect::<Outcome<Vec<_>>>()?;
        let conditions = written.condition.iter().map(|condition| files.condition(&source, condition));
        let conditions = conditions.collect::<Outcome<Vec<_>>>()?;
        without_pipelines(protocol, &tests)?;
        let schemas = files.by_engine("schema")?;
        let chosen = given.choose(path, &source, &written)?;
        if schemas.is_empty() && chosen.is_none() {
            let fault = Fault::usage("no schema.sql creates the tables").at(path.display().to_string());
            return Err(fault.hint("write schema.sql, or schema.ENGINE.sql for each engine alone"));
        }
        let loads = files.by_engine("load")?;
        let data = described(&written, &source, &mut files)?;
        let (dump, statistics) = match chosen {
            None => (None, Statistics::Renew),
            Some(chosen) => {
                let dump = dump::survey(&chosen.path, chosen.on_refused, progress, interrupt)?;
                let statistics = chosen.statistics(&dump, given, &source, progress)?;
                files.say(WORKLOAD, &chosen.text(&source, statistics));
                (Some(dump), statistics)
            }
        };
        let (name, attached, files) = (written.name.into_inner(), files.attached, files.read);
        let path = path.to_owned();
        Ok(Self {
            path,
            name,
            about: written.about,
            protocol,
            rows,
            scales,
            tests,
            mix,
            conditions,
            data,
            dump,
            statistics,
            schemas,
            loads,
            files,
            attached,
        })
    }

    /// The script that creates the tables: the first that is for an engine of one of these names, else the common one.
    ///
    /// # Errors
    /// Usage: there is none.
    pub fn schema(&self, names: &[&str]) -> Outcome<&Script> {
        chosen(&self.schemas, names).ok_or_else(|| {
            let own = names.last().copied().unwrap_or("ENGINE");
            let fault = Fault::usage(format!("no schema.sql or schema.{own}.sql creates the tables"));
            fault.at(self.path.display().to_string()).hint(format!("write schema.{own}.sql"))
        })
    }

    /// The script that fills the tables, if there is one, chosen alike.
    pub fn load(&self, names: &[&str]) -> Option<&Script> {
        chosen(&self.loads, names)
    }

    /// What the places of its mistakes begin with: its own path and that of its dump.
    pub fn paths(&self) -> Vec<String> {
        let dump = self.dump.iter().map(|dump| &dump.path);
        std::iter::once(&self.path).chain(dump).map(|path| path.display().to_string()).collect()
    }

    /// A checksum of all files: equal exactly for equal workloads.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for (name, text) in &self.files {
            for part in [name, text] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part.as_bytes());
            }
        }
        self.attached.iter().for_each(|file| hash.update(format!("{} {}\n", file.sha256, file.name)));
        self.dump.iter().for_each(|dump| hash.update(&dump.sha256));
        checksum::in_hex(hash)
    }

    /// Writes the files that were read into another folder.
    ///
    /// # Errors
    /// Environment: a file cannot be written.
    pub fn copy_to(&self, folder: &Path) -> Outcome<()> {
        for (name, text) in &self.files {
            let file = folder.join(name);
            let parent = file.parent().unwrap_or(folder);
            let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&file, text));
            written.map_err(|error| Fault::environment(error.to_string()).at(file.display().to_string()))?;
        }
        self.attached.iter().try_for_each(|file| file.copy_to(folder))
    }

    /// Rows of all tables at a scale, as far as they are known; 0 if they are not.
    pub(crate) fn rows_at(&self, scale: u64) -> u64 {
        let made = |table: &data::Table| table.count(scale).unwrap_or(0);
        match self.rows {
            Some(rows) => rows.saturating_mul(scale),
            None => match &self.dump {
                Some(dump) => dump.rows,
                None => self.data.iter().map(made).fold(0, u64::saturating_add),
            },
        }
    }
}

fn is_there(path: &Path) -> Outcome<()> {
    let fault = || Fault::usage("there is no such folder").at(path.display().to_string());
    path.is_dir()
        .then_some(())
        .ok_or_else(|| fault().hint("humdrum suite new NAME makes one that runs at once"))
}

/// Text with values in it has no pipelines.
fn without_pipelines(protocol: Protocol, tests: &[ScriptTest]) -> Outcome<()> {
    if protocol != Protocol::Simple {
        return Ok(());
    }
    let why = "pipelines are of the protocols prepared and extended, and this workload has `simple`";
    let hint = "take the pipeline out, or write protocol = \"extended\" in workload.toml";
    tests.iter().try_for_each(|test| test.script.without_pipelines(why, hint))
}

/// The tables that `workload.toml` describes rows of.
fn described(written: &Written, source: &Source<'_>, files: &mut Files<'_>) -> Outcome<Vec<data::Table>> {
    match written.data.as_ref().map(toml::Spanned::get_ref) {
        Some(WrittenData::Tables(tables)) => {
            let tables = tables.iter().map(|table| table.get_ref().check(source, files));
            tables.collect::<Outcome<_>>().map_err(hinted)
        }
        Some(WrittenData::Dump(_)) | None => Ok(Vec::new()),
    }
}

/// A fault with something to do next: where the language is described, if nothing else is known.
fn hinted(fault: Fault) -> Fault {
    if fault.hint.is_some() {
        fault
    } else {
        fault.hint("docs/your-workload.md describes folders and scripts")
    }
}

fn chosen<'a>(scripts: &'a [ForEngine], names: &[&str]) -> Option<&'a Script> {
    let of = |wanted: Option<&str>| scripts.iter().find(|(name, _)| name.as_deref() == wanted);
    let own = names.iter().find_map(|name| of(Some(name)));
    own.or_else(|| of(None)).map(|(_, script)| script)
}
