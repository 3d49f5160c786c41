//! Stacks of a server's threads, sampled by `perf` while the server works.
//!
//! It never runs during measured slices, because sampling takes processor time.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// Samples per second. It is a prime number, so that samples do not coincide with a server's periodic work.
pub const HERTZ: u32 = 1_999;

/// Bytes of stack that are kept for unwinding, because servers are built without frame pointers.
const STACK: &str = "dwarf,16384";
/// The kernel's error for a thread that has ended.
const GONE: &str = "No such process";
const ATTEMPTS: u32 = 4;
/// How long `perf` may take to attach. It needs a few milliseconds for some dozens of threads.
const ATTACH_WITHIN: Duration = Duration::from_secs(10);
/// A wait after `perf` has created its file, in which it opens an event for each thread.
const ATTACHED_AFTER: Duration = Duration::from_millis(150);

/// A running `perf record`, which ends when this is dropped.
#[derive(Debug)]
pub struct Recording {
    child: Child,
    file: PathBuf,
}

impl Recording {
    /// Begins to sample `threads`. `perf` keeps its samples in `file`.
    ///
    /// # Errors
    /// Environment, with what to do, where there is no `perf` or it has no permission.
    pub fn begin(threads: &[u32], file: &Path) -> Outcome<Self> {
        // `perf` refuses the whole list if one of its threads has just ended.
        let again = |_| match Self::attempt(threads, file) {
            Err(fault) if fault.what.contains(GONE) => None,
            outcome => Some(outcome),
        };
        (1..ATTEMPTS).find_map(again).unwrap_or_else(|| Self::attempt(threads, file))
    }

    fn attempt(threads: &[u32], file: &Path) -> Outcome<Self> {
        let alive = threads.iter().filter(|id| Path::new(&format!("/proc/{id}")).exists());
        let ids: Vec<String> = alive.map(u32::to_string).collect();
        let mut command = Command::new("perf");
        command.args(["record", "-q", "-F", &HERTZ.to_string(), "--call-graph", STACK, "-o"]);
        command.arg(file).args(["-t", &ids.join(",")]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| missing(&error))?;
        let mut recording = Self { child, file: file.to_path_buf() };
        let end = Instant::now() + ATTACH_WITHIN;
        while !file.exists() && Instant::now() < end {
            recording.still_there()?;
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(ATTACHED_AFTER);
        recording.still_there()?;
        Ok(recording)
    }

    fn still_there(&mut self) -> Outcome<()> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            _ => Err(self.refusal()),
        }
    }

    fn refusal(&mut self) -> Fault {
        let mut said = String::new();
        if let Some(mut pipe) = self.child.stderr.take() {
            let _ = pipe.read_to_string(&mut said);
        }
        let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        Fault::environment(format!("perf may not sample here: {}", said.join(" ")))
            .hint("as root, or after `sysctl kernel.perf_event_paranoid=1`; in a container, with CAP_PERFMON")
    }

    /// Stops sampling. Returns folded stacks (outermost frame first, `;` between frames) with their numbers of samples.
    ///
    /// # Errors
    /// Environment, when `perf` cannot read what it wrote.
    pub fn end(mut self) -> Outcome<Vec<(String, u64)>> {
        interrupt(&self.child);
        let _ = self.child.wait();
        let mut script = Command::new("perf");
        script.args(["script", "--no-inline", "-F", "ip,sym,dso", "-i"]).arg(&self.file);
        script.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut reading = script.spawn().map_err(|error| missing(&error))?;
        let folded = reading.stdout.take().map(|pipe| fold(BufReader::new(pipe)));
        let status = reading.wait();
        match folded {
            Some(Ok(stacks)) if status.as_ref().is_ok_and(std::process::ExitStatus::success) => Ok(stacks),
            Some(Err(error)) => Err(Fault::environment(format!("cannot read what perf sampled: {error}"))),
            _ => Err(Fault::environment("perf cannot read what it sampled")),
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends SIGINT, as a terminal does. `perf` then completes its file and ends.
fn interrupt(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // An error means that it has ended already.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
    }
}

fn missing(error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot run perf: {error}"))
        .hint("install it (Debian: apt-get install linux-perf; Ubuntu: linux-tools-generic; Fedora: dnf install perf)")
}

/// Samples as `perf script -F ip,sym,dso` prints them: innermost frame first, a blank line after each.
fn fold(text: impl BufRead) -> std::io::Result<Vec<(String, u64)>> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut frames: Vec<String> = Vec::new();
    let mut keep = |frames: &mut Vec<String>| {
        if !frames.is_empty() {
            frames.reverse();
            *found.entry(frames.join(";")).or_default() += 1;
            frames.clear();
        }
    };
    for line in text.split(b'\n') {
        // Symbols of C++ may not be UTF-8.
        let line = String::from_utf8_lossy(&line?).into_owned();
        if line.trim().is_empty() {
            keep(&mut frames);
        } else if let Some(frame) = frame(&line) {
            frames.push(frame);
        }
    }
    keep(&mut frames);
    Ok(found.into_iter().collect())
}

/// `   55dd3ec0 hash_search (/path/postgres)`: the symbol, or the file's name in brackets where it has none.
fn frame(line: &str) -> Option<String> {
    let (_address, rest) = line.trim().split_once(' ')?;
    let (symbol, file) = rest.rsplit_once(" (").unwrap_or((rest, ""));
    let file = file.trim_end_matches(')');
    let name = match symbol.trim() {
        "" | "[unknown]" => format!("[{}]", file.rsplit('/').next().filter(|name| !name.is_empty())?),
        symbol => symbol.to_owned(),
    };
    Some(name.replace(';', ":"))
}

/// Whether `perf` is installed.
///
/// # Errors
/// Environment, with how to get it.
pub fn available() -> Outcome<()> {
    let asked = Command::new("perf").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.map(|_| ()).map_err(|error| missing(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_folded_from_the_outermost_frame() {
        let text = "\
\t    55dd3ec0a hash_search (/x/bin/postgres)\n\t    55dd3ec0b ReadBuffer (/x/bin/postgres)\n\n\
\t    55dd3ec0a hash_search (/x/bin/postgres)\n\t    55dd3ec0b ReadBuffer (/x/bin/postgres)\n\n\
\tffffffff8 [unknown] ([kernel.kallsyms])\n\t    7f01 std::vector<a; b>::at (int) (/x/lib/libx.so)\n\n";
        let folded = fold(text.as_bytes()).expect("reads");
        assert_eq!(
            folded,
            [
                ("ReadBuffer;hash_search".to_owned(), 2),
                ("std::vector<a: b>::at (int);[[kernel.kallsyms]]".to_owned(), 1)
            ]
        );
        assert!(fold(&b"\n\n"[..]).expect("reads").is_empty());
    }
}
