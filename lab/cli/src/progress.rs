//! Shows progress, to people and to scripts. All of it goes to standard error, so that standard output has
//! only results.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use humdrum_contract::{Progress, Update};
use humdrum_report::printable;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::ProgressKind;

/// Where updates go.
pub struct Console {
    kind: Kind,
    /// Details are shown.
    verbose: bool,
    /// When a plain line was last written for a part of a step.
    last_part: Mutex<Option<Instant>>,
}

enum Kind {
    Live(ProgressBar),
    Plain,
    Json,
    None,
}

/// The interval between progress lines of a step, if output is not a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

impl Console {
    /// As asked for; `auto` is live on a terminal and plain elsewhere. Details are shown only with `verbose`.
    pub fn new(kind: ProgressKind, quiet: bool, verbose: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let kind = match kind {
            _ if quiet => Kind::None,
            ProgressKind::None => Kind::None,
            ProgressKind::Json => Kind::Json,
            ProgressKind::Auto if terminal => Kind::Live(live()),
            ProgressKind::Plain | ProgressKind::Auto => Kind::Plain,
        };
        Self { kind, verbose, last_part: Mutex::new(None) }
    }

    /// Ends the live line, before results are printed.
    pub fn clear(&self) {
        if let Kind::Live(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }

    fn plain_part(&self, line: &str, last: bool) {
        let mut told = self.last_part.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last || told.is_none_or(|at| at.elapsed() >= PLAIN_EVERY) {
            *told = Some(Instant::now());
            anstream::eprintln!("  {line}");
        }
    }
}

fn live() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style);
    bar
}

impl Progress for Console {
    /// Labels, paths and what servers say go through here: made harmless first, for scripts too, as they print it on.
    fn update(&self, update: Update<'_>) {
        match update {
            Update::Step(text) => self.tell(Update::Step(&printable(text))),
            Update::Note(text) => self.tell(Update::Note(&printable(text))),
            Update::Detail(text) if self.verbose => self.tell(Update::Note(&printable(text))),
            Update::Detail(_) => {}
            Update::Part { what, done, total, unit } => {
                self.tell(Update::Part { what: &printable(what), done, total, unit });
            }
        }
    }
}

impl Console {
    fn tell(&self, update: Update<'_>) {
        match &self.kind {
            Kind::None => {}
            Kind::Json => json(&update),
            Kind::Plain => match update {
                Update::Step(text) | Update::Note(text) | Update::Detail(text) => {
                    anstream::eprintln!("{text}")
                }
                Update::Part { done, total, .. } => self.plain_part(&words(&update), Some(done) == total),
            },
            Kind::Live(bar) => match update {
                Update::Step(text) | Update::Note(text) | Update::Detail(text) => bar.println(text),
                Update::Part { .. } => {
                    bar.set_message(words(&update));
                    bar.tick();
                }
            },
        }
    }
}

/// One part, in words.
fn words(update: &Update<'_>) -> String {
    match update {
        Update::Step(text) | Update::Note(text) | Update::Detail(text) => (*text).to_owned(),
        Update::Part { what, done, total, unit } => match (total, *unit) {
            (Some(total), "bytes") => format!("{what}: {} of {}", mebibytes(*done), mebibytes(*total)),
            (None, "bytes") => format!("{what}: {}", mebibytes(*done)),
            (Some(total), unit) => format!("{what}: {done} of {total} {unit}"),
            (None, unit) => format!("{what}: {done} {unit}"),
        },
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn json(update: &Update<'_>) {
    let value = match update {
        Update::Step(text) => serde_json::json!({"step": text}),
        Update::Note(text) | Update::Detail(text) => serde_json::json!({"note": text}),
        Update::Part { what, done, total, unit } => {
            serde_json::json!({"part": what, "done": done, "total": total, "unit": unit})
        }
    };
    // A reader that is gone is no reason to stop measuring.
    let _ = writeln!(std::io::stderr(), "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_in_units() {
        let part = Update::Part { what: "load", done: 5, total: Some(10), unit: "rows" };
        assert_eq!(words(&part), "load: 5 of 10 rows");
        let part = Update::Part { what: "17.7", done: 3 << 20, total: None, unit: "bytes" };
        assert_eq!(words(&part), "17.7: 3.0 MiB");
    }
}
