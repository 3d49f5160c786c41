//! The folder of a user's own workload: `workload.toml`, the scripts of its tests, `schema.sql` and `load.sql`.
//!
//! All of it is read and checked before any server is started. A mistake is named with its file and line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use serde::Deserialize;
use toml::Spanned;

use crate::parse::Script;
use crate::source::{Source, meant};

/// A workload's folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// The workload's name.
    pub name: String,
    /// What it is, in one line.
    pub about: Option<String>,
    /// In the order of the file.
    pub tests: Vec<ScriptTest>,
}

/// A test: a script that is run as one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptTest {
    /// Its name.
    pub name: String,
    /// Its group, if one is given.
    pub group: Option<String>,
    /// Its script.
    pub script: Script,
}

/// `workload.toml` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: Spanned<String>,
    about: Option<String>,
    #[serde(default)]
    test: Vec<WrittenTest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTest {
    name: Spanned<String>,
    file: Spanned<String>,
    group: Option<Spanned<String>>,
}

const EXAMPLE: &str = "name = \"shop\"\n[[test]]\nname = \"checkout\"\nfile = \"checkout.sql\"";

impl Folder {
    /// Reads a folder and the scripts of its tests.
    ///
    /// # Errors
    /// Usage: a file that is missing or cannot be read, a key that is unknown or missing, a mistake in a script.
    pub fn read(path: &Path) -> Outcome<Self> {
        let file = path.join("workload.toml");
        let text = read(&file).map_err(|fault| fault.hint(format!("it begins like this:\n{EXAMPLE}")))?;
        let shown = file.display().to_string();
        let source = Source { file: &shown, text: &text };
        let written: Written = toml::from_str(&text).map_err(|error| {
            let offset = error.span().map_or(0, |span: Range<usize>| span.start);
            source.fault(offset, error.message())
        })?;
        check_name(&source, &written.name)?;
        if written.test.is_empty() {
            let fault = source.fault(text.len(), "the workload has no test");
            return Err(fault.hint(format!("it begins like this:\n{EXAMPLE}")));
        }
        let mut tests: Vec<ScriptTest> = Vec::new();
        for test in &written.test {
            if tests.iter().any(|known| known.name == *test.name.get_ref()) {
                let what = format!("there is another test `{}` above", test.name.get_ref());
                return Err(source.fault(test.name.span().start, what));
            }
            tests.push(read_test(path, &source, test)?);
        }
        Ok(Self { path: path.to_owned(), name: written.name.into_inner(), about: written.about, tests })
    }

    /// The statements that create the tables: those of `schema.DIALECT.sql`, else of `schema.sql`.
    ///
    /// # Errors
    /// Usage: neither file is there, or a mistake in it.
    pub fn schema(&self, dialect: &str) -> Outcome<Script> {
        let own = self.path.join(format!("schema.{dialect}.sql"));
        let common = self.path.join("schema.sql");
        let hint = format!("write schema.sql, or schema.{dialect}.sql for this engine alone");
        script(if own.exists() { &own } else { &common }).map_err(|fault| {
            match common.exists() || own.exists() {
                true => fault,
                false => fault.hint(hint),
            }
        })
    }

    /// The statements of `load.sql`, if there is such a file.
    ///
    /// # Errors
    /// Usage: a mistake in it.
    pub fn load(&self) -> Outcome<Option<Script>> {
        let file = self.path.join("load.sql");
        if file.exists() { script(&file).map(Some) } else { Ok(None) }
    }
}

fn read_test(folder: &Path, source: &Source<'_>, test: &WrittenTest) -> Outcome<ScriptTest> {
    check_name(source, &test.name)?;
    if let Some(group) = &test.group {
        check_name(source, group)?;
    }
    let (named, place) = (test.file.get_ref(), test.file.span().start);
    let file = folder.join(named);
    if !file.is_file() {
        let fault = source.fault(place, format!("no file `{named}` in {}", folder.display()));
        let others = scripts(folder);
        return Err(match meant(named, others.iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean `{near}`?")),
            None => fault.hint("a file is named from this folder on"),
        });
    }
    let script = script(&file)?;
    if script.statements().next().is_none() {
        return Err(
            source.fault(place, format!("`{named}` has no SQL statement, so that it would measure nothing"))
        );
    }
    let group = test.group.as_ref().map(|group| group.get_ref().clone());
    Ok(ScriptTest { name: test.name.get_ref().clone(), group, script })
}

/// Names are part of command lines and of addresses in reports.
fn check_name(source: &Source<'_>, name: &Spanned<String>) -> Outcome<()> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.=".contains(letter);
    let text = name.get_ref();
    if text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.chars().all(allowed) {
        return Ok(());
    }
    let fault = source.fault(name.span().start, format!("`{text}` cannot be a name"));
    Err(fault.hint("a name begins with a letter or digit and has letters, digits, -, _, . and = only"))
}

/// Names of the files that may be tests.
fn scripts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.ends_with(".sql")).collect()
}

fn script(file: &Path) -> Outcome<Script> {
    let text = read(file)?;
    Script::parse(&Source { file: &file.display().to_string(), text: &text })
}

fn read(file: &Path) -> Outcome<String> {
    std::fs::read_to_string(file)
        .map_err(|error| Fault::usage(error.to_string()).at(file.display().to_string()))
}
