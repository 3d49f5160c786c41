//! The kit's functions for PostgreSQL.

use std::fs;
use std::path::Path;
use std::process;
use std::time::Duration;

use humdrum_contract::{
    Dialect, DumpProgram, Outcome, Process, Role, SqlSession, StatementCounter, Survey, number_at,
};
use humdrum_engine_kit::{
    Command, Instance, Login, Patience, Profile, Recipe, SCHEMA, Sessions, SqlKind, Starting, Version,
};
use humdrum_model::{CopyTimings, SubjectFacts, Timings};
use humdrum_postgres_session::{Session, Target, connect};
use humdrum_provision::program;
use humdrum_transport::{Endpoint, Socket};

use crate::catalogue::CATALOGUE;
use crate::configurations::{OPTIONS, RESERVE, shared_mib};
use crate::dialect::PostgresDialect;
use crate::folders::FOLDERS;
use crate::recipe::RECIPE;
use crate::{cluster, counter, facts, log, survey, url};

/// PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub struct Postgres;

/// Half of what two servers took together on two processors, as told by
/// `humdrum compare a=postgres@17.7 b=postgres@17.7+fpw0 --tests update-nonindex,insert --scale medium --budget 110s -v`
/// beside a compiler on one of them: load and check a million rows 13 s, end 0.2 s, copy 1.1 s, start, read in and check
/// 5.3 s, pay 1.5 s. Idle, it is two thirds of that.
const TIMINGS: Timings = Timings {
    create_seconds: 1.0,
    restart_seconds: 0.25,
    load_seconds_per_row: 4.5e-6,
    copy: Some(CopyTimings { seconds: 0.1, seconds_per_row: 2.0e-6 }),
    settle_seconds: 0.3,
    settle_seconds_per_row: 0.0,
};

/// Where a server of ours listens that is reached over its socket, whose name has it.
pub(crate) const PORT: u16 = 5432;

/// The key of the lock that says that our schema of a database is in use: "humdrum" in ASCII.
const CLAIM: u64 = 0x0068_756d_6472_756d;

static PROFILE: Profile = Profile {
    name: "postgres",
    title: "PostgreSQL",
    about: "PostgreSQL 9.6 to 18; a release, sources, a folder of an installed build, or a running server by URL",
    timings: TIMINGS,
    cache_bytes: |sizing| shared_mib(sizing) << 20,
    reserve: RESERVE,
    catalogue: CATALOGUE,
    folders: FOLDERS,
    options: OPTIONS,
    starting: Starting {
        socket: ".s.PGSQL.5432",
        database: "postgres",
        patience: Patience {
            // A start after a crash replays the log first.
            start_within: Duration::from_secs(120),
            // A first answer comes after about 0.1 s.
            ask_every: Duration::from_millis(5),
            // A fast shutdown writes a checkpoint.
            stop_within: Duration::from_secs(60),
        },
        // SIGINT is the fast shutdown: clients are sent away, a checkpoint is written.
        stop_signal: libc::SIGINT,
        sessions: Sessions::Processes(serves_a_client),
    },
    passwords: "give a password: in PGPASSWORD, in ~/.pgpass (host:port:database:user:password), or in the URL",
    touches: "the schema `humdrum` of that database",
    apart: "give each subject a database of its own, as postgres://me@host/one and postgres://me@host/two",
};

impl SqlKind for Postgres {
    type Session = Session;

    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn pipelines(&self) -> bool {
        true
    }

    /// By `pg_restore_relation_stats` and `pg_restore_attribute_stats`.
    fn imports_statistics(&self, release: Version) -> bool {
        release.0 >= 18
    }

