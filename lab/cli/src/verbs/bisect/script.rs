//! Rounds that a command of the user's measures. Commits take turns in an order that is balanced over sessions, each in a
//! copy of its files, one at a time.
//!
//! ```text
//!   OUT/rounds/N/runs.json        sessions and their values; written after every session
//!   OUT/rounds/N/COMMIT.log       what the commands printed to standard error, and what they measured
//!   CACHE/runs/R/tree-1 …         files of a commit; the next commit is placed over them, so that `make` compiles what differs
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use humdrum_bisect::{Kind, Session};
use humdrum_contract::{Progress, Update};
use humdrum_model::{Bisect, BisectScript, Fault};
use humdrum_provision::guardian::{GuardSpec, Guarded, describe_exit};
use humdrum_provision::run_folder::RunFolder;
use humdrum_provision::{logs, sources};
use humdrum_record::write_whole;
use serde::{Deserialize, Serialize};

use super::way::Measured;
use crate::lab::Lab;

/// With this code a command says that a commit cannot be judged, as for `git bisect run`.
const SKIP: i32 = 125;
/// Between two looks at a command.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// What the round measured so far.
const RUNS: &str = "runs.json";
/// Characters of a command's last line that a message shows.
const SHOWN: usize = 80;

/// Measures by a command.
pub struct Script {
    what: BisectScript,
    trees: RunFolder,
    /// What each tree holds: its commit, once it is prepared. Ends keep theirs for the whole search.
    placed: RefCell<BTreeMap<usize, String>>,
}

/// A round as it is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Runs {
    /// Seconds of measuring; compiling is not in it.
    seconds: f64,
    /// In each session, positions and their values, in the order in which they ran.
    sessions: Vec<Vec<(usize, f64)>>,
}

/// A command for one commit.
struct Order<'a> {
    command: &'a str,
    /// For messages: `round 2, session 3 of 8, 1a2b3c4d5e`.
    about: String,
    subject: &'a str,
    session: u32,
    tree: PathBuf,
    log: PathBuf,
}

impl Script {
    /// Of a command.
    ///
    /// # Errors
    /// When there is no place for the files of commits.
    pub fn new(lab: &Lab, what: BisectScript) -> Result<Self, Fault> {
        Ok(Self { what, trees: RunFolder::new(&lab.dirs)?, placed: RefCell::default() })
    }

