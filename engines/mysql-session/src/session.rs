//! The session: one connection with its prepared statements.

use std::time::Duration;

use humdrum_contract::{Answer, Fetched, Outcome, Param, ParamType, RowSource, SqlSession, Statement};
use humdrum_transport::{Socket, open_either_way};

use crate::each_time::EachTime;
use crate::exchange::Exchange;
use crate::statement::{self, Known, Prepared};
use crate::target::Target;
use crate::wire::Wire;
use crate::{bulk, login, thread};

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
    let server_process = thread::serving(&mut exchange, target.is_ours);
    Ok(Session { exchange, prepared: Vec::new(), server_process, is_ours: target.is_ours })
}

/// A connection that stays open.
#[derive(Debug)]
pub struct Session {
    exchange: Exchange,
    prepared: Vec<Prepared>,
    server_process: Option<u32>,
    is_ours: bool,
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
        let Self { exchange, prepared, .. } = self;
        let prepared = &mut prepared[statement.0 as usize];
        if let Prepared::EachTime(each) = prepared {
            match each.send(exchange, params)? {
                None => return Ok(()),
                Some(message) => *prepared = Prepared::Text(message),
            }
        }
        match prepared {
            Prepared::Known(known) => {
                known.message(params, &mut exchange.message);
                exchange.wire.send(&mut exchange.message)
            }
            Prepared::Text(message) => {
                assert!(params.is_empty(), "a statement that is sent as text has no parameters");
                exchange.wire.send(message)
            }
            Prepared::EachTime(_) => Ok(()),
        }
    }

    /// After an answer, the server has the types of the parameters, and a statement that is prepared each time is closed.
    #[inline]
    fn answered<T>(&mut self, statement: Statement, answer: Outcome<T>) -> Outcome<T> {
        match &mut self.prepared[statement.0 as usize] {
            Prepared::Known(known) => known.types_sent |= answer.is_ok(),
            Prepared::Text(_) => {}
            Prepared::EachTime(each) => {
                let closed = each.close(&mut self.exchange);
                return answer.and_then(|answer| closed.map(|()| answer));
            }
        }
        answer
    }

    /// Rows of the answer come in the binary form.
    fn is_binary(&self, statement: Statement) -> bool {
        !matches!(self.prepared[statement.0 as usize], Prepared::Text(_))
    }

    fn prepare_on_server(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Prepared> {
        let mut message = statement::prepare(sql);
        Ok(match self.exchange.prepare(&mut message, params.len())? {
            Some(id) => Prepared::Known(Known::new(id, params)),
            None => Prepared::Text(statement::as_text(&message)),
        })
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

impl SqlSession for Session {
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        self.exchange.query(sql)
    }

    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        let prepared = self.prepare_on_server(sql, params);
        self.prepared.push(prepared.map_err(|fault| fault.at(format!("preparing `{sql}`")))?);
        Ok(Statement(self.prepared.len() as u32 - 1))
    }

    fn prepare_each_time(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        self.prepared.push(Prepared::EachTime(EachTime::new(sql, params)));
        Ok(Statement(self.prepared.len() as u32 - 1))
    }

    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        self.send_statement(statement, params)?;
        let rows = self.exchange.wire.count_rows();
        self.answered(statement, rows)
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.exchange.run_text(sql)
    }

    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        self.send_statement(statement, params)?;
        let answer = match self.is_binary(statement) {
            true => self.exchange.wire.hash_rows::<true>(),
            false => self.exchange.wire.hash_rows::<false>(),
        };
        self.answered(statement, answer)
    }

    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer> {
        self.exchange.send_text(sql)?;
        self.exchange.wire.hash_rows::<false>()
    }

    fn fetch(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Fetched> {
        self.send_statement(statement, params)?;
        let fetched = match self.is_binary(statement) {
            true => self.exchange.wire.fetched::<true>(),
            false => self.exchange.wire.fetched::<false>(),
        };
        self.answered(statement, fetched)
    }

    fn fetch_text(&mut self, sql: &str) -> Outcome<Fetched> {
        self.exchange.send_text(sql)?;
        self.exchange.wire.fetched::<false>()
    }

    fn load(&mut self, table: &str, columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64> {
        match self.is_ours {
            true => bulk::load_unlogged(&mut self.exchange, table, columns, rows),
            false => bulk::load(&mut self.exchange, table, columns, rows),
        }
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