    fn recipe(&self) -> Option<&'static Recipe> {
        Some(&RECIPE)
    }

    /// `17.7` of `postgres (PostgreSQL) 17.7 (Debian 17.7-1)`.
    fn version_of(&self, folder: &Path) -> Outcome<Option<String>> {
        let Some(server) = (FOLDERS.program)(folder) else { return Ok(None) };
        let mut command = process::Command::new(folder.join(server));
        let output = program::output(command.arg("--version").env_clear());
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = text.unwrap_or_default();
        let version = text.strip_prefix("postgres (PostgreSQL) ");
        Ok(version.and_then(|text| text.split_ascii_whitespace().next()).map(str::to_owned))
    }

    fn make(&self, instance: &Instance) -> Outcome<()> {
        cluster::make(instance)
    }

    fn command(&self, instance: &Instance) -> Command {
        cluster::server(instance, &[])
    }

    fn complaint(&self, log: &str, _asked: &[String]) -> Option<String> {
        log::complaint(log)
    }

    fn connect(&self, login: &Login, timeout: Duration) -> Outcome<Session> {
        connect(&target(login), timeout)
    }

    fn dialect(&self, version: Version) -> Box<dyn Dialect> {
        Box::new(PostgresDialect { major: version.0 })
    }

    fn facts(&self, session: &mut Session, known: SubjectFacts) -> Outcome<SubjectFacts> {
        facts::ask(session, known)
    }

    fn how_to_connect(&self, login: &Login) -> String {
        let Login { user, password, database, .. } = login;
        let folder = match &login.endpoint {
            Endpoint::Unix(socket) => socket.parent().unwrap_or(Path::new("/")).display(),
            Endpoint::Tcp(host, port) => {
                return format!(
                    "  psql -h {host} -p {port} -U {user} {database}        (PGPASSWORD={password})\n  \
                     postgres://{user}:{password}@{host}:{port}/{database}"
                );
            }
        };
        format!(
            "  psql -h {folder} -U {user} {database}        (PGPASSWORD={password})\n  \
             postgres://{user}:{password}@/{database}?host={folder}&port={PORT}"
        )
    }

    fn read_url(&self, url: &str) -> Outcome<Login> {
        url::parse(url)
    }

    fn socket<'s>(&self, session: &'s Session) -> &'s Socket {
        session.socket()
    }

    fn round_trip(&self, session: &mut Session) -> Outcome<()> {
        session.round_trip()
    }

    fn adopt(&self, session: &mut Session, _address: &str) -> Outcome<Version> {
        let number = session.query("SHOW server_version_num")?;
        let major = number_at(&number, 0).map_or(0, |number| number as u32 / 10_000);
        session.query(&format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))?;
        Ok(Version(major, 0, 0))
    }

    fn survey(&self, session: &mut Session) -> Outcome<Survey> {
        survey::ask(session)
    }

    fn dump_program(&self, login: &Login, url: &str) -> DumpProgram {
        survey::dump_program(login, url)
    }

    fn counter(&self, session: Session, login: &Login) -> Outcome<Box<dyn StatementCounter>> {
        Ok(Box::new(counter::Counter::open(session, &login.database)?))
    }

    fn claim(&self, session: &mut Session) -> Outcome<bool> {
        let taken = session.query(&format!("SELECT pg_try_advisory_lock({CLAIM})::int"))?;
        Ok(number_at(&taken, 0).is_some_and(|taken| taken > 0.0))
    }

    fn processes_of_others(&self, login: &Login) -> Vec<Process> {
        let Ok(mut session) = self.connect(login, Duration::from_secs(10)) else { return Vec::new() };
        let sql =
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'humdrum' AND pid <> pg_backend_pid()";
        let pids = session.query(sql).unwrap_or_default().into_iter().flatten().flatten();
        let here = pids.filter_map(|pid| pid.parse().ok()).filter(|pid| is_postgres(*pid));
        here.map(|pid| Process { pid, role: Role::Session }).collect()
    }
}

/// A session that is kept to a schema searches that alone.
pub(crate) fn target(login: &Login) -> Target {
    let schema = login.schema.map(|schema| ("search_path".to_owned(), schema.to_owned()));
    Target {
        endpoint: login.endpoint.clone(),
        user: login.user.clone(),
        password: login.password.clone(),
        database: login.database.clone(),
        encryption: login.encryption.clone(),
        options: schema.into_iter().collect(),
        // Nobody else's server is asked for it.
        is_ours: login.is_ours,
    }
}

/// Backends show in their title where their client is: `[local]` or `127.0.0.1(40002)`. Everything else works for itself.
fn serves_a_client(pid: u32) -> bool {
    let title = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    [&b"[local]"[..], b"127.0.0.1("].iter().any(|place| title.windows(place.len()).any(|part| part == *place))
}

/// Guards against process ids of another namespace.
fn is_postgres(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim().starts_with("postgres"))
}
