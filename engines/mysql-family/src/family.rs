//! The functions that the kit asks of an engine, for both engines of the family.

use std::fs;
use std::path::Path;
use std::time::Duration;

use humdrum_contract::{
    Dialect, Dirs, DumpProgram, Outcome, Progress, SqlSession, StatementCounter, Survey, number_at,
};
use humdrum_engine_kit::{Command, Instance, Login, Profile, Recipe, SCHEMA, SqlKind, Version, libraries};
use humdrum_model::{Fault, SubjectFacts};
use humdrum_mysql_session::{CharacterSet, InnoDb, Session, Target, connect};
use humdrum_transport::{Endpoint, Socket};

use crate::flavour::Flavour;
use crate::settings::CLIENT_CHARSET;
use crate::{complaint, counter, facts, first_life, option_file, parts, survey, url};

impl SqlKind for Flavour {
    type Session = Session;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn recipe(&self) -> Option<&'static Recipe> {
        Some(self.recipe)
    }

    fn version_of(&self, folder: &Path) -> Outcome<Option<String>> {
        let said = parts::ask_version(folder)?;
        let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        if let Some(library) = libraries::missing_in(&err) {
            let program = folder.join(parts::program(folder).unwrap_or_default());
            let what = format!("{} needs {library}, which this host does not have", program.display());
            return Err(Fault::usage(what).hint("install your distribution's package that holds it"));
        }
        // A release compares with those of its own engine; the other's are the other's.
        let version = version_in(&out).filter(|version| (self.is_of)(version));
        Ok(version.map(|version| Version::of(&version).to_string()))
    }

    fn complete(&self, folder: &Path, name: &str, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
        libraries::complete(folder, name, dirs, progress, || parts::ask_version(folder))
    }

    fn added(&self, folder: &Path) -> Option<String> {
        libraries::beside(folder)
    }

    fn make(&self, instance: &Instance) -> Outcome<()> {
        option_file::create(self, instance)?;
        first_life::begin(self, instance)
    }

    /// The statements that make the account are read by the first start.
    fn command(&self, instance: &Instance) -> Command {
        let first = option_file::first_statements(&instance.home);
        let init = format!("--init-file={}", first.display());
        let args = if first.exists() { &[&*init][..] } else { &[] };
        option_file::command(instance, args)
    }

    /// A server that runs with another value than it was given does not measure what was asked for.
    fn answered(&self, instance: &Instance, said: &str) -> Outcome<()> {
        match complaint::complaint(said, &instance.asked) {
            Some(complaint) => Err(instance.refused(&complaint)),
            None => Ok(()),
        }
    }

    fn started(&self, instance: &Instance) -> Outcome<()> {
        let first = option_file::first_statements(&instance.home);
        if !first.exists() {
            return Ok(());
        }
        fs::remove_file(&first)
            .map_err(|error| Fault::environment(format!("cannot remove {}: {error}", first.display())))
    }

    fn complaint(&self, log: &str, asked: &[String]) -> Option<String> {
        complaint::complaint(log, asked)
    }

    fn connect(&self, login: &Login, timeout: Duration) -> Outcome<Session> {
        let at = |endpoint: &Endpoint| Target {
            endpoint: endpoint.clone(),
            user: login.user.clone(),
            password: login.password.clone(),
            database: login.schema.map_or_else(|| login.database.clone(), str::to_owned),
            encryption: login.encryption.clone(),
            character_set: character_set(login),
            is_ours: login.is_ours,
        };
        let direct = connect(&at(&login.endpoint), timeout);
        match &login.socket {
            // caching_sha2_password takes a proof over TCP only of a password that it has seen, which it takes over a socket.
            Some(socket) if direct.is_err() => {
                connect(&at(socket), timeout)?;
                connect(&at(&login.endpoint), timeout)
            }
            _ => direct,
        }
    }

    fn dialect(&self, version: Version) -> Box<dyn Dialect> {
        Box::new(InnoDb { names: self.names, tells_rows: (self.tells_rows)(version) })
    }

    fn facts(&self, session: &mut Session, known: SubjectFacts) -> Outcome<SubjectFacts> {
        facts::ask(session, known)
    }

    fn how_to_connect(&self, login: &Login) -> String {
        let Login { user, password, database, .. } = login;
        let name = self.profile.name;
        let socket = match &login.endpoint {
            Endpoint::Unix(socket) => socket.display(),
            Endpoint::Tcp(host, port) => {
                return format!(
                    "  {name} --protocol=tcp --host={host} --port={port} --user={user} {database}        (MYSQL_PWD={password})\n  \
                     {name}://{user}:{password}@{host}:{port}/{database}"
                );
            }
        };
        format!(
            "  {name} --socket={socket} --user={user} {database}        (MYSQL_PWD={password})\n  \
             {name}://{user}:{password}@localhost/{database}?socket={socket}"
        )
    }

    fn read_url(&self, url: &str) -> Outcome<Login> {
        url::parse(self.profile.name, url)
    }

    fn socket<'s>(&self, session: &'s Session) -> &'s Socket {
        session.socket()
    }

    fn round_trip(&self, session: &mut Session) -> Outcome<()> {
        session.round_trip()
    }

    fn adopt(&self, session: &mut Session, address: &str) -> Outcome<Version> {
        let version = session.server_version().to_owned();
        if !(self.is_of)(&version) {
            let what = format!("{address} is not {}: it says {version}", self.profile.title);
            return Err(
                Fault::usage(what).hint("MySQL is written mysql@mysql://…, MariaDB mariadb@mariadb://…")
            );
        }
        session.query(&format!("CREATE DATABASE IF NOT EXISTS {SCHEMA}"))?;
        Ok(Version::of(&version))
    }

    fn count_waits(&self, session: &mut Session, on: bool) -> Outcome<bool> {
        humdrum_mysql_session::count_waits(session, on)
    }

    fn survey(&self, session: &mut Session) -> Outcome<Survey> {
        survey::ask(self, session)
    }

    fn dump_program(&self, login: &Login, url: &str) -> DumpProgram {
        survey::dump_program(self, login, url)
    }

    fn counter(&self, session: Session, login: &Login) -> Outcome<Box<dyn StatementCounter>> {
        Ok(Box::new(counter::Counter::open(session, &login.database)?))
    }

    fn claim(&self, session: &mut Session) -> Outcome<bool> {
        let taken = session.query(&format!("SELECT GET_LOCK('{SCHEMA}', 0)"))?;
        Ok(number_at(&taken, 0).is_some_and(|taken| taken > 0.0))
    }
}

/// The client's character set.
fn character_set(login: &Login) -> CharacterSet {
    let named = login.client.iter().find(|(name, _)| name == CLIENT_CHARSET);
    named.and_then(|(_, value)| CharacterSet::named(value)).unwrap_or_default()
}

/// `8.0.33` of `/opt/bin/mysqld  Ver 8.0.33 for Linux on x86_64 (MySQL Community Server - GPL)`.
fn version_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(" Ver ")?;
    let version = rest.split_ascii_whitespace().next()?;
    (Version::of(version).0 > 0).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_programs_say() {
        let said = "bin/mysqld  Ver 5.6.14 for linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))\n";
        assert_eq!(version_in(said).as_deref(), Some("5.6.14"));
        let said = "/x/mariadbd  Ver 10.11.5-MariaDB for linux-systemd on x86_64 (MariaDB Server)";
        assert_eq!(version_in(said).as_deref(), Some("10.11.5-MariaDB"));
        assert_eq!(version_in("postgres (PostgreSQL) 17.7"), None);
    }
}
