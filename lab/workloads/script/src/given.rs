//! What a command says about a folder's data. It becomes part of the `workload.toml` that is kept with results, so that a run
//! that goes on restores the same dump in the same way.

use std::ops::Range;
use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::data::WrittenData;
use crate::dump::{OnRefused, WRITERS};
use crate::source::Source;
use crate::written::Written;

/// What a command says about a folder's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// `--data`: a dump in place of the folder's data.
    pub data: Option<PathBuf>,
    /// `--on-restore-error`: `stop` or `skip`.
    pub on_restore_error: Option<String>,
}

/// The dump that is to be restored, and the text of `workload.toml` that says so.
pub(crate) struct Chosen {
    pub(crate) path: PathBuf,
    pub(crate) on_refused: OnRefused,
    pub(crate) text: String,
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
                WrittenData::Tables(_) => return without_dump(said),
            },
            (None, None) => return without_dump(said),
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
        let mut text = source.text.to_owned();
        let mut keys = vec![("data", span, shown)];
        if let Some(word) = said {
            keys.push(("on_restore_error", written.on_restore_error.as_ref().map(toml::Spanned::span), word));
        }
        // From the end on, so that the places of the others stay what they are.
        keys.sort_by_key(|(_, span, _)| std::cmp::Reverse(span.as_ref().map_or(0, |span| span.start)));
        keys.into_iter().for_each(|(key, span, value)| write(&mut text, key, span, value));
        Ok(Some(Chosen { path, on_refused: on_refused.unwrap_or_default(), text }))
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
