//! Sends a dump to a server.

use humdrum_contract::{Interrupt, Outcome, Progress, RowSource, SqlSession, Update};
use humdrum_model::{Fault, FaultKind};

use super::entry::{is_setting, sets_statistics, statement_is_left_out};
use super::{Dump, IN_UTF8, Item, OnRefused, Parts, open, parts};

/// Notes about refused statements; further ones are counted.
const NOTES_MOST: u32 = 10;

/// Characters of a refused statement that are shown.
const SHOWN_MOST: usize = 60;

/// When progress was told last.
#[derive(Default)]
pub(crate) struct Told(u64);

impl Told {
    /// The bytes that are read, once they are more than at the last time by a hundredth of the file or a megabyte.
    pub(crate) fn due(&mut self, reading: &open::Reading) -> Option<u64> {
        let done = reading.done();
        let step = (reading.total / 100).max(1 << 20);
        let due = done >= self.0 + step || (done == reading.total && self.0 != done);
        due.then(|| {
            self.0 = done;
            done
        })
    }
}

/// A statement of a dump that sets the optimizer's statistics, and its place.
pub(crate) type Setter = (String, String);

/// Restores a dump over a session of its own, whose settings it changes. The optimizer's statistics are not set: what
/// follows a load renews them. The statements that would set them are returned.
///
/// # Errors
/// Interrupted; whatever the server says, with the place in the dump.
pub(crate) fn restore(
    dump: &Dump,
    session: &mut dyn SqlSession,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Outcome<Vec<Setter>> {
    let opened = open::open(&dump.path, false)?;
    let reading = opened.progress.clone();
    let mut told = Told::default();
    let mut tell = || {
        if let Some(done) = told.due(&reading) {
            let total = Some(reading.total);
            progress.update(Update::Part { what: "restore", done, total, unit: "bytes" });
        }
        interrupt.check()
    };
    let mut parts = parts(opened)?;
    let (mut refused, mut setters) = (0, Vec::new());
    while let Some(item) = parts.next()? {
        tell()?;
        let item = match setter(item) {
            Ok(setter) => {
                setters.push(setter);
                continue;
            }
            Err(item) => item,
        };
        let Err(fault) = send(item, &mut *parts, session, &mut tell)? else { continue };
        if dump.on_refused == OnRefused::Stop && !fault.is_setting {
            let hint = "--on-restore-error skip leaves out what a release refuses; or correct the dump at this place";
            return Err(fault.fault.hint(hint));
        }
        refused += 1;
        if refused <= NOTES_MOST {
            progress.update(Update::Note(&format!("left out: {}", fault.fault)));
        }
    }
    if refused > NOTES_MOST {
        progress.update(Update::Note(&format!("left out: {} more", refused - NOTES_MOST)));
    }
    Ok(setters)
}

/// An item as what sets statistics, or the item again.
fn setter(item: Item) -> Result<Setter, Item> {
    match item {
        Item::Sql { text, place } => match String::from_utf8(text) {
            Ok(text) if sets_statistics(&text) => Ok((text, place)),
            Ok(text) => Err(Item::Sql { text: text.into_bytes(), place }),
            Err(error) => Err(Item::Sql { text: error.into_bytes(), place }),
        },
        rows @ Item::Rows { .. } => Err(rows),
    }
}

/// Sets the optimizer's statistics.
///
/// # Errors
/// What the server says, with the place in the dump; statistics that it did not take.
pub(crate) fn set_statistics(setters: &[Setter], session: &mut dyn SqlSession) -> Outcome<()> {
    for (text, place) in setters {
        let answer = session.query(text).map_err(|fault| fault.at(place.clone()))?;
        // The server warns, and answers so.
        if answer.iter().flatten().any(|taken| taken.as_deref() == Some("f")) {
            return Err(Fault::environment(format!("statistics were not taken ({})", shown(text)))
                .at(place.clone())
                .hint("write statistics = \"renew\" in workload.toml"));
        }
    }
    Ok(())
}

/// What a server refused.
struct Refused {
    fault: Fault,
    /// It is a setting of the session: one that a newer program writes and an older release does not know.
    is_setting: bool,
}

/// Sends one part. The inner result is that of the server, the outer one that of the dump and the connection.
fn send(
    item: Item,
    parts: &mut dyn Parts,
    session: &mut dyn SqlSession,
    tell: &mut dyn FnMut() -> Outcome<()>,
) -> Outcome<Result<(), Refused>> {
    match item {
        Item::Sql { text, place } => {
            let text = String::from_utf8(text).map_err(|_| not_utf8(&place))?;
            if statement_is_left_out(&text) {
                return Ok(Ok(()));
            }
            let outcome = session.query(&text).map(drop);
            told_apart(outcome, &place, || shown(&text), is_setting(&text))
        }
        Item::Rows { table, columns, place } => {
            let mut rows = Rows { parts, tell, fault: None, ended: false, row: 0 };
            let outcome = session.load(&table, &[columns.as_str()], &mut rows).map(drop);
            if let Some(fault) = rows.fault.take() {
                return Err(fault);
            }
            rows.drain()?;
            told_apart(outcome, &place, || format!("COPY {table}"), false)
        }
    }
}

/// What a server refuses may be left out; a server that is lost may not.
fn told_apart(
    outcome: Outcome<()>,
    place: &str,
    what: impl Fn() -> String,
    is_setting: bool,
) -> Outcome<Result<(), Refused>> {
    let Err(fault) = outcome else { return Ok(Ok(())) };
    let said = Fault { what: format!("{} ({})", fault.what, what()), ..fault }.at(place.to_owned());
    match said.kind {
        FaultKind::Environment | FaultKind::Usage => Ok(Err(Refused { fault: said, is_setting })),
        _ => Err(said),
    }
}

/// The beginning of a statement, on one line.
fn shown(sql: &str) -> String {
    let line: Vec<&str> = sql.split_ascii_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(SHOWN_MOST) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

fn not_utf8(place: &str) -> Fault {
    let hint = format!("make the dump anew: {IN_UTF8}");
    Fault::usage("the statement is no UTF-8").at(place.to_owned()).hint(hint)
}

/// The rows of one COPY.
struct Rows<'a> {
    parts: &'a mut dyn Parts,
    tell: &'a mut dyn FnMut() -> Outcome<()>,
    fault: Option<Fault>,
    ended: bool,
    row: u64,
}

/// Rows between two words about progress.
const TELL_EVERY: u64 = 1024;

impl Rows<'_> {
    /// Reads what a server did not take.
    fn drain(&mut self) -> Outcome<()> {
        let mut row = Vec::new();
        while self.next_row(&mut row) {
            row.clear();
        }
        self.fault.take().map_or(Ok(()), Err)
    }
}

impl RowSource for Rows<'_> {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        if self.ended {
            return false;
        }
        self.row += 1;
        let told = if self.row.is_multiple_of(TELL_EVERY) { (self.tell)() } else { Ok(()) };
        match told.and_then(|()| self.parts.row(row)) {
            Ok(true) => return true,
            Ok(false) => {}
            Err(fault) => {
                self.fault = Some(fault);
                row.clear();
            }
        }
        self.ended = true;
        false
    }
}
