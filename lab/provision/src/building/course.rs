//! How far a command of a build is, as its own output tells: ninja begins its lines with `[12/847]`, of make the lines
//! that compile a file are counted.

use std::path::Path;
use std::time::{Duration, Instant};

use humdrum_contract::{Progress, Takes, Update};

use super::ahead::{Ahead, Compiled};
use crate::logs;

/// Between two looks at the log.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Part of a command's work that must be done before its end is foretold.
const ENOUGH: f64 = 0.05;

/// What is told of a command while it runs.
pub(super) struct Course<'a> {
    what: String,
    log: &'a Path,
    build_began: Instant,
    began: Instant,
    looked: Option<Instant>,
    ahead: Option<Ahead>,
    compiled: Compiled,
    told: Option<Told>,
}

/// So much is done, of all.
#[derive(Clone, Copy)]
struct Told {
    done: u64,
    all: u64,
    unit: &'static str,
}

impl<'a> Course<'a> {
    /// Of a command that is about to start and writes to this log.
    pub(super) fn new(what: String, (log, ahead): (&'a Path, Option<Ahead>), build_began: Instant) -> Self {
        let compiled = Compiled::from_now(log);
        Self { what, log, build_began, began: Instant::now(), looked: None, ahead, compiled, told: None }
    }

    /// Tells how far it is: by its steps where it counts them, by the seconds of the build where not.
    pub(super) fn tell(&mut self, progress: &dyn Progress) {
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
            self.looked = Some(Instant::now());
            self.told = self.look();
        }
        match self.told {
            Some(Told { done, all, unit }) => {
                let what = format!("{}{}", self.what, left(done, all, self.began.elapsed()));
                progress.update(Update::Part { what: &what, done, total: Some(all), unit });
            }
            None => {
                let done = self.build_began.elapsed().as_secs();
                progress.update(Update::Part { what: &self.what, done, total: None, unit: "s" });
            }
        }
    }

    fn look(&mut self) -> Option<Told> {
        let Some(ahead) = &mut self.ahead else {
            let (done, all) = logs::tail(self.log).and_then(|tail| done_of(&tail))?;
            return Some(Told { done, all, unit: "steps" });
        };
        let done = self.compiled.count();
        let all = ahead.files(done, self.began.elapsed())?;
        Some(Told { done: done.min(all), all, unit: "files" })
    }
}

/// Steps that are done and all of them, of the last line that tells. What an earlier command said is before its successor's line.
fn done_of(tail: &str) -> Option<(u64, u64)> {
    let own = tail.rfind("\n+ ").map_or(tail, |at| &tail[at..]);
    own.lines().rev().find_map(|line| {
        let (count, _) = line.strip_prefix('[')?.split_once(']')?;
        let (done, all) = count.split_once('/')?;
        Some((done.parse().ok()?, all.parse().ok()?))
    })
}

/// `, about 12 min left`, as if all steps took equally long; nothing before some are done.
pub fn left(done: u64, all: u64, elapsed: Duration) -> String {
    let part = done as f64 / all.max(1) as f64;
    if part < ENOUGH || done >= all {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() * (1.0 - part) / part;
    match seconds < 60.0 {
        true => format!(", about {seconds:.0} s left"),
        false => format!(", about {:.0} min left", seconds / 60.0),
    }
}

/// `about 67 min and 4.0 GiB of disk while it compiles, less with what ccache has`.
pub fn foretold(takes: Takes) -> String {
    let (seconds, gib) = (takes.seconds as f64, takes.disk_bytes as f64 / f64::from(1 << 30));
    let time = match seconds < 90.0 {
        true => format!("{seconds:.0} s"),
        false => format!("{:.0} min", seconds / 60.0),
    };
    format!("about {time} and {gib:.1} GiB of disk while it compiles, less with what ccache has")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninja_tells_how_far_it_is() {
        let before = "\n+ cmake --build it\n[7/7] Linking a";
        assert_eq!(done_of(before), Some((7, 7)));
        assert_eq!(done_of(&format!("{before}\n\n+ cp a b\n")), None, "of the command before");
        assert_eq!(
            done_of("[1/847] Building x\nx.c: warning\n[12/847] Building [y/z].o\nin y:"),
            Some((12, 847))
        );
        assert_eq!(done_of("make: nothing\n[ 12%] Building"), None);
    }

    #[test]
    fn time_left_is_foretold_when_some_is_done() {
        let minute = Duration::from_secs(60);
        assert_eq!(left(1, 100, minute), "");
        assert_eq!(left(10, 100, minute), ", about 9 min left");
        assert_eq!(left(80, 100, minute), ", about 15 s left");
        assert_eq!(left(100, 100, minute), "");
    }
}
