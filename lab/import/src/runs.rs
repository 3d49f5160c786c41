//! Repetitions by test and subject, and what makes them doubtful.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_model::{Fault, Place, Subject};

use crate::files::Group;
use crate::found::{Named, Options, Repetition};
use crate::names;
use crate::source::Source;

/// Subjects of one report.
const SUBJECTS_MAX: usize = 100;

/// One repetition, and which file it is of.
pub(crate) struct Run {
    pub repetition: Repetition,
    pub file: usize,
}

/// One test: its name, what its rate counts, and its clients where tests differ in them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub name: String,
    pub operation: &'static str,
    pub clients: Option<u32>,
    pub reader: &'static str,
}

/// Everything, by test in the order of the files, and by subject, the base first.
pub(crate) struct Runs {
    pub subjects: Vec<Subject>,
    pub tests: Vec<(Key, Vec<Vec<Run>>)>,
}

impl Runs {
    /// Sorts what was found.
    ///
    /// # Errors
    /// Usage: files of no subject, one subject alone, no test that two subjects have, or repetitions that are none.
    pub fn new(sources: &mut [Source], groups: &[Group], options: &Options) -> Result<Self, Fault> {
        let named = test_names(sources, groups, options);
        let subjects = subjects(sources, groups)?;
        let clients = clients(sources);
        let places: BTreeMap<String, usize> =
            subjects.iter().enumerate().map(|(place, one)| (one.label.clone(), place)).collect();
        let mut runs = Self { subjects, tests: Vec::new() };
        let mut known = BTreeMap::new();
        for (file, (source, named)) in sources.iter_mut().zip(named).enumerate() {
            let of_group = groups.get(source.given.group).and_then(|group| group.subject.as_ref());
            for repetition in std::mem::take(&mut source.found.repetitions) {
                let label = label(of_group, repetition.subject.as_ref());
                let Some(subject) = places.get(&label).copied() else { continue };
                let key = Key {
                    name: repetition.test.clone().map_or_else(|| named.clone(), |name| plain(&name)),
                    operation: repetition.operation,
                    clients: repetition.clients.filter(|_| clients.len() > 1),
                    reader: source.reader,
                };
                let place =
                    *known.entry((key.name.clone(), key.operation, key.clients)).or_insert_with(|| {
                        let none = runs.subjects.iter().map(|_| Vec::new()).collect();
                        runs.tests.push((key, none));
                        runs.tests.len() - 1
                    });
                runs.tests[place].1[subject].push(Run { repetition, file });
            }
        }
        runs.check(sources)?;
        Ok(runs)
    }

    /// Repetitions of the base and of a subject, for every comparison that has both.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let of = |(_, runs): &(Key, Vec<Vec<Run>>)| {
            let base = runs.first().map_or(0, Vec::len);
            runs.iter().skip(1).map(move |own| (base, own.len())).collect::<Vec<_>>()
        };
        self.tests.iter().flat_map(of).filter(|(base, own)| *base > 0 && *own > 0).collect()
    }

    fn check(&self, sources: &[Source]) -> Result<(), Fault> {
        if self.pairs().is_empty() {
            return Err(self.nothing_in_common());
        }
        let all = self.tests.iter().flat_map(|(key, subjects)| subjects.iter().map(move |runs| (key, runs)));
        all.into_iter().try_for_each(|(key, runs)| alike(key, runs, sources))
    }

    fn nothing_in_common(&self) -> Fault {
        let of = |subject: usize| {
            let own = self.tests.iter().filter(|(_, runs)| !runs[subject].is_empty());
            let names: Vec<&str> = own.map(|(key, _)| key.name.as_str()).take(5).collect();
            format!("{} has {}", self.subjects[subject].label, names.join(", "))
        };
        let all: Vec<String> = (0..self.subjects.len()).map(of).collect();
        Fault::usage(format!("no test has results of both the base and another subject: {}", all.join("; "))).hint(
            "tests are named by what a file prints, else by its name without the number of a repetition: give the files of \
             one test the same name in a folder for each subject, or name the test with --test",
        )
    }
}

