//! Options of `humdrum import`. Which files belong to which subject follows from their order, which the parser's derived code
//! does not tell; so this reads the positions itself.

use std::path::PathBuf;

use clap::error::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// Below the options.
pub fn help() -> String {
    let formats = humdrum_import::table();
    let formats = formats.iter().map(|one| format!("  {:<17}{}", one.name(), one.about()));
    format!("{HELP}{}", formats.collect::<Vec<_>>().join("\n"))
}

const HELP: &str = "Type the files of each subject and then the subject, the base first:\n\n  \
    humdrum import old/16.11 --subject postgres@16.11 old/17.7 --subject postgres@17.7 -o DIR\n  \
    humdrum import a.json --subject old=x@1.0 b.json --subject new=x@1.1 -o DIR\n  \
    humdrum import published.tsv -o DIR              a table names its subjects itself\n\n\
    A test has the name that the file prints, else the file's own: read_only.run1.log and\n\
    read_only.run2.log are two repetitions of read_only. Several runs in one file are\n\
    repetitions too. One run of each subject gives a ratio without an interval, and no verdict.\n\
    docs/import.md says what an interval between repetitions does not cover.\n\n\
    Formats:\n";

/// `humdrum import`, as the parser has it.
#[derive(Args, Clone, Debug)]
struct Typed {
    /// Files, or folders of files; a format's name first reads all of them by that format
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose the files before it are: postgres@16.11, new=postgres@/opt/pg
    #[arg(long, value_name = "SUBJECT")]
    subject: Vec<String>,
    /// The format of all files [default: each file shows it]
    #[arg(long)]
    format: Option<String>,
    /// The test's name, for files that do not print one
    #[arg(long)]
    test: Option<String>,
    /// Rows of a table to read: clients=1; may be given more than once
    #[arg(long, value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// The host that they were measured on, in words
    #[arg(long)]
    host: Option<String>,
    /// Folder for the results; it must not exist
    #[arg(short, long)]
    out: PathBuf,
    /// Write summary.json here too; `-` is standard output
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Files of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// As typed; `None` for files without one.
    pub subject: Option<String>,
    /// In their order.
    pub paths: Vec<PathBuf>,
}

/// `humdrum import`.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Files by subject, in their order; none where a subject has none.
    pub groups: Vec<Files>,
    /// Subjects were typed before their files, and not after them.
    pub subjects_first: bool,
    /// The format of all files.
    pub format: Option<String>,
    /// The test's name.
    pub test: Option<String>,
    /// Rows of a table.
    pub only: Vec<String>,
    /// The host, in words.
    pub host: Option<String>,
    /// Folder for the results.
    pub out: PathBuf,
    /// Where summary.json goes too.
    pub json: Option<PathBuf>,
}

impl Args for ImportOptions {
    fn augment_args(command: Command) -> Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args_for_update(command)
    }
}

impl FromArgMatches for ImportOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self> {
        let mut typed = Typed::from_arg_matches(matches)?;
        let places = |name: &str| -> Vec<usize> {
            matches.indices_of(name).map(Iterator::collect).unwrap_or_default()
        };
        let mut files: Vec<(usize, PathBuf)> =
            places("files").into_iter().zip(std::mem::take(&mut typed.files)).collect();
        let subjects: Vec<(usize, String)> =
            places("subject").into_iter().zip(std::mem::take(&mut typed.subject)).collect();
        let format = typed.format.take().or_else(|| format(&mut files));
        let subjects_first =
            !files.is_empty() && subjects.first().is_some_and(|(subject, _)| *subject < files[0].0);
        let groups = groups(files, subjects, subjects_first);
        let Typed { test, only, host, out, json, .. } = typed;
        Ok(Self { groups, subjects_first, format, test, only, host, out, json })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The format that the first word names, unless it is a file as well.
fn format(files: &mut Vec<(usize, PathBuf)>) -> Option<String> {
    let first = files.first()?.1.to_str()?.to_owned();
    let is_format = humdrum_import::table().iter().any(|reader| reader.name() == first);
    (is_format && files.len() > 1 && !std::path::Path::new(&first).exists()).then(|| {
        files.remove(0);
        first
    })
}

/// Each subject with the files before it, or with those after it if the first word is a subject.
fn groups(files: Vec<(usize, PathBuf)>, subjects: Vec<(usize, String)>, subjects_first: bool) -> Vec<Files> {
    let mut groups: Vec<Files> = subjects
        .iter()
        .map(|(_, subject)| Files { subject: Some(subject.clone()), paths: Vec::new() })
        .collect();
    let mut alone = Files { subject: None, paths: Vec::new() };
    for (place, path) in files {
        let after = subjects.iter().position(|(subject, _)| *subject > place);
        let own = if subjects_first { after.unwrap_or(subjects.len()).checked_sub(1) } else { after };
        match own {
            Some(number) => groups[number].paths.push(path),
            None => alone.paths.push(path),
        }
    }
    groups.extend((!alone.paths.is_empty()).then_some(alone));
    groups
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Verb};

    fn parse(typed: &str) -> std::result::Result<ImportOptions, clap::Error> {
        let words = format!("humdrum import {typed} -o out");
        match Arguments::try_parse_from(words.split(' '))?.verb {
            Verb::Import(options) => Ok(options),
            _ => panic!("another verb"),
        }
    }

    fn told(typed: &str) -> Vec<String> {
        let one = |group: Files| {
            let paths: Vec<String> = group.paths.iter().map(|path| path.display().to_string()).collect();
            format!("{}: {}", group.subject.as_deref().unwrap_or("-"), paths.join(" "))
        };
        parse(typed).expect("parses").groups.into_iter().map(one).collect()
    }

    #[test]
    fn files_belong_to_the_subject_after_them() {
        assert_eq!(told("a b --subject x@1 c --subject x@2"), ["x@1: a b", "x@2: c"]);
        assert_eq!(told("a b"), ["-: a b"]);
        assert_eq!(told("a --subject x@1 table"), ["x@1: a", "-: table"]);
    }

    #[test]
    fn files_belong_to_the_subject_before_them_if_it_comes_first() {
        assert_eq!(told("--subject x@1 a b --subject x@2 c"), ["x@1: a b", "x@2: c"]);
    }

    #[test]
    fn a_subject_may_be_left_without_files() {
        assert_eq!(told("a --subject x@1 --subject x@2"), ["x@1: a", "x@2: "]);
        assert_eq!(told("--subject x@1 --subject x@2 a"), ["x@1: ", "x@2: a"]);
    }

    #[test]
    fn the_first_word_may_be_a_format() {
        let options = parse("hyperfine a.json --subject x@1 b.json --subject x@2").expect("parses");
        assert_eq!((options.format.as_deref(), options.groups[0].paths.len()), (Some("hyperfine"), 1));
        assert_eq!(parse("a --subject x@1 --format tsv").expect("parses").format.as_deref(), Some("tsv"));
        assert_eq!(parse("hyperfine").expect("parses").format, None);
    }
}
