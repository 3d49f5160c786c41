//! The files of a folder: they are read, checked, and remembered for the copy that is kept with results.

use std::path::{Component, Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use toml::Spanned;

use super::{ForEngine, ScriptTest, hinted};
use crate::checksum;
use crate::condition::Condition;
use crate::data::{Csv, Sources};
use crate::effect::Effect;
use crate::parse::Script;
use crate::sample::{Opener, Samples};
use crate::source::{Source, meant};
use crate::written::{WrittenCondition, WrittenTest};

impl Opener for Files<'_> {
    fn samples(&mut self, name: &str, place: &str) -> Outcome<Samples> {
        let path = self.inside(name).map_err(|fault| fault.at(place.to_owned()))?;
        self.attach(name, &path)?;
        Samples::read(Csv::open(&path)?, &path.display().to_string())
    }
}

/// The name of `workload.toml`, in which other files are named.
pub(super) const WORKLOAD: &str = "workload.toml";

/// The files of a folder, and those that were read.
pub(super) struct Files<'a> {
    pub(super) path: &'a Path,
    pub(super) read: Vec<(String, String)>,
    pub(super) attached: Vec<Attached>,
}

/// A file of data, which may be large.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attached {
    pub(super) name: String,
    path: PathBuf,
    pub(super) sha256: String,
}

impl Attached {
    fn of(name: &str, path: PathBuf) -> Outcome<Self> {
        let sha256 = checksum::of_file(&path)?;
        Ok(Self { name: name.to_owned(), path, sha256 })
    }

    /// Copies it into another folder.
    pub(super) fn copy_to(&self, folder: &Path) -> Outcome<()> {
        let file = folder.join(&self.name);
        let parent = file.parent().unwrap_or(folder);
        let copied = std::fs::create_dir_all(parent).and_then(|()| std::fs::copy(&self.path, &file));
        copied.map(drop).map_err(|error| Fault::environment(error.to_string()).at(file.display().to_string()))
    }
}