/// The name of a test as reports show it.
fn plain(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = crate::found::shown(&words.join(" "));
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// The name of each file's test, for what does not name it itself.
fn test_names(sources: &[Source], groups: &[Group], options: &Options) -> Vec<String> {
    let mut named: Vec<String> = sources.iter().map(|source| source.reader.to_owned()).collect();
    if let Some(test) = &options.test {
        return vec![test.clone(); sources.len()];
    }
    for (number, group) in groups.iter().enumerate() {
        let places: Vec<usize> =
            (0..sources.len()).filter(|place| sources[*place].given.group == number).collect();
        let paths: Vec<_> = places.iter().map(|place| sources[*place].given.path.as_path()).collect();
        let words = group.subject.as_ref().map(words).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for (place, name) in places.into_iter().zip(names::tests(&paths, &words)) {
            named[place] = name.map_or_else(|| named[place].clone(), |name| plain(&name));
        }
    }
    named
}

/// Words of a subject that names of its files may repeat.
fn words(subject: &Subject) -> Vec<String> {
    let release = match &subject.place {
        Place::Version(version) => version.clone(),
        _ => String::new(),
    };
    vec![subject.label.clone(), format!("{}@{release}", subject.engine), release, subject.engine.clone()]
}

/// The label of whoever a repetition is of.
fn label(of_group: Option<&Subject>, named: Option<&Named>) -> String {
    match (of_group, named) {
        (Some(subject), _) => subject.label.clone(),
        (None, Some(named)) => subject_of(named).label,
        (None, None) => String::new(),
    }
}

/// A subject that a file names.
fn subject_of(named: &Named) -> Subject {
    let engine = if named.engine.is_empty() { "unknown" } else { &named.engine };
    let [engine, release] = [engine, &named.release].map(plain);
    let label = if named.engine.is_empty() { release.clone() } else { format!("{engine}@{release}") };
    Subject { label, engine, place: Place::Version(release), settings: Vec::new() }
}

/// All subjects, the base first: as they were given, then as files name them.
fn subjects(sources: &[Source], groups: &[Group]) -> Result<Vec<Subject>, Fault> {
    let mut all: Vec<Subject> = Vec::new();
    let mut named: Vec<&Named> = Vec::new();
    for group in groups.iter().filter_map(|group| group.subject.as_ref()) {
        if !all.iter().any(|known| known.label == group.label) {
            all.push(group.clone());
        }
    }
    for source in sources {
        let is_given = groups.get(source.given.group).is_some_and(|group| group.subject.is_some());
        for repetition in &source.found.repetitions {
            match (&repetition.subject, is_given) {
                (None, true) => {}
                (Some(own), false) => {
                    if !named.contains(&own) {
                        named.push(own);
                    }
                    if named.len() > SUBJECTS_MAX {
                        let what = format!(
                            "{} names more than {SUBJECTS_MAX} subjects",
                            source.given.path.display()
                        );
                        return Err(
                            Fault::usage(what).hint("choose rows of a table with --only COLUMN=VALUE")
                        );
                    }
                }
                (None, false) => return Err(unsaid(source)),
                (Some(_), true) => return Err(said_twice(source)),
            }
        }
    }
    named.sort_by_key(|named| !named.is_base);
    for subject in named.into_iter().map(subject_of) {
        if !all.iter().any(|known| known.label == subject.label) {
            all.push(subject);
        }
    }
    match all.len() {
        0 => Err(Fault::usage("none of these files has a result")),
        1 => Err(Fault::usage(format!(
            "there is one subject, {}, and nothing to compare it with",
            all[0].label
        ))
        .hint("type FILE... --subject postgres@16.11 FILE... --subject postgres@17.7, the base first")),
        _ => Ok(all),
    }
}

fn unsaid(source: &Source) -> Fault {
    Fault::usage(format!("{} does not say which subject it is of", source.given.path.display()))
        .hint("type the subject after its files: FILE... --subject postgres@16.11")
}

fn said_twice(source: &Source) -> Fault {
    Fault::usage(format!("{} names its subjects itself", source.given.path.display()))
        .hint("name it before all other files and give it no --subject; --only subject=… chooses rows")
}

/// The numbers of clients that occur.
fn clients(sources: &[Source]) -> BTreeSet<u32> {
    sources.iter().flat_map(|source| source.found.repetitions.iter().filter_map(|one| one.clients)).collect()
}

/// Refuses repetitions that were made under different conditions, or at the same time.
fn alike(key: &Key, runs: &[Run], sources: &[Source]) -> Result<(), Fault> {
    let path = |run: &Run| sources[run.file].given.path.display().to_string();
    for pair in runs.windows(2) {
        let [one, other] = [&pair[0], &pair[1]];
        if let Some((name, values)) = difference(&one.repetition.conditions, &other.repetition.conditions) {
            let what = format!(
                "{} and {} are both `{}` and no repetitions: {name} is {} and {}",
                path(one),
                path(other),
                key.name,
                values[0],
                values[1]
            );
            return Err(Fault::usage(what).hint(format!(
                "import them apart, or give files names of their own; of a table, --only {name}={}",
                values[0]
            )));
        }
    }
    let mut spans: Vec<(f64, f64, &Run)> =
        runs.iter().filter_map(|run| run.repetition.span.map(|(from, to)| (from, to, run))).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    match spans.windows(2).find(|pair| pair[1].0 < pair[0].1) {
        Some(pair) => {
            let what = format!(
                "{} and {} ran at the same time: they are parts of one run and no repetitions",
                path(pair[0].2),
                path(pair[1].2)
            );
            Err(Fault::usage(what).hint("put the parts into one file (cat), one file a run"))
        }
        None => Ok(()),
    }
}

/// The first condition that differs, and both values.
fn difference(
    one: &BTreeMap<String, String>,
    other: &BTreeMap<String, String>,
) -> Option<(String, [String; 2])> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let value = |of: &BTreeMap<String, String>, name: &String| {
        of.get(name).cloned().unwrap_or_else(|| "not said".into())
    };
    let found = names.into_iter().find(|name| one.get(*name) != other.get(*name))?;
    Some((found.clone(), [value(one, found), value(other, found)]))
}
