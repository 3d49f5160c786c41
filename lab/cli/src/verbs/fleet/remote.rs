//! Commands on a host of `humdrum fleet ssh`. What is sent is one line for a POSIX shell without single quotes, because
//! the login shell of the account reads it first, whichever that is.

use std::process::{Command, Stdio};

use humdrum_model::Fault;
use humdrum_report::printable;

use super::folder::{Host, Ssh};

/// What is the same for every connection: no questions, because hosts are asked side by side, and an end if a host is gone.
const OPTIONS: [&str; 6] = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15"];

/// Whether the work of this folder runs: the process whose number is in `pid`, if it works in this folder. A number alone
/// could be another's after a restart of the host.
const RUNS: &str = "runs() { [ -e pid ] && [ \"$(readlink /proc/$(cat pid)/cwd)\" = \"$(pwd -P)\" ]; }";

/// What runs on the host. `$@` are numbers of shards.
pub const WORK: &str = "\
#!/bin/sh
# Measures shards one after the other. If it is started again, it goes on where it was.
cd \"$(dirname \"$0\")\" || exit 2
echo $$ > pid
rm -f ended
worst=0
if [ -e builds.tar ]; then
    ./humdrum unpack builds.tar || { echo $? > ended; exit; }
fi
for shard in \"$@\"; do
    ./humdrum --progress plain fleet shard . \"$shard\" >> \"logs/shard-$shard.log\" 2>&1
    code=$?
    [ $code -gt $worst ] && worst=$code
done
echo $worst > ended
";

/// A host of a fleet.
#[derive(Clone, Copy, Debug)]
pub struct Remote<'a> {
    /// The fleet.
    pub ssh: &'a Ssh,
    /// Which of its hosts.
    pub host: &'a Host,
}

impl Remote<'_> {
    /// All words of a call of ssh.
    pub fn words(&self, script: &str) -> Vec<String> {
        let mut words = self.ssh.command.clone();
        words.extend(OPTIONS.map(str::to_owned));
        if let Some(port) = self.host.address.port {
            words.extend(["-p".to_owned(), port.to_string()]);
        }
        words.push(self.host.address.name.clone());
        words.push(format!("sh -c '{script}'"));
        words
    }

    /// The words of a tar that writes what a host gets.
    pub fn tar_words(&self, staged: &str) -> Vec<String> {
        let mut words: Vec<String> = ["tar", "-C", staged, "-cf", "-", "."].map(str::to_owned).into();
        if !self.ssh.with.is_empty() {
            words.extend(["-C".to_owned(), self.ssh.directory.display().to_string()]);
            words.extend(self.ssh.with.iter().map(|path| path.display().to_string()));
        }
        words
    }

    /// Unpacks what comes in, and proves that the program runs there. `ready` is written last.
    pub fn receive(&self) -> String {
        format!(
            "mkdir -p {far} && cd {far} && tar -xof - && mkdir -p logs shards && ./humdrum --version && touch ready",
            far = self.ssh.far
        )
    }

    /// Starts the work, which no end of a connection ends.
    pub fn start(&self) -> String {
        let shards: Vec<String> = self.host.shards.iter().map(u32::to_string).collect();
        format!(
            "cd {far} || exit; {RUNS}; runs && exit; rm -f pid ended; \
             setsid nohup ./work.sh {} < /dev/null >> logs/host.log 2>&1 & \
             n=0; until [ -e pid ] || [ $n -ge 50 ]; do sleep 0.1; n=$((n+1)); done; [ -e pid ]",
            shards.join(" "),
            far = self.ssh.far
        )
    }

    /// Prints `absent`, `running`, `ended CODE` or `stopped`, then what `humdrum fleet state` prints.
    pub fn look(&self) -> String {
        format!(
            "[ -e {far}/ready ] || {{ echo absent; exit; }}; cd {far} && {RUNS}; \
             if runs; then echo running; elif [ -e ended ]; then echo ended $(cat ended); else echo stopped; fi; \
             ./humdrum fleet state .",
            far = self.ssh.far
        )
    }

    /// Writes copies of the shards and the logs as an archive.
    pub fn send(&self) -> String {
        format!(
            "cd {far} && ./humdrum fleet copies . && tar -C copies -cf - shards -C .. logs; code=$?; rm -rf copies; exit $code",
            far = self.ssh.far
        )
    }

    /// Ends the work with all its processes; waits until they are gone.
    pub fn cancel(&self, remove: bool) -> String {
        let remove = if remove { format!("; cd && rm -rf {}", self.ssh.far) } else { String::new() };
        format!(
            "cd {far} || exit 0; {RUNS}; n=0; if runs; then p=$(cat pid); kill -TERM -$p; \
             while kill -0 -$p 2> /dev/null && [ $n -lt 300 ]; do sleep 0.1; n=$((n+1)); done; \
             kill -0 -$p 2> /dev/null && {{ echo does not end >&2; exit 3; }}; fi; true{remove}",
            far = self.ssh.far
        )
    }

    /// What a script prints.
    ///
    /// # Errors
    /// Environment: the host cannot be reached, or the script fails there; with what ssh said last.
    pub fn ask(&self, script: &str) -> Result<String, Fault> {
        let output =
            self.command(script).stdin(Stdio::null()).output().map_err(|error| self.no_ssh(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(self.failed(output.status.code(), &output.stderr))
    }

    /// A call of ssh.
    pub fn command(&self, script: &str) -> Command {
        command_of(&self.words(script))
    }

    /// What to tell when ssh ended with this code.
    pub fn failed(&self, code: Option<i32>, stderr: &[u8]) -> Fault {
        let said = String::from_utf8_lossy(stderr);
        let said = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("without a word");
        let said = printable(said);
        // ssh ends with 255 for its own failures, otherwise with the code of the command.
        let (what, hint) = if code == Some(255) {
            (
                "cannot be reached",
                format!(
                    "{} {} must connect without a question",
                    self.ssh.command.join(" "),
                    self.host.address
                ),
            )
        } else if said.contains("GLIBC") || said.contains("Exec format") || said.contains("No such file") {
            (
                "does not run the program",
                "give a static program of its processor's kind with --program".to_owned(),
            )
        } else {
            ("failed", "look there, then type `humdrum fleet resume FOLDER`".to_owned())
        };
        Fault::environment(format!("{} {what}: {said}", self.host.address)).hint(hint)
    }

    /// What to tell when ssh does not start.
    pub fn no_ssh(&self, error: &std::io::Error) -> Fault {
        Fault::environment(format!("{} cannot be started: {error}", self.ssh.command.join(" ")))
            .hint("install OpenSSH's client, or give a command that connects with --ssh")
    }
}

/// A command of words, of which there is at least one.
pub fn command_of(words: &[String]) -> Command {
    let mut words = words.iter();
    let mut command = Command::new(words.next().map_or("", String::as_str));
    command.args(words);
    command
}

/// Words as a shell reads them.
pub fn quoted(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=,@%".contains(c);
    let quote = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}