    /// Measures a round, or goes on with it.
    ///
    /// # Errors
    /// A command that fails, which names its commit; the disk; interrupted.
    pub fn measure(
        &self,
        lab: &Lab,
        bisect: &Bisect,
        (kind, positions): (Kind, &[usize]),
        folder: &Path,
    ) -> Result<Measured, Fault> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Fault::environment(format!("cannot make {}: {error}", folder.display())))?;
        let mut runs = read(folder)?;
        let seed = bisect.seed.wrapping_add(bisect.rounds.len() as u64);
        let sessions = if kind == Kind::Ends { 2 * self.what.sessions } else { self.what.sessions };
        let trees = self.prepared(lab, bisect, positions, folder)?;
        while (runs.sessions.len() as u32) < sessions {
            let session = runs.sessions.len() as u32;
            let began = Instant::now();
            let mut values = Vec::with_capacity(positions.len());
            for turn in humdrum_plan::turns(seed, session, positions.len()) {
                let position = &bisect.positions[positions[turn]];
                let order = Order {
                    command: &self.what.run,
                    about: format!("session {} of {sessions}, {}", session + 1, position.name),
                    subject: &position.subject,
                    session,
                    tree: trees[turn].clone(),
                    log: folder.join(format!("{}.log", position.name)),
                };
                values.push((positions[turn], self.value(lab, &order)?));
            }
            runs.seconds += began.elapsed().as_secs_f64();
            runs.sessions.push(values);
            // Writing plain data to memory cannot fail.
            write_whole(&folder.join(RUNS), &serde_json::to_string(&runs).unwrap_or_default())?;
        }
        Ok(told(runs))
    }

    /// What a round on record told.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(folder: &Path) -> Result<Measured, Fault> {
        read(folder).map(told)
    }

    /// The trees of these positions, compiled.
    fn prepared(
        &self,
        lab: &Lab,
        bisect: &Bisect,
        positions: &[usize],
        folder: &Path,
    ) -> Result<Vec<PathBuf>, Fault> {
        let last = bisect.positions.len() - 1;
        let mut next = 2;
        let mut slot = |position: usize| match position {
            0 => 0,
            one if one == last => 1,
            _ => {
                next += 1;
                next - 1
            }
        };
        let mut trees = Vec::with_capacity(positions.len());
        for position in positions {
            let number = slot(*position);
            let tree = self.trees.path().join(format!("tree-{number}"));
            let commit = &bisect.positions[*position];
            if self.placed.borrow().get(&number) != Some(&commit.subject) {
                self.placed.borrow_mut().remove(&number);
                std::fs::create_dir_all(&tree).map_err(|error| {
                    Fault::environment(format!("cannot make {}: {error}", tree.display()))
                })?;
                let from = sources::find(&self.what.repository, Some(&commit.subject))?;
                from.place(&tree, &lab.dirs.interrupt)?;
                if let Some(prepare) = &self.what.prepare {
                    let order = Order {
                        command: prepare,
                        about: format!("preparing {}", commit.name),
                        subject: &commit.subject,
                        session: 0,
                        tree: tree.clone(),
                        log: folder.join(format!("{}.log", commit.name)),
                    };
                    self.run(lab, &order, None)?;
                }
                self.placed.borrow_mut().insert(number, commit.subject.clone());
            }
            trees.push(tree);
        }
        Ok(trees)
    }

    /// The number at the end of what a command prints.
    fn value(&self, lab: &Lab, order: &Order<'_>) -> Result<f64, Fault> {
        let printed = self.trees.path().join("printed");
        self.run(lab, order, Some(&printed))?;
        let text = logs::whole(&printed);
        if let Ok(mut log) = std::fs::OpenOptions::new().append(true).open(&order.log) {
            // The log is for people; the value is kept in any case.
            let _ = log.write_all(text.as_bytes());
        }
        number(&text).ok_or_else(|| {
            let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
            let line: String = line.chars().take(SHOWN).collect();
            Fault::crash(format!(
                "`{}` printed no number above 0 at the end of its last line: {line}",
                order.command
            ))
            .at(order.subject)
            .hint("let it print one, such as seconds or operations a second, and the rest to standard error")
        })
    }

    /// Runs a command to its end, with its standard output in a file of its own where one is given.
    fn run(&self, lab: &Lab, order: &Order<'_>, printed: Option<&Path>) -> Result<(), Fault> {
        let began = Instant::now();
        let mut running = Guarded::spawn(&spec(order, printed))?;
        let status = loop {
            if let Some(status) = running.try_wait()? {
                break status;
            }
            lab.dirs.interrupt.check()?;
            if self.what.timeout_seconds.is_some_and(|most| began.elapsed().as_secs_f64() > most) {
                return Err(Fault::crash(format!("`{}` did not end within its --timeout", order.command))
                    .at(order.subject));
            }
            let done = began.elapsed().as_secs();
            lab.console.update(Update::Part { what: &order.about, done, total: None, unit: "s" });
            std::thread::sleep(LOOK_EVERY);
        };
        lab.dirs.interrupt.check()?;
        if status.success() {
            return Ok(());
        }
        let ended = match status.code() {
            Some(SKIP) => "says that this commit cannot be judged (exit status 125)".to_owned(),
            _ => format!("failed ({})", describe_exit(status)),
        };
        let fault = Fault::crash(format!("`{}` {ended}", order.command)).at(order.subject);
        Err(match logs::tail(&order.log) {
            Some(tail) => fault.log(tail),
            None => fault,
        })
    }
}

/// `sh -c` with the user's environment. What it prints goes to `printed`, or else with its complaints to the log.
fn spec(order: &Order<'_>, printed: Option<&Path>) -> GuardSpec {
    let own = [("HUMDRUM_COMMIT", order.subject.to_owned()), ("HUMDRUM_SESSION", order.session.to_string())];
    let own = own.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut args: Vec<OsString> = vec!["-c".into()];
    match printed {
        None => args.push(order.command.into()),
        Some(file) => {
            args.extend(["eval \"$1\" > \"$2\"".into(), "sh".into(), order.command.into(), file.into()]);
        }
    }
    GuardSpec {
        program: "/bin/sh".into(),
        args,
        env: std::env::vars_os().chain(own).collect(),
        cwd: order.tree.clone(),
        log_file: order.log.clone(),
        run_as: None,
        limit: None,
        fsync_delay: None,
    }
}

/// The last word of the last line that is not empty, if it is a number above 0.
fn number(text: &str) -> Option<f64> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    let value: f64 = line.split_whitespace().next_back()?.parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}

fn read(folder: &Path) -> Result<Runs, Fault> {
    let file = folder.join(RUNS);
    match std::fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text)
            .map_err(|error| Fault::usage(format!("cannot read {}: {error}", file.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Runs::default()),
        Err(error) => Err(Fault::usage(format!("cannot read {}: {error}", file.display()))),
    }
}

fn told(runs: Runs) -> Measured {
    let logs = |session: Vec<(usize, f64)>| -> Session {
        session.into_iter().map(|(position, value)| (position, value.ln())).collect()
    };
    let sessions = runs.sessions.into_iter().map(logs).collect();
    Measured { sessions, ends: None, seconds: runs.seconds, unmeasured: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_the_last_line_counts() {
        assert_eq!(number("building\n12.5\n\n"), Some(12.5));
        assert_eq!(number("tps = 1234.5"), Some(1234.5));
        assert_eq!(number("1e3 s\n"), None, "its last word is no number");
        for none in ["", "\n", "0", "-1", "nan", "inf", "12 of"] {
            assert_eq!(number(none), None, "{none}");
        }
    }
}
