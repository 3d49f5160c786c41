//! The session: one connection with its prepared statements.

use std::time::Duration;

use humdrum_contract::{Answer, Outcome, Param, ParamType, RowSource, SqlSession, Statement};
use humdrum_model::Fault;
use humdrum_transport::Socket;

use crate::cursor::Cursor;
use crate::greeting::Greeting;
use crate::reply::{ServerError, marks};
use crate::statement::{self, Known, Prepared};
use crate::wire::Wire;
use crate::{CharacterSet, Target, bulk, login, thread};

/// ER_UNSUPPORTED_PS: the server runs this statement only as text.
const CANNOT_BE_PREPARED: u16 = 1295;

/// Opens a session; every answer on it is due within `timeout`.
///
/// # Errors
/// Crash when nobody listens or the log-in is refused, timeout when nobody answers.
pub fn connect(target: &Target, timeout: Duration) -> Outcome<Session> {
    let mut wire = Wire::new(Socket::open(&target.endpoint, timeout)?);
    let greeting = login::log_in(&mut wire, target)?;
    let mut session = Session {
        wire,
        character_set: target.character_set,
        greeting,
        prepared: Vec::new(),
        message: Vec::with_capacity(4096),
        server_process: None,
    };
    session.settle_settings()?;
    session.server_process = thread::serving(&mut session);
    Ok(session)
}

/// A connection that stays open.
#[derive(Debug)]
pub struct Session {
    pub(crate) wire: Wire,
    pub(crate) character_set: CharacterSet,
    greeting: Greeting,
    prepared: Vec<Prepared>,
    /// The message being built; kept so that the hot path does not allocate.
    message: Vec<u8>,
    server_process: Option<u32>,
}

impl Session {
    /// The server's version, as `SELECT VERSION()` gives it.
    pub fn server_version(&self) -> &str {
        &self.greeting.version
    }

    /// The server is MariaDB.
    pub fn is_mariadb(&self) -> bool {
        self.greeting.is_mariadb()
    }

    /// Character sets and collations in force on this session, by name: what the reference leaves to defaults.
    ///
    /// # Errors
    /// As `SqlSession::query`.
    pub fn session_settings(&mut self) -> Outcome<Vec<(String, String)>> {
        let wanted = "Variable_name LIKE 'character\\_set\\_%' OR Variable_name LIKE 'collation\\_%'";
        let rows = self.query(&format!("SHOW SESSION VARIABLES WHERE {wanted}"))?;
        let pairs = rows.into_iter().filter_map(|row| {
            let [name, value] = <[Option<String>; 2]>::try_from(row).ok()?;
            Some((name?, value.unwrap_or_default()))
        });
        let mut settings: Vec<(String, String)> = pairs.collect();
        settings.sort();
        Ok(settings)
    }

    /// What must not be left to defaults that differ between servers.
    fn settle_settings(&mut self) -> Outcome<()> {
        let (name, collation) = (self.character_set.name(), self.character_set.collation());
        self.query(&format!("SET NAMES {name} COLLATE {collation}"))?;
        self.query("SET SESSION autocommit = 1")?;
        if !self.is_mariadb() && self.greeting.major() >= 8 {
            // Sizes of tables are asked of the tables, not of a memory of yesterday.
            self.query("SET SESSION information_schema_stats_expiry = 0")?;
        }
        Ok(())
    }

    pub(crate) fn send_text(&mut self, sql: &str) -> Outcome<()> {
        statement::query(sql, &mut self.message);
        self.wire.send(&mut self.message)
    }

    /// Asks whether anybody is there, and waits for the answer.
    pub(crate) fn ping(&mut self) -> Outcome<()> {
        self.wire.send(&mut statement::ping())?;
        self.wire.finish().map(drop)
    }

    #[inline]
    fn send_statement(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()> {
        match &mut self.prepared[statement.0 as usize] {
            Prepared::Known(known) => {
                known.message(params, &mut self.message);
                self.wire.send(&mut self.message)
            }
            Prepared::Text(message) => {
                assert!(params.is_empty(), "a statement that is sent as text has no parameters");
                self.wire.send(message)
            }
        }
    }

    /// After an answer, the server has the types of the parameters.
    #[inline]
    fn remember_types(&mut self, statement: Statement) {
        if let Prepared::Known(known) = &mut self.prepared[statement.0 as usize] {
            known.types_sent = true;
        }
    }

    fn prepare_on_server(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Prepared> {
        self.wire.send(&mut statement::prepare(sql))?;
        let packet = self.wire.next()?;
        if packet.first() == Some(&marks::ERROR) {
            let error = ServerError::read(packet);
            if error.code == CANNOT_BE_PREPARED && params.is_empty() {
                let mut message = Vec::new();
                statement::query(sql, &mut message);
                return Ok(Prepared::Text(message));
            }
            return Err(error.fault());
        }
        let described = Described::read(packet).inspect_err(|_| self.wire.give_up())?;
        self.wire.skip_columns(described.params)?;
        self.wire.skip_columns(described.columns)?;
        if usize::from(described.params) != params.len() {
            let (has, said) = (described.params, params.len());
            return Err(Fault::usage(format!("it has {has} parameters, and {said} were declared")));
        }
        Ok(Prepared::Known(Known::new(described.id, params)))
    }
}

/// What the server says of a statement that it prepared.
struct Described {
    id: u32,
    columns: u16,
    params: u16,
}

impl Described {
    fn read(packet: &[u8]) -> Outcome<Self> {
        let mut rest = Cursor::new(packet);
        rest.u8()?;
        Ok(Self { id: rest.u32()?, columns: rest.u16()?, params: rest.u16()? })
    }
}

impl SqlSession for Session {
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        self.send_text(sql)?;
        self.wire.text_rows()
    }

    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        let prepared = self.prepare_on_server(sql, params);
        self.prepared.push(prepared.map_err(|fault| fault.at(format!("preparing `{sql}`")))?);
        Ok(Statement(self.prepared.len() as u32 - 1))
    }

    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        self.send_statement(statement, params)?;
        let rows = self.wire.count_rows()?;
        self.remember_types(statement);
        Ok(rows)
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.send_text(sql)?;
        self.wire.count_rows()
    }

    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        self.send_statement(statement, params)?;
        let answer = match self.prepared[statement.0 as usize] {
            Prepared::Known(_) => self.wire.hash_rows::<true>()?,
            Prepared::Text(_) => self.wire.hash_rows::<false>()?,
        };
        self.remember_types(statement);
        Ok(answer)
    }

    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer> {
        self.send_text(sql)?;
        self.wire.hash_rows::<false>()
    }

    fn load(&mut self, table: &str, columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64> {
        bulk::load(self, table, columns, rows)
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.wire.set_timeout(timeout)
    }

    fn server_process(&self) -> Option<u32> {
        self.server_process
    }
}

impl Drop for Session {
    /// Says goodbye, so that the server does not log a broken connection.
    fn drop(&mut self) {
        let _ = self.wire.send(&mut statement::quit());
    }
}
