//! A workload from a running server: its counters are read twice, and the difference is what ran in between. Then the columns
//! and some rows of the tables that those statements name are read. Nothing is written on the server.

use std::time::{Duration, Instant};

use humdrum_capture::{Dialect, Known, Live, Options, between};
use humdrum_contract::{Counted, Engine, Progress, StatementCounter, Update};
use humdrum_model::{Fault, FaultKind};
use humdrum_plan::parse_duration;
use humdrum_provision::server_url::without_password;

use super::Source;
use super::found::{Found, plain_seconds};
use crate::args::CaptureOptions;
use crate::lab::Lab;

/// How long counters are watched by default.
const WATCHED_SECONDS: f64 = 60.0;
/// How often a person sees how much time is left, and a program looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The URL that was typed in place of logs.
///
/// # Errors
/// Usage: a URL beside other sources, options that belong to the other kind.
pub(super) fn url(options: &CaptureOptions) -> Result<Option<&str>, Fault> {
    let urls = options.sources.iter().filter_map(|source| source.to_str());
    let urls: Vec<&str> = urls.filter(|source| source.contains("://")).collect();
    match urls.as_slice() {
        [] if options.time.is_some() => {
            Err(Fault::usage("--for is for running servers, and logs were named")
                .hint("leave it out, or name the URL of a server"))
        }
        [] => Ok(None),
        [_] if options.format.is_some() => {
            Err(Fault::usage("--format is for logs, and a server was named")
                .hint("leave it out, or name a log"))
        }
        [url] if options.sources.len() == 1 => Ok(Some(url)),
        _ => Err(Fault::usage("a server is captured alone").hint("name one URL and nothing beside it")),
    }
}

/// Statements that a server ran, with values from its tables.
///
/// # Errors
/// Usage: an unknown kind of server, one that does not count, nothing that ran; crash, timeout; Ctrl-C while rows are read.
pub(super) fn read(lab: &Lab, options: &CaptureOptions, url: &str) -> Result<Source, Fault> {
    let seconds = match options.time.as_deref() {
        None => Some(WATCHED_SECONDS),
        Some("0") => None,
        Some(text) => Some(parse_duration(text).map_err(|fault| fault.at("--for"))?),
    };
    let (engine, url) = engine(lab, url)?;
    let address = without_password(url);
    let mut counter = engine.counter(url, &lab.console)?;
    let (counted, watched) = match seconds {
        None => (counter.count()?, None),
        Some(seconds) => {
            let before = counter.count()?;
            let watched = wait(lab, seconds, &counter.database());
            // A connection that was silent for long may have been closed on the way.
            let after = match counter.count() {
                Err(fault) if fault.kind == FaultKind::Crash => {
                    counter = engine.counter(url, &lab.console)?;
                    counter.count()?
                }
                other => other?,
            };
            (difference(before, after), Some(watched))
        }
    };
    let dialect = Dialect::of_placeholder(&counter.placeholder());
    let mut notes = Vec::new();
    if counted.forgotten > 0 {
        let Counted { forgotten, forgets_less, .. } = &counted;
        notes.push(format!("the server forgot rare statements {forgotten} times meanwhile: {forgets_less}"));
    }
    let mut live = Live::of(counted.statements, dialect, options.top.into());
    counted.without_text.into_iter().for_each(|(why, calls)| live.without_text(why, calls));
    if live.is_empty() {
        return Err(nothing_ran(&live, &counter.database(), watched).at(address));
    }
    // Ctrl-C has ended the wait; a second one ends the program.
    let ended_early = lab.dirs.interrupt.is_set();
    let check = || if ended_early { Ok(()) } else { lab.dirs.interrupt.check() };
    let known = ask(lab, &mut live, &mut *counter, options, &mut notes, &check)?;
    if live.is_empty() {
        return Err(nothing_ran(&live, &counter.database(), watched).at(address));
    }
    let found = Found::of_server(&live, address, watched, notes);
    let wanted = Options { samples: options.samples as usize, seed: options.seed };
    Ok(Source { patterns: live.patterns(&known, wanted), dialect, found })
}

