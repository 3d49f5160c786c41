//! The folder of a user's own workload: `workload.toml`, the scripts of its tests, `schema.sql` and `load.sql`.
//!
//! All of it is read and checked before any server is started. A mistake is named with its file and line.

use std::path::{Component, Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::effect::Effect;
use crate::parse::Script;
use crate::source::{Source, meant};
use crate::written::{self, EXAMPLE, NamedScale, Protocol, WrittenTest};

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
    /// The scripts that create the tables, by engine; without one for all others.
    schemas: Vec<ForEngine>,
    /// The scripts that fill them, likewise.
    loads: Vec<ForEngine>,
    /// All files that were read, by name.
    files: Vec<(String, String)>,
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
        if !path.is_dir() {
            let fault = Fault::usage("there is no such folder").at(path.display().to_string());
            return Err(fault.hint("humdrum suite new NAME makes one that runs at once"));
        }
        let mut files = Files { path, read: Vec::new() };
        let text = files.text("workload.toml");
        let text = text.map_err(|fault| fault.hint(format!("it begins like this:\n{EXAMPLE}")))?;
        let shown = path.join("workload.toml").display().to_string();
        let source = Source { file: &shown, text: &text };
        let written = written::read(&source).map_err(hinted)?;
        let (protocol, rows) = (written.protocol(&source)?, written.rows(&source)?);
        let (scales, mix) = (written.scales(&source)?, written.weights(&source)?);
        let tests = written.test.iter().map(|test| files.test(&source, test)).collect::<Outcome<Vec<_>>>()?;
        let schemas = files.by_engine("schema")?;
        if schemas.is_empty() {
            let fault = Fault::usage("no schema.sql creates the tables").at(path.display().to_string());
            return Err(fault.hint("write schema.sql, or schema.ENGINE.sql for each engine alone"));
        }
        let loads = files.by_engine("load")?;
        let (name, files) = (written.name.into_inner(), files.read);
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
            schemas,
            loads,
            files,
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

    /// A checksum of all files: equal exactly for equal workloads.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for (name, text) in &self.files {
            for part in [name, text] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part.as_bytes());
            }
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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
        Ok(())
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

/// The files of a folder, and those that were read.
struct Files<'a> {
    path: &'a Path,
    read: Vec<(String, String)>,
}

impl Files<'_> {
    fn text(&mut self, name: &str) -> Outcome<String> {
        let file = self.path.join(name);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Fault::usage(error.to_string()).at(file.display().to_string()))
            .map_err(|fault| fault.hint("a script is a file of text in UTF-8 that you may read"))?;
        if !self.read.iter().any(|(known, _)| known == name) {
            self.read.push((name.to_owned(), text.clone()));
        }
        Ok(text)
    }

    fn script(&mut self, name: &str) -> Outcome<Script> {
        let text = self.text(name)?;
        let file = self.path.join(name).display().to_string();
        Script::parse(&Source { file: &file, text: &text }).map_err(hinted)
    }

    fn test(&mut self, source: &Source<'_>, test: &WrittenTest) -> Outcome<ScriptTest> {
        let (named, place) = (test.file.get_ref(), test.file.span().start);
        self.check_file(source, &test.file)?;
        let script = self.script(named)?;
        if script.statements().next().is_none() {
            let what = format!("`{named}` has no SQL statement, so that it would measure nothing");
            return Err(source.fault(place, what).hint("write at least one, as SELECT 1;"));
        }
        let group = test.group.as_ref().map(|group| group.get_ref().clone());
        let said = test.writes.or(match group.as_deref() {
            Some("write") => Some(true),
            Some("read") => Some(false),
            _ => None,
        });
        let effect = Effect::of(&script).or_as_said(said);
        let group = group.unwrap_or_else(|| effect.group().to_owned());
        let (name, about) = (test.name.get_ref().clone(), test.about.clone());
        Ok(ScriptTest { name, group, about, file: named.clone(), effect, long: test.long, script })
    }

    /// The file must be in the folder, because the folder is what is kept with the results.
    fn check_file(&self, source: &Source<'_>, file: &Spanned<String>) -> Outcome<()> {
        let (named, place) = (file.get_ref(), file.span().start);
        if !Path::new(named).components().all(|part| matches!(part, Component::Normal(_))) {
            let fault = source.fault(place, format!("`{named}` is not in this folder"));
            return Err(fault.hint("copy it into the folder and name it from there on"));
        }
        if self.path.join(named).is_file() {
            return Ok(());
        }
        let fault = source.fault(place, format!("no file `{named}` in {}", self.path.display()));
        let others = self.names();
        Err(match meant(named, others.iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean `{near}`?")),
            None => fault.hint("a file is named from this folder on"),
        })
    }

    /// The scripts of `STEM.sql` and `STEM.ENGINE.sql`.
    fn by_engine(&mut self, stem: &str) -> Outcome<Vec<ForEngine>> {
        let mut found = Vec::new();
        for name in self.names() {
            let middle = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(".sql"));
            let engine = match middle {
                Some("") => None,
                Some(middle) if middle.starts_with('.') => Some(middle[1..].to_owned()),
                _ => continue,
            };
            found.push((engine, self.script(&name)?));
        }
        Ok(found)
    }

    /// Names of the files that may be scripts, sorted.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".sql")).collect();
        names.sort();
        names
    }
}
