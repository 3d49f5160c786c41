//! The session: one connection with its prepared statements.

use std::time::Duration;

use humdrum_contract::{Answer, Fetched, Outcome, Param, ParamType, RowSource, SqlSession, Statement};
use humdrum_model::Fault;
use humdrum_transport::{Socket, open_either_way};

use crate::cursor::Cursor;
use crate::exchange::Exchange;
use crate::reply::{ServerError, marks};
use crate::statement::{self, Known, Prepared};
use crate::target::Target;
use crate::wire::Wire;
use crate::{bulk, login, thread};

/// ER_UNSUPPORTED_PS: the server runs this statement only as text.
const CANNOT_BE_PREPARED: u16 = 1295;

/// Opens a session; every answer on it is due within `timeout`.
///
/// # Errors
/// Crash if no server listens or the log-in is refused, timeout if there is no answer.
pub fn connect(target: &Target, timeout: Duration) -> Outcome<Session> {
    let opened = open_either_way(
        target.encryption.as_ref(),
        |_| false,
        |encryption| {
            let mut wire = Wire::new(Socket::open(&target.endpoint, timeout)?);
            let greeting = login::log_in(&mut wire, target, encryption)?;
            Ok((wire, greeting))
        },
    );
    let (wire, greeting) = opened?;
    let mut exchange = Exchange::new(wire, greeting, target.character_set);
    settle_settings(&mut exchange)?;
    let server_process = thread::serving(&mut exchange);
    Ok(Session { exchange, prepared: Vec::new(), server_process })
}

/// A connection that stays open.
#[derive(Debug)]
pub struct Session {
    exchange: Exchange,
    prepared: Vec<Prepared>,
    server_process: Option<u32>,
}

impl Session {
    /// Its socket.
    pub fn socket(&self) -> &Socket {
        self.exchange.wire.socket()
    }

    /// Sends a message for which the server has nothing to do, and waits for the answer.
    ///
    /// # Errors
    /// As `SqlSession::query`.
    pub fn round_trip(&mut self) -> Outcome<()> {
        self.exchange.ping()
    }

    /// The server's version, as `SELECT VERSION()` gives it.
    pub fn server_version(&self) -> &str {
        &self.exchange.greeting.version
    }

    /// The server is MariaDB.
    pub fn is_mariadb(&self) -> bool {
        self.exchange.greeting.is_mariadb()
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

    #[inline]
    fn send_statement(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()> {
        match &mut self.prepared[statement.0 as usize] {
            Prepared::Known(known) => {
                known.message(params, &mut self.exchange.message);
                self.exchange.wire.send(&mut self.exchange.message)
            }
            Prepared::Text(message) => {
                assert!(params.is_empty(), "a statement that is sent as text has no parameters");
                self.exchange.wire.send(message)
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
        self.exchange.wire.send(&mut statement::prepare(sql))?;
        let packet = self.exchange.wire.next()?;
        if packet.first() == Some(&marks::ERROR) {
            let error = ServerError::read(packet);
            if error.code == CANNOT_BE_PREPARED && params.is_empty() {
                let mut message = Vec::new();
                statement::query(sql, &mut message);
                return Ok(Prepared::Text(message));
            }
            return Err(error.fault());
        }
        let described = Described::read(packet).inspect_err(|_| self.exchange.wire.give_up())?;
        self.exchange.wire.skip_columns(described.params)?;
        self.exchange.wire.skip_columns(described.columns)?;
        if usize::from(described.params) != params.len() {
            let (has, said) = (described.params, params.len());
            return Err(Fault::usage(format!("it has {has} parameters, and {said} were declared")));
        }
        Ok(Prepared::Known(Known::new(described.id, params)))
    }
}

/// What must not be left to defaults that differ between servers.
fn settle_settings(exchange: &mut Exchange) -> Outcome<()> {
    let (name, collation) = (exchange.character_set.name(), exchange.character_set.collation());
    exchange.query(&format!("SET NAMES {name} COLLATE {collation}"))?;
    exchange.query("SET SESSION autocommit = 1")?;
    if !exchange.greeting.is_mariadb() && exchange.greeting.major() >= 8 {
        // Sizes of tables are asked of the tables, not of a memory of yesterday.
        exchange.query("SET SESSION information_schema_stats_expiry = 0")?;
    }
    Ok(())
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
        self.exchange.query(sql)
    }

    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        let prepared = self.prepare_on_server(sql, params);
        self.prepared.push(prepared.map_err(|fault| fault.at(format!("preparing `{sql}`")))?);
        Ok(Statement(self.prepared.len() as u32 - 1))
    }

    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        self.send_statement(statement, params)?;
        let rows = self.exchange.wire.count_rows()?;
        self.remember_types(statement);
        Ok(rows)
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.exchange.run_text(sql)
    }

    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        self.send_statement(statement, params)?;
        let answer = match self.prepared[statement.0 as usize] {
            Prepared::Known(_) => self.exchange.wire.hash_rows::<true>()?,
            Prepared::Text(_) => self.exchange.wire.hash_rows::<false>()?,
        };
        self.remember_types(statement);
        Ok(answer)
    }

    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer> {
        self.exchange.send_text(sql)?;
        self.exchange.wire.hash_rows::<false>()
    }

    fn fetch(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Fetched> {
        self.send_statement(statement, params)?;
        let fetched = match self.prepared[statement.0 as usize] {
            Prepared::Known(_) => self.exchange.wire.fetched::<true>()?,
            Prepared::Text(_) => self.exchange.wire.fetched::<false>()?,
        };
        self.remember_types(statement);
        Ok(fetched)
    }

    fn fetch_text(&mut self, sql: &str) -> Outcome<Fetched> {
        self.exchange.send_text(sql)?;
        self.exchange.wire.fetched::<false>()
    }

    fn load(&mut self, table: &str, columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64> {
        bulk::load(&mut self.exchange, table, columns, rows)
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.exchange.wire.set_timeout(timeout)
    }

    fn server_process(&self) -> Option<u32> {
        self.server_process
    }
}

impl Drop for Session {
    /// Says goodbye, so that the server does not log a broken connection.
    fn drop(&mut self) {
        let _ = self.exchange.wire.send(&mut statement::quit());
    }
}