/// The engine of a URL, and the URL alone.
fn engine<'l, 'u>(lab: &'l Lab, text: &'u str) -> Result<(&'l dyn Engine, &'u str), Fault> {
    lab.engine_at(text).map_err(|name| {
        Fault::usage(format!("no engine has servers at {name}://"))
            .hint("name a server as postgres://me@host/shop, mysql://me@host/shop or mariadb://me@host/shop")
    })
}

/// Waits, and says how long it has; Ctrl-C ends it early. Returns the seconds.
fn wait(lab: &Lab, seconds: f64, database: &str) -> f64 {
    let begun = Instant::now();
    let what = format!("watching {database} (Ctrl-C goes on with what has run)");
    loop {
        let passed = begun.elapsed().as_secs_f64();
        if passed >= seconds || lab.dirs.interrupt.is_set() {
            return passed;
        }
        let total = Some(seconds.ceil() as u64);
        lab.console.update(Update::Part { what: &what, done: passed as u64, total, unit: "s" });
        std::thread::sleep(LOOK_EVERY.min(Duration::from_secs_f64(seconds - passed)));
    }
}

fn difference(before: Counted, after: Counted) -> Counted {
    let old =
        |why: &str| before.without_text.iter().find(|(old, _)| old == why).map_or(0, |(_, calls)| *calls);
    let without_text =
        after.without_text.iter().map(|(why, calls)| (why.clone(), calls.saturating_sub(old(why))));
    Counted {
        without_text: without_text.filter(|(_, calls)| *calls > 0).collect(),
        statements: between(&before.statements, after.statements),
        forgotten: after.forgotten.saturating_sub(before.forgotten),
        forgets_less: after.forgets_less,
    }
}

fn nothing_ran(live: &Live, database: &str, seconds: Option<f64>) -> Fault {
    let when = seconds.map_or("since its counters were reset".to_owned(), |seconds| {
        format!("in {}", plain_seconds(seconds))
    });
    let most = live.left_out.iter().max_by_key(|(_, calls)| **calls);
    let why = most.map_or(String::new(), |(why, calls)| {
        format!(": {calls} of {} were left out, because {}", live.statements, why.why())
    });
    Fault::usage(format!("no statement that can be replayed ran in the database {database} {when}{why}"))
        .hint("is it the right database? --for 10m watches longer, --for 0 takes all since the counters were reset")
}

/// Asks for the columns and rows of the tables that statements name. A table that cannot be read leaves usual values in the
/// scripts, with a note.
fn ask(
    lab: &Lab,
    live: &mut Live,
    counter: &mut dyn StatementCounter,
    options: &CaptureOptions,
    notes: &mut Vec<String>,
    check: &dyn Fn() -> Result<(), Fault>,
) -> Result<Known, Fault> {
    let mut known = Known::default();
    let texts: Vec<String> = live.texts().map(str::to_owned).collect();
    for text in texts {
        check()?;
        let placeholders = counter.placeholders(&text)?;
        known.placeholders.insert(text, placeholders);
    }
    live.refuse(&known);
    for table in live.tables() {
        check()?;
        if let Some(columns) = usable(counter.columns(&table), &table.join("."), notes)? {
            known.columns.insert(table, columns);
        }
    }
    let wants = live.wants(&known);
    let total = Some(wants.rows.len() as u64);
    for (done, (table, columns)) in (0..).zip(wants.rows) {
        check()?;
        let what = format!("reading rows of {}", table.join("."));
        lab.console.update(Update::Part { what: &what, done, total, unit: "tables" });
        let columns: Vec<String> = columns.into_iter().collect();
        let rows = counter.rows(&table, &columns, options.samples as usize);
        if let Some(rows) = usable(rows, &table.join("."), notes)? {
            known.rows.insert(table, rows);
        }
    }
    for (table, column) in wants.highest {
        check()?;
        let highest = counter.highest(&table, &column);
        if let Some(highest) = usable(highest, &table.join("."), notes)?.flatten() {
            known.highest.insert((table, column), highest);
        }
    }
    Ok(known)
}

/// What a server gave; `None` where it refused to, with a note.
fn usable<T>(answer: Result<T, Fault>, table: &str, notes: &mut Vec<String>) -> Result<Option<T>, Fault> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(fault) if fault.kind == FaultKind::Environment => {
            let note = format!("{table} could not be read: {}", fault.what);
            if !notes.contains(&note) {
                notes.push(note);
            }
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}
