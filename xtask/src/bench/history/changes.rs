//! What a commit changes: one file each.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::Random;

/// Where every statement passes once.
const EXECUTOR: &str = "src/backend/executor/execMain.c";
/// A line of the function there, before which nothing was done.
const BEGINS: &str = "\testate = queryDesc->estate;\n";
/// Folders of which a host compiles only what is its own.
const SOMETIMES: [&str; 2] = ["src/backend/port", "src/backend/jit"];
/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A comment.
    Comment(PathBuf),
    /// A function that nothing calls; it moves the code that lies behind it.
    Function(PathBuf),
    /// Another text of an error.
    Message(PathBuf),
    /// A macro that nothing uses, in a header of few files.
    Macro(PathBuf),
    /// Documentation.
    Document(PathBuf),
    /// A name that there is not.
    Broken(PathBuf),
    /// Takes it out again.
    Repaired(PathBuf),
    /// Work for every statement: so many turns of a loop.
    Slow(u32),
}

impl Change {
    /// The file.
    pub fn file(&self) -> &Path {
        match self {
            Self::Comment(file) | Self::Function(file) | Self::Message(file) | Self::Macro(file) => file,
            Self::Document(file) | Self::Broken(file) | Self::Repaired(file) => file,
            Self::Slow(_) => Path::new(EXECUTOR),
        }
    }

    /// The subject line of the commit. It does not tell which one is bad.
    pub fn subject(&self, number: usize) -> String {
        let what = match self {
            Self::Comment(_) => "Remark in",
            Self::Function(_) => "Add a function to",
            Self::Message(_) => "Reword a message of",
            Self::Macro(_) => "Add a macro to",
            Self::Document(_) => "Document",
            Self::Broken(_) | Self::Slow(_) => "Rework",
            Self::Repaired(_) => "Mend",
        };
        format!("{number}: {what} {}", self.file().display())
    }

    /// The file's new text.
    pub fn apply(&self, text: &str, number: usize) -> String {
        let broken = "int no_such = no_such_name;\n";
        match self {
            Self::Comment(_) => format!("{text}\n/* Remark {number}. */\n"),
            Self::Function(_) => format!("{text}\n{}", function(number)),
            Self::Message(_) => text.replacen(MESSAGE, &format!("{MESSAGE}case {number}: "), 1),
            Self::Macro(_) => format!("{text}\n#define REMARK_{number} {number}\n"),
            Self::Document(_) => format!("{text}\n<!-- Remark {number}. -->\n"),
            Self::Broken(_) => format!("{text}{broken}"),
            Self::Repaired(_) => text.replacen(broken, "", 1),
            Self::Slow(turns) => text.replacen(BEGINS, &format!("{BEGINS}{}", slow(*turns)), 1),
        }
    }
}

/// What every error's text begins with.
const MESSAGE: &str = "errmsg(\"";

/// Enough code to move what lies behind it by more than a line of the cache.
fn function(number: usize) -> String {
    let name = format!("remark_{number}");
    format!(
        "int\t\t\t{name}(int value);\n\nint\n{name}(int value)\n{{\n\tint\t\t\tsum = {number};\n\n\
         \tfor (int bit = 0; bit < value; bit++)\n\t\tsum = sum * 31 + (sum >> bit % 7);\n\treturn sum;\n}}\n"
    )
}

fn slow(turns: u32) -> String {
    format!(
        "\n\tfor (int turn = 0; turn < {turns}; turn++)\n\t{{\n\t\tstatic volatile uint32 fingerprint;\n\n\
         \t\tfingerprint = fingerprint * 31 + turn;\n\t}}\n"
    )
}

/// Files that may be changed, below the folder of the sources.
pub struct Files {
    sources: Vec<PathBuf>,
    messages: Vec<PathBuf>,
    headers: Vec<PathBuf>,
    documents: Vec<PathBuf>,
    has_executor: bool,
}

impl Files {
    /// Of sources of PostgreSQL.
    pub fn below(root: &Path) -> Result<Self, String> {
        let list = |below: &str, end: &str| {
            let mut found = Vec::new();
            walk(root, Path::new(below), end, &mut found);
            found.sort();
            found
        };
        let read = |file: &Path| fs::read_to_string(root.join(file)).unwrap_or_default();
        let mut sources = list("src/backend", ".c");
        // Generated files and parts of other files lack this header. Some folders are not compiled on every host.
        sources.retain(|file| {
            let is_own =
                file != Path::new(EXECUTOR) && !SOMETIMES.iter().any(|below| file.starts_with(below));
            is_own && read(file).lines().any(|line| line == "#include \"postgres.h\"")
        });
        let has_message = |file: &&PathBuf| read(file).contains(MESSAGE);
        let files = Self {
            messages: sources.iter().filter(has_message).cloned().collect(),
            headers: list("src/include/tsearch", ".h"),
            documents: list("doc/src/sgml", ".sgml"),
            has_executor: read(Path::new(EXECUTOR)).contains(BEGINS),
            sources,
        };
        let lists = [&files.sources, &files.messages, &files.headers, &files.documents];
        if lists.iter().any(|list| list.is_empty()) {
            return Err(format!("{} are no sources of PostgreSQL with documentation", root.display()));
        }
        Ok(files)
    }

    /// A file of the server.
    pub fn source(&self, random: &mut Random) -> PathBuf {
        one(&self.sources, random)
    }

    /// A change that makes nothing slower.
    pub fn harmless(&self, random: &mut Random) -> Change {
        match random.below(8) {
            0..=2 => Change::Function(self.source(random)),
            3 => Change::Comment(self.source(random)),
            4 | 5 => Change::Message(one(&self.messages, random)),
            6 => Change::Macro(one(&self.headers, random)),
            _ => Change::Document(one(&self.documents, random)),
        }
    }

    /// The bad change, of so many turns.
    pub fn slow(&self, turns: u32) -> Result<Change, String> {
        let lacks = || format!("{EXECUTOR} of these sources has another beginning of standard_ExecutorRun");
        self.has_executor.then_some(Change::Slow(turns)).ok_or_else(lacks)
    }
}

fn one(files: &[PathBuf], random: &mut Random) -> PathBuf {
    files[random.below(files.len() as u64) as usize].clone()
}

fn walk(root: &Path, below: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(below)).into_iter().flatten().flatten() {
        let path = below.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(root, &path, end, found),
            Ok(kind) if kind.is_file() && path.to_string_lossy().ends_with(end) => found.push(path),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_mended() {
        let file = PathBuf::from("a.c");
        let broken = Change::Broken(file.clone()).apply("int a;\n", 5);
        assert!(broken.contains("no_such_name"));
        assert_eq!(Change::Repaired(file).apply(&broken, 6), "int a;\n");
    }

    #[test]
    fn only_one_place_is_changed() {
        let message = Change::Message("a.c".into());
        assert_eq!(message.apply("errmsg(\"a\") errmsg(\"b\")", 7), "errmsg(\"case 7: a\") errmsg(\"b\")");
        let slow = Change::Slow(5).apply(&format!("{BEGINS}{BEGINS}"), 8);
        assert_eq!(slow.matches("fingerprint * 31").count(), 1);
        assert!(slow.contains("turn < 5;"), "{slow}");
        assert!(Change::Function("a.c".into()).apply("", 9).contains("remark_9(int value)\n{"));
    }
}