impl Files<'_> {
    pub(super) fn text(&mut self, name: &str) -> Outcome<String> {
        let file = self.path.join(name);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Fault::usage(error.to_string()).at(file.display().to_string()))
            .map_err(|fault| fault.hint("a script is a file of text in UTF-8 that you may read"))?;
        if !self.read.iter().any(|(known, _)| known == name) {
            self.read.push((name.to_owned(), text.clone()));
        }
        Ok(text)
    }

    /// Another text for a file that was read.
    pub(super) fn say(&mut self, name: &str, text: &str) {
        self.read.iter_mut().filter(|(known, _)| known == name).for_each(|(_, now)| text.clone_into(now));
    }

    fn script(&mut self, name: &str) -> Outcome<Script> {
        let text = self.text(name)?;
        let file = self.path.join(name).display().to_string();
        Script::parse_with(&Source { file: &file, text: &text }, self).map_err(hinted)
    }

    pub(super) fn test(&mut self, source: &Source<'_>, test: &WrittenTest) -> Outcome<ScriptTest> {
        let named = test.file.get_ref();
        let script = self.named(source, &test.file, ("measure", "SELECT 1;"))?;
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

    pub(super) fn condition(
        &mut self,
        source: &Source<'_>,
        condition: &WrittenCondition,
    ) -> Outcome<Condition> {
        let script = self.named(source, &condition.file, ("check", "SELECT id FROM t WHERE a < 0;"))?;
        Condition::new(condition.name.get_ref().clone(), condition.about.clone(), script)
    }

    /// The script that `workload.toml` names; what it is to do, and a statement that does it.
    fn named(
        &mut self,
        source: &Source<'_>,
        file: &Spanned<String>,
        (does, example): (&str, &str),
    ) -> Outcome<Script> {
        let (named, place) = (file.get_ref(), file.span().start);
        self.check_file(source, named, place)?;
        let script = self.script(named)?;
        if script.statements().next().is_none() {
            let what = format!("`{named}` has no SQL statement, so that it would {does} nothing");
            return Err(source.fault(place, what).hint(format!("write one, as {example}")));
        }
        Ok(script)
    }

    /// The file must be in the folder, because the folder is what is kept with the results.
    fn check_file(&self, source: &Source<'_>, named: &str, place: usize) -> Outcome<()> {
        self.inside(named).map(drop).map_err(|fault| fault.at(source.place(place)))
    }

    /// The path of a file of the folder.
    fn inside(&self, named: &str) -> Outcome<PathBuf> {
        if !Path::new(named).components().all(|part| matches!(part, Component::Normal(_))) {
            let fault = Fault::usage(format!("`{named}` is not in this folder"));
            return Err(fault.hint("copy it into the folder and name it from there on"));
        }
        let path = self.path.join(named);
        if path.is_file() {
            return Ok(path);
        }
        let fault = Fault::usage(format!("no file `{named}` in {}", self.path.display()));
        let others = self.names();
        Err(match meant(named, others.iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean `{near}`?")),
            None => fault.hint("a file is named from this folder on"),
        })
    }

    /// The scripts of `STEM.sql` and `STEM.ENGINE.sql`.
    pub(super) fn by_engine(&mut self, stem: &str) -> Outcome<Vec<ForEngine>> {
        let mut found = Vec::new();
        for name in self.names() {
            let middle = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(".sql"));
            let engine = match middle {
                Some("") => None,
                Some(middle) if middle.starts_with('.') => Some(middle[1..].to_owned()),
                _ => continue,
            };
            let script = self.script(&name)?;
            script.without_pipelines(
                "pipelines are for tests: these statements are sent one by one",
                "take the lines of the pipeline out",
            )?;
            found.push((engine, script));
        }
        Ok(found)
    }

    /// Opens a CSV file that is named at a byte of `workload.toml`.
    fn open_csv(&mut self, name: &str, offset: usize) -> Outcome<(PathBuf, Csv)> {
        let (_, text) = self.read.iter().find(|(known, _)| known == WORKLOAD).cloned().unwrap_or_default();
        let shown = self.path.join(WORKLOAD).display().to_string();
        self.check_file(&Source { file: &shown, text: &text }, name, offset)?;
        let path = self.path.join(name);
        self.attach(name, &path)?;
        let csv = Csv::open(&path)?;
        Ok((path, csv))
    }

    /// Remembers a file of data for the copy that is kept with results.
    fn attach(&mut self, name: &str, path: &Path) -> Outcome<()> {
        if !self.attached.iter().any(|known| known.name == name) {
            self.attached.push(Attached::of(name, path.to_owned())?);
        }
        Ok(())
    }

    /// Names of the files that may be scripts or data, sorted.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(".sql") || name.ends_with(".csv")).collect();
        names.sort();
        names
    }
}

impl Sources for Files<'_> {
    fn csv(&mut self, name: &str, offset: usize) -> Outcome<(PathBuf, Vec<String>, u64)> {
        let (path, mut csv) = self.open_csv(name, offset)?;
        let (mut rows, mut row) = (0, Vec::new());
        while csv.next(&mut row)? {
            rows += 1;
        }
        Ok((path, csv.columns, rows))
    }

    fn csv_column(
        &mut self,
        name: &str,
        column: Option<&str>,
        offset: usize,
    ) -> Outcome<Vec<Option<Vec<u8>>>> {
        let (path, mut csv) = self.open_csv(name, offset)?;
        let wanted = match column {
            Some(column) => csv.columns.iter().position(|known| known == column),
            None => (csv.columns.len() == 1).then_some(0),
        };
        let Some(wanted) = wanted else {
            let what = match column {
                Some(column) => format!("it has no column `{column}`"),
                None => "it has several columns, and none is named".to_owned(),
            };
            let fault = Fault::usage(what).at(format!("{}:1:1", path.display()));
            return Err(fault.hint(format!("type column = \"…\" with one of: {}", csv.columns.join(", "))));
        };
        let (mut values, mut row) = (Vec::new(), Vec::new());
        while csv.next(&mut row)? {
            values.push(row.swap_remove(wanted));
        }
        Ok(values)
    }
}
