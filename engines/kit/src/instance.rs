//! One server's folder: its layout, and running a program of the build in it.
//!
//! ```text
//! <home>/data/         what the server stores
//! <home>/program/      the build, its program copied anew for each start
//! <home>/kept-NAME/    a copy of the data, once there is one; one for each of several data sets
//! <home>/s/            the socket, unless that path would be too long
//! <home>/password      the account's, generated
//! <home>/server.log    what the server says
//! ```
//!
//! Other files in it belong to the engine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::cgroup::Limit;
use humdrum_provision::guardian::{GuardSpec, Guarded};
use humdrum_provision::logs;

use crate::build::Build;
use crate::login::Login;

/// What one server is: its build, its folder, its account and its settings.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The build.
    pub build: Build,
    /// The server's folder.
    pub home: PathBuf,
    /// How it is reached.
    pub login: Login,
    /// All settings it is given, in order.
    pub given: Vec<(String, String)>,
    /// Names of the settings that the user typed.
    pub asked: Vec<String>,
    /// The memory that the server may use; programs that make its data may use more.
    pub limit: Option<Limit>,
    /// How long each call of the server that syncs a file is held back.
    pub fsync_delay: Option<Duration>,
}

/// How a program of a build is called.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its environment beside the language, the time zone and the path.
    pub env: Vec<(OsString, OsString)>,
}

impl Instance {
    /// The settings that the server itself is given: without those of the lab's own client.
    pub fn given_to_server(&self) -> impl Iterator<Item = &(String, String)> {
        self.given.iter().filter(|setting| !self.login.client.contains(setting))
    }

    /// What the server stores.
    pub fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    /// A copy of its data.
    pub fn kept(&self, name: &str) -> PathBuf {
        self.home.join(format!("kept-{name}"))
    }

    /// What the server runs from.
    pub fn program_copy(&self) -> PathBuf {
        self.home.join("program")
    }

    /// What the server says.
    pub fn log(&self) -> PathBuf {
        self.home.join("server.log")
    }

    /// The account's password.
    pub fn password_file(&self) -> PathBuf {
        self.home.join("password")
    }

    /// How a program is started: unprivileged, without our environment, under guard.
    pub fn spec(&self, program: PathBuf, command: Command, log_file: PathBuf) -> GuardSpec {
        let common = [("LC_ALL", "C"), ("TZ", "UTC"), ("PATH", "/usr/bin:/bin")];
        let common = common.map(|(key, value)| (key.into(), value.into()));
        GuardSpec {
            program,
            args: command.args,
            env: common.into_iter().chain(command.env).collect(),
            cwd: self.home.clone(),
            log_file,
            run_as: self.build.run_as,
            limit: None,
            fsync_delay: None,
        }
    }

    /// Runs a program of the build, a path below its root, to its end.
    ///
    /// # Errors
    /// Environment, when it cannot be started; timeout, with its log.
    pub fn run(
        &self,
        program: &Path,
        command: Command,
        input: Option<&Path>,
        log_file: &Path,
        within: Duration,
    ) -> Outcome<ExitStatus> {
        let spec = self.spec(self.build.root.join(program), command, log_file.to_path_buf());
        let mut run = Guarded::spawn_reading(&spec, input)?;
        run.wait(within).map_err(|fault| with_log(fault, log_file))
    }

    /// The fault for a setting that the release does not take, in the server's own words.
    pub fn refused(&self, complaint: &str) -> Fault {
        Fault::usage(format!("{} does not take a setting: {complaint}", self.build.name))
            .hint("check its name and value against that release's manual, or leave it out")
    }
}

/// A fault with the last lines of a log.
pub fn with_log(fault: Fault, log_file: &Path) -> Fault {
    match logs::tail(log_file) {
        Some(tail) => fault.log(tail),
        None => fault,
    }
}
