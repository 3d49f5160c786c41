//! The functions that a SQL engine provides.

use std::path::Path;
use std::time::Duration;

use humdrum_contract::{
    Dialect, Dirs, DumpProgram, Outcome, Process, Progress, SqlSession, StatementCounter, Survey,
    does_not_count,
};
use humdrum_model::SubjectFacts;
use humdrum_transport::Socket;

use crate::instance::{Command, Instance};
use crate::login::Login;
use crate::profile::Profile;
use crate::source::Recipe;
use crate::version::Version;

/// What a SQL engine with servers of its own brings; the kit does everything else.
pub trait SqlKind: Send + Sync + 'static {
    /// A connection.
    type Session: SqlSession + 'static;

    /// Whether its sessions have pipelines.
    fn pipelines(&self) -> bool {
        false
    }

    /// Whether servers of a release take the optimizer's statistics from a dump.
    fn imports_statistics(&self, _release: Version) -> bool {
        false
    }

    /// What is known beforehand.
    fn profile(&self) -> &Profile;

    /// The release of a build, as its server says it; `None`: it is not of this engine.
    ///
    /// # Errors
    /// When the server cannot be asked.
    fn version_of(&self, folder: &Path) -> Outcome<Option<String>>;

    /// How it is built from sources; `None`: not here.
    fn recipe(&self) -> Option<&'static Recipe> {
        None
    }

    /// Adds what a build that was just unpacked lacks on this host.
    ///
    /// # Errors
    /// Environment.
    fn complete(&self, _folder: &Path, _name: &str, _dirs: &Dirs, _progress: &dyn Progress) -> Outcome<()> {
        Ok(())
    }

    /// What was added, for the build's facts.
    fn added(&self, _folder: &Path) -> Option<String> {
        None
    }

    /// Makes data and configuration, and leaves nothing running. The server's folder, its password and the folder for its
    /// socket exist already.
    ///
    /// # Errors
    /// Usage for a setting that the release does not take; environment or crash otherwise.
    fn make(&self, instance: &Instance) -> Outcome<()>;

    /// The server's arguments and environment.
    fn command(&self, instance: &Instance) -> Command;

    /// Called when the server gives its first answer after a start. `said` is what it has logged since then.
    ///
    /// # Errors
    /// Usage, where it goes on without a setting that it was given.
    fn answered(&self, _instance: &Instance, _said: &str) -> Outcome<()> {
        Ok(())
    }

    /// Called once a start has succeeded; removes what only the first start needs.
    ///
    /// # Errors
    /// Environment.
    fn started(&self, _instance: &Instance) -> Outcome<()> {
        Ok(())
    }

    /// What a log says against a setting, in the server's own words. `asked` are the names that the user typed.
    fn complaint(&self, log: &str, asked: &[String]) -> Option<String>;

    /// Opens a session; every answer on it is due within `timeout`.
    ///
    /// # Errors
    /// Crash if no server listens or the log-in is refused, timeout if there is no answer.
    fn connect(&self, login: &Login, timeout: Duration) -> Outcome<Self::Session>;

    /// The SQL of a release.
    fn dialect(&self, version: Version) -> Box<dyn Dialect>;

    /// Completes what is known of a build by what the server says.
    ///
    /// # Errors
    /// Crash or timeout.
    fn facts(&self, session: &mut Self::Session, known: SubjectFacts) -> Outcome<SubjectFacts>;

    /// Lines that tell a person how to connect to a server of ours.
    fn how_to_connect(&self, login: &Login) -> String;

    /// Reads the URL of a running server.
    ///
    /// # Errors
    /// Usage, without the password.
    fn read_url(&self, url: &str) -> Outcome<Login>;

    /// The socket of a session.
    fn socket<'s>(&self, session: &'s Self::Session) -> &'s Socket;

    /// Sends a message for which the server has nothing to do, and waits for the answer.
    ///
    /// # Errors
    /// Crash or timeout.
    fn round_trip(&self, session: &mut Self::Session) -> Outcome<()>;

    /// Checks that an external server is of this engine, and makes the lab's schema there. `session` is the
    /// first one. Returns the release.
    ///
    /// # Errors
    /// Usage, when it is another engine's; whatever the server says.
    fn adopt(&self, session: &mut Self::Session, address: &str) -> Outcome<Version>;

    /// Counts kinds of waits that a server does not count while it is measured, or no longer. Returns whether it counts them now
    /// because of this. Only servers of ours are told to.
    ///
    /// # Errors
    /// Whatever the server says.
    fn count_waits(&self, _session: &mut Self::Session, _on: bool) -> Outcome<bool> {
        Ok(false)
    }

    /// What an upgrade needs to know of a running server.
    ///
    /// # Errors
    /// Usage, when it is another engine's; whatever the server says.
    fn survey(&self, session: &mut Self::Session) -> Outcome<Survey>;

    /// The program that dumps a running server's database; `url` has no password.
    fn dump_program(&self, login: &Login, url: &str) -> DumpProgram;

    /// What a running server has counted of its statements. Nothing is written there.
    ///
    /// # Errors
    /// Usage: it counts nothing, or this user may not read it; crash, timeout.
    fn counter(&self, _session: Self::Session, _login: &Login) -> Outcome<Box<dyn StatementCounter>> {
        Err(does_not_count(self.profile().title))
    }

    /// Takes the lock that says that the lab's schema there is in use; a session holds it until it ends. False: another one
    /// has it.
    ///
    /// # Errors
    /// Whatever the server says.
    fn claim(&self, session: &mut Self::Session) -> Outcome<bool>;

    /// Processes of our sessions on an external server, if they are on this host.
    fn processes_of_others(&self, _login: &Login) -> Vec<Process> {
        Vec::new()
    }
}
