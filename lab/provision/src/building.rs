//! Runs the commands of a build, one after the other, each under a guardian: no compiler outlives this program. All of
//! them write to one log.

mod ahead;
mod course;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use humdrum_contract::{Interrupt, Outcome, Progress};
use humdrum_model::Fault;

use ahead::Ahead;
use course::Course;
pub use course::{foretold, left};

use crate::guardian::{GuardSpec, Guarded, describe_exit};
use crate::{logs, tools};

/// One command of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, as in "while compiling": `configuring`, `compiling`, `installing`.
    pub what: String,
    /// A program in PATH, or a path (relative ones from where the step runs).
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment beside what all steps have.
    pub env: Vec<(String, String)>,
}

impl Step {
    /// The command as a shell would take it.
    pub fn shown(&self) -> String {
        let env = self.env.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = std::iter::once(&self.program).chain(&self.args).map(|word| quoted(word));
        env.chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// Where steps run.
pub struct Site<'a> {
    /// What is built, for messages.
    pub name: &'a str,
    /// Where the sources are.
    pub tree: &'a Path,
    /// Where output goes.
    pub log: &'a Path,
    /// Checked all the time.
    pub interrupt: &'a Interrupt,
    /// Told what goes on and for how long.
    pub progress: &'a dyn Progress,
}

/// Variables of ours that compilers and their helpers may need; others could change a build.
const KEPT: [&str; 7] =
    ["PATH", "HOME", "TMPDIR", "CCACHE_DIR", "CCACHE_CONFIGPATH", "CCACHE_MAXSIZE", "SOURCE_DATE_EPOCH"];
/// Between two looks at a step.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What a line that tells of an error has in it.
const SIGNS: [&str; 5] =
    ["error: ", ": fatal error", "undefined reference", "ld: cannot find", "CMake Error"];
/// Lines that are shown of what went wrong.
const ERROR_LINES: usize = 6;

/// Runs all steps.
///
/// # Errors
/// Environment, with the log's lines that tell of errors; interrupted.
pub fn run(steps: &[Step], site: &Site<'_>) -> Outcome<()> {
    let began = Instant::now();
    steps.iter().try_for_each(|step| one(step, began, site))
}

fn one(step: &Step, began: Instant, site: &Site<'_>) -> Outcome<()> {
    note(site.log, &step.shown());
    let ahead = Ahead::of(step, spec(step, site));
    let what = format!("building {}, {}", site.name, step.what);
    let mut course = Course::new(what, (site.log, ahead), began);
    let mut running = Guarded::spawn(&spec(step, site)).map_err(|fault| fault.at(site.name.to_owned()))?;
    loop {
        if let Some(status) = running.try_wait()? {
            site.interrupt.check()?;
            return if status.success() { Ok(()) } else { Err(failed(step, status, site)) };
        }
        site.interrupt.check()?;
        course.tell(site.progress);
        std::thread::sleep(LOOK_EVERY);
    }
}

fn spec(step: &Step, site: &Site<'_>) -> GuardSpec {
    let pair = |name: &str, value: OsString| (OsString::from(name), value);
    let kept = KEPT.iter().filter_map(|name| Some(pair(name, std::env::var_os(name)?)));
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let ours = [
        pair("LC_ALL", "C".into()),
        pair("MAKEFLAGS", format!("-j{jobs}").into()),
        pair("CMAKE_BUILD_PARALLEL_LEVEL", jobs.to_string().into()),
        // A copy in another folder has the same objects.
        pair("CCACHE_BASEDIR", site.tree.into()),
    ];
    let own = step.env.iter().map(|(name, value)| pair(name, value.into()));
    let program = match step.program.contains('/') {
        true => site.tree.join(&step.program),
        false => tools::find(&step.program).unwrap_or_else(|| PathBuf::from(&step.program)),
    };
    GuardSpec {
        program,
        args: step.args.iter().map(OsString::from).collect(),
        env: kept.chain(ours).chain(own).collect(),
        cwd: site.tree.to_path_buf(),
        log_file: site.log.to_path_buf(),
        run_as: None,
        limit: None,
        fsync_delay: None,
    }
}

fn failed(step: &Step, status: ExitStatus, site: &Site<'_>) -> Fault {
    let log = logs::whole(site.log);
    let complaints = complaints(&log);
    let said = if complaints.is_empty() { String::new() } else { format!(":\n{}", complaints.join("\n")) };
    let what = format!("building {} failed while {} ({}){said}", site.name, step.what, describe_exit(status));
    let fault = Fault::environment(what);
    match logs::tail(site.log) {
        Some(tail) => fault.log(tail),
        None => fault,
    }
}

/// The first lines of the last command's output that tell of an error: with several compilers at a time, what they say
/// after it is of others.
fn complaints(log: &str) -> Vec<&str> {
    let start = log.rfind(NOTE).map_or(0, |at| at + NOTE.len());
    let tells = |line: &&str| SIGNS.iter().any(|sign| line.contains(sign));
    log[start..].lines().skip(1).filter(tells).take(ERROR_LINES).collect()
}

/// Begins the line of a log that has a step's command.
const NOTE: &str = "\n+ ";

fn note(log: &Path, command: &str) {
    use std::io::Write;
    let file = std::fs::OpenOptions::new().create(true).append(true).open(log);
    // A log that cannot be written to is told when the step starts.
    let _ = file.and_then(|mut file| writeln!(file, "{NOTE}{command}"));
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use humdrum_contract::Silent;

    use super::*;

    #[test]
    fn words_are_shown_as_a_shell_takes_them() {
        assert_eq!(quoted("--with-lz4"), "--with-lz4");
        assert_eq!(quoted("LDFLAGS=-Wl,'$x'"), r"'LDFLAGS=-Wl,'\''$x'\'''");
    }

    fn step(what: &str, script: &str) -> Step {
        let args = vec!["-c".to_owned(), script.to_owned()];
        Step { what: what.into(), program: "sh".into(), args, env: vec![("GIVEN".into(), "a b".into())] }
    }

    fn run_here(folder: &Path, steps: &[Step], interrupt: &Interrupt) -> Outcome<()> {
        let log = folder.join("build.log");
        run(steps, &Site { name: "it 1.2", tree: folder, log: &log, interrupt, progress: &Silent })
    }

    #[test]
    fn steps_run_in_order_with_an_environment_of_their_own() {
        let folder = tempfile::tempdir().expect("folder");
        let steps = [step("configuring", "echo $GIVEN > one"), step("compiling", "cat one; env > two")];
        run_here(folder.path(), &steps, &Interrupt::new()).expect("runs");
        let log = logs::whole(&folder.path().join("build.log"));
        assert!(log.contains("+ GIVEN='a b' sh -c 'echo $GIVEN > one'") && log.ends_with("a b\n"), "{log}");
        let env = std::fs::read_to_string(folder.path().join("two")).expect("two");
        let strange = |line: &&str| line.starts_with("CARGO") || line.starts_with("CFLAGS");
        assert!(env.contains("MAKEFLAGS=-j") && env.lines().find(strange).is_none(), "{env}");
    }

    #[test]
    fn a_failure_has_the_errors_of_its_step() {
        let folder = tempfile::tempdir().expect("folder");
        let noise = "i=0; while [ $i -lt 50 ]; do echo more $i; i=$((i+1)); done";
        let steps = [
            step("configuring", "echo 'x.c:1: error: of another step'"),
            step(
                "compiling",
                &format!("echo begin; echo 'a.c:7: error: no such thing' >&2; {noise}; exit 3"),
            ),
            step("installing", "touch installed"),
        ];
        let fault = run_here(folder.path(), &steps, &Interrupt::new()).expect_err("fails");
        assert_eq!(
            fault.what,
            "building it 1.2 failed while compiling (exit status 3):\na.c:7: error: no such thing"
        );
        assert!(fault.log_tail.is_some_and(|tail| tail.ends_with("more 49")));
        assert!(!folder.path().join("installed").exists());
    }

    #[test]
    fn an_interruption_ends_all_processes_of_a_step() {
        let folder = tempfile::tempdir().expect("folder");
        let interrupt = Interrupt::new();
        let script = "sh -c 'echo $$ > child; sleep 600' & wait";
        let fault = std::thread::scope(|scope| {
            let run = scope.spawn(|| run_here(folder.path(), &[step("compiling", script)], &interrupt));
            let child = folder.path().join("child");
            while std::fs::read(&child).map_or(true, |text| text.is_empty()) && !run.is_finished() {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.set();
            run.join().expect("joins").expect_err("interrupted")
        });
        assert_eq!(fault.exit_code(), 130);
        let child = std::fs::read_to_string(folder.path().join("child")).expect("child");
        let pid = child.trim().parse().expect("pid");
        assert!(!crate::signal::is_alive(pid), "its guardian has ended it");
    }
}
