//! What a command says about a folder's data. It becomes part of the `workload.toml` that is kept with results, so that a run
//! that goes on restores the same dump in the same way.

use std::ops::Range;
use std::path::{Path, PathBuf};

use humdrum_contract::{Outcome, Progress, Update};
use humdrum_model::Fault;

use crate::data::WrittenData;
use crate::dump::{Dump, OnRefused, Statistics, WRITERS};
use crate::source::Source;
use crate::written::Written;

/// What a command says about a folder's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// `--data`: a dump in place of the folder's data.
    pub data: Option<PathBuf>,
    /// `--on-restore-error`: `stop` or `skip`.
    pub on_restore_error: Option<String>,
    /// Whether servers of all subjects take the optimizer's statistics from a dump, where the subjects are known.
    pub imports_statistics: Option<bool>,
}

/// The dump that is to be restored, and what `workload.toml` says of it then.
pub(crate) struct Chosen {
    pub(crate) path: PathBuf,
    pub(crate) on_refused: OnRefused,
    statistics: Option<(Statistics, Range<usize>)>,
    keys: Vec<Key>,
}

/// A key, where its value stands if it has one, and its value.
type Key = (&'static str, Option<Range<usize>>, String);

impl Chosen {
    /// Where the statistics of a dump's tables come from: from the dump, if it has some and all subjects take them.
    ///
    /// # Errors
    /// Usage: the file says so, and it cannot be.
    pub(crate) fn statistics(
        &self,
        dump: &Dump,
        given: &Given,
        source: &Source<'_>,
        progress: &dyn Progress,
    ) -> Outcome<Statistics> {
        let has_some = dump.statistics > 0;
        let refuse = |span: &Range<usize>, what: &str, hint: &str| {
            Err(source.fault(span.start, what.to_owned()).hint(hint))
        };
        let statistics = match &self.statistics {
            Some((Statistics::Import, span)) if !has_some => {
                let hint = "make it by `pg_dump --statistics`, or take this line out";
                return refuse(span, "the dump has no statistics", hint);
            }
            Some((Statistics::Import, span)) if given.imports_statistics == Some(false) => {
                let hint = "take this line out: all renew them then";
                return refuse(span, "not every subject takes statistics from a dump", hint);
            }
            Some((said, _)) => *said,
            None if has_some && given.imports_statistics == Some(true) => Statistics::Import,
            None => Statistics::Renew,
        };
        if has_some && statistics == Statistics::Renew && given.imports_statistics.is_some() {
            progress.update(Update::Note("the statistics of the dump are not imported, but taken anew"));
        }
        Ok(statistics)
    }

    /// The text of `workload.toml` with all that a later reading needs.
    pub(crate) fn text(&self, source: &Source<'_>, statistics: Statistics) -> String {
        let mut keys = self.keys.clone();
        if statistics == Statistics::Import {
            let span = self.statistics.as_ref().map(|(_, span)| span.clone());
            keys.push(("statistics", span, statistics.word().to_owned()));
        }
        // From the end on, so that the places of the others stay what they are.
        keys.sort_by_key(|(_, span, _)| std::cmp::Reverse(span.as_ref().map_or(0, |span| span.start)));
        let mut text = source.text.to_owned();
        keys.into_iter().for_each(|(key, span, value)| write(&mut text, key, span, &value));
        text
    }
}

impl Given {
    /// The dump of a folder, if it has one.
    pub(crate) fn choose(
        &self,
        folder: &Path,
        source: &Source<'_>,
        written: &Written,
    ) -> Outcome<Option<Chosen>> {
        let word = written.on_restore_error.as_ref();
        let refuse = |fault: Fault| match word {
            Some(word) if self.on_restore_error.is_none() => fault.at(source.place(word.span().start)),
            _ => fault,
        };
        let said = self.on_restore_error.as_deref().or(word.map(|word| word.get_ref().as_str()));
        let on_refused = said.map(|word| OnRefused::of(word).map_err(refuse)).transpose()?;
        let statistics = written.statistics.as_ref().map(|word| word.get_ref().as_str());
        let (named, span) = match (&self.data, &written.data) {
            (Some(path), Some(data)) => match data.get_ref() {
                WrittenData::Dump(_) => (path.clone(), Some(data.span())),
                WrittenData::Tables(_) => {
                    let fault =
                        source.fault(data.span().start, "rows are described here, and `--data` names a dump");
                    return Err(fault.hint("leave --data out, or take [[data]] out of workload.toml"));
                }
            },
            (Some(path), None) => (path.clone(), None),
            (None, Some(data)) => match data.get_ref() {
                WrittenData::Dump(name) => (folder.join(name), Some(data.span())),
                WrittenData::Tables(_) => return without_dump(said.or(statistics)),
            },
            (None, None) => return without_dump(said.or(statistics)),
        };
        let path = named.canonicalize().map_err(|error| {
            let place = match (&self.data, &span) {
                (None, Some(span)) => source.place(span.start),
                _ => "--data".to_owned(),
            };
            Fault::usage(format!("{}: {error}", named.display()))
                .at(place)
                .hint(format!("name the file that {WRITERS} wrote"))
        })?;
        let shown = path.to_str().ok_or_else(|| {
            Fault::usage("its path is no UTF-8").at(path.display().to_string()).hint("rename the file")
        })?;
        let mut keys = vec![("data", span, shown.to_owned())];
        if let Some(said) = said {
            keys.push(("on_restore_error", word.map(toml::Spanned::span), said.to_owned()));
        }
        let statistics = written.statistics.as_ref().map(|word| {
            let refuse = |fault: Fault| fault.at(source.place(word.span().start));
            Statistics::of(word.get_ref()).map(|said| (said, word.span())).map_err(refuse)
        });
        let statistics = statistics.transpose()?;
        Ok(Some(Chosen { path, on_refused: on_refused.unwrap_or_default(), statistics, keys }))
    }

    /// Whether a command says nothing of the data.
    pub fn is_silent(&self) -> bool {
        self.data.is_none() && self.on_restore_error.is_none()
    }
}

fn without_dump(said: Option<&str>) -> Outcome<Option<Chosen>> {
    match said {
        None => Ok(None),
        Some(word) => Err(Fault::usage(format!("nothing is restored, so that `{word}` says nothing"))
            .hint("name a dump: --data prod.dump, or data = \"prod.dump\" in workload.toml")),
    }
}

/// Gives a key its value, in place of the one that it has, else in front.
fn write(text: &mut String, key: &str, span: Option<Range<usize>>, value: &str) {
    let value = toml::Value::from(value).to_string();
    match span {
        Some(span) => text.replace_range(span, &value),
        None => text.insert_str(0, &format!("{key} = {value}\n")),
    }
}
