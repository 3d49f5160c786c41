//! A session over the Postgres protocol, written for the lab's hot loop: an operation costs one write and one
//! read, copies its parameters into a prepared message, counts the rows as they arrive and allocates nothing.
//! For other purposes use a full client library; this one has only what workloads need.
//!
//! The cold path (start-up, authentication, parse, simple query) uses the `postgres-protocol` crate; the hot
//! path is `bind.rs` (what is sent), `wire.rs` (what is read) and `pipeline.rs` (many statements at once).

mod bind;
mod message;
mod pipeline;
mod startup;
mod wire;

use std::time::Duration;

use bytes::BytesMut;
use humdrum_contract::{
    Answer, Fetched, Outcome, Param, ParamType, Pipeline, RowSource, SqlSession, Statement,
};
use humdrum_model::Fault;
use humdrum_transport::{Encryption, Endpoint, Socket, open_either_way};
use postgres_protocol::message::frontend;

use bind::Prepared;
use message::tags;
use pipeline::Piped;
use wire::Wire;

/// Bytes of a statement that are put together with what surrounds it: a message of several parts costs the kernel more
/// than carrying these does, and carrying more costs more than that.
const CARRIED_MOST: usize = 512;

/// Where a server listens and how to log in.
#[derive(Clone, Debug)]
pub struct Target {
    /// Socket or address.
    pub endpoint: Endpoint,
    /// Role.
    pub user: String,
    /// Its password; unused where the server trusts.
    pub password: String,
    /// Database.
    pub database: String,
    /// What is asked of encryption over TCP; `None` for none.
    pub encryption: Option<Encryption>,
    /// Settings of the session (`search_path`), sent at start-up.
    pub options: Vec<(String, String)>,
    /// The server was started by the lab, so that the process it names is one of this host over TCP too. Of another one at the
    /// same address it may be a process of a container.
    pub is_ours: bool,
}

/// Opens a session; every answer on it is due within `timeout`.
///
/// # Errors
/// Crash if no server listens or the log-in is refused, timeout if there is no answer.
pub fn connect(target: &Target, timeout: Duration) -> Outcome<Session> {
    open_either_way(target.encryption.as_ref(), startup::is_refusal, |encryption| {
        let mut wire = Wire::open(&target.endpoint, timeout)?;
        if let Some(encryption) = encryption {
            startup::encrypt(&mut wire, &target.endpoint, encryption)?;
        }
        let server_process = startup::log_in(&mut wire, target)?;
        let message = Vec::with_capacity(4096);
        Ok(Session { wire, server_process, prepared: Vec::new(), message, piped: Piped::default() })
    })
}

/// A connection that stays open.
pub struct Session {
    wire: Wire,
    server_process: Option<u32>,
    prepared: Vec<Prepared>,
    /// The message being built; kept so that the hot path does not allocate.
    message: Vec<u8>,
    piped: Piped,
}

impl Session {
    /// Its socket.
    pub fn socket(&self) -> &Socket {
        self.wire.socket()
    }

    /// Sends a message for which the server has nothing to do, and waits for the answer.
    ///
    /// # Errors
    /// As `SqlSession::query`.
    pub fn round_trip(&mut self) -> Outcome<()> {
        self.send_cold(|out| {
            frontend::sync(out);
            Ok(())
        })?;
        self.wire.until_ready(|_, _| {})
    }

    fn send_bind(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()> {
        let prepared = &self.prepared[statement.0 as usize];
        prepared.message(params, &mut self.message);
        self.wire.send(&self.message)
    }

    fn send_text(&mut self, sql: &str) -> Outcome<()> {
        let (head, text, end) = bind::simple_query(sql);
        if text.len() > CARRIED_MOST {
            return self.wire.send_parts([&head, text, &end]);
        }
        self.message.clear();
        [&head, text, &end].iter().for_each(|part| self.message.extend_from_slice(part));
        self.wire.send(&self.message)
    }

    fn send_cold(&mut self, build: impl FnOnce(&mut BytesMut) -> std::io::Result<()>) -> Outcome<()> {
        let mut out = BytesMut::new();
        build(&mut out).map_err(|error| Fault::usage(format!("cannot build a message: {error}")))?;
        self.wire.send(&out)
    }

    fn copy_rows(&mut self, rows: &mut dyn RowSource) -> Outcome<()> {
        const CHUNK: usize = 64 * 1024;
        let mut chunk = Vec::with_capacity(CHUNK + 1024);
        let mut row = Vec::with_capacity(256);
        let mut more = true;
        while more {
            chunk.extend_from_slice(b"d\0\0\0\0");
            while chunk.len() < CHUNK {
                row.clear();
                more = rows.next_row(&mut row);
                if !more {
                    break;
                }
                chunk.extend_from_slice(&row);
                chunk.push(b'\n');
            }
            let length = (chunk.len() - 1) as u32;
            chunk[1..5].copy_from_slice(&length.to_be_bytes());
            self.wire.send(&chunk)?;
            chunk.clear();
        }
        self.send_cold(|out| {
            frontend::copy_done(out);
            Ok(())
        })
    }
}

impl SqlSession for Session {
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        self.send_text(sql)?;
        let mut rows = Vec::new();
        self.wire.until_ready(|tag, body| match tag {
            tags::ROW_DESCRIPTION => rows.clear(),
            tags::DATA_ROW => rows.push(message::text_row(body)),
            _ => {}
        })?;
        Ok(rows)
    }

    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        let number = self.prepared.len() as u32;
        let mut prepared = Prepared::new(number, params);
        let types = params.iter().map(|param| bind::type_oid(*param));
        self.send_cold(|out| {
            frontend::parse(prepared.name(), sql, types, out)?;
            frontend::describe(b'S', prepared.name(), out)?;
            frontend::sync(out);
            Ok(())
        })?;
        let described = self.wire.until_ready(|tag, body| {
            if tag == tags::ROW_DESCRIPTION {
                prepared.columns = message::columns(body);
            }
        });
        described.map_err(|fault| fault.at(format!("preparing `{sql}`")))?;
        self.prepared.push(prepared);
        Ok(Statement(number))
    }

    fn prepare_each_time(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        self.prepared.push(Prepared::each_time(sql, params));
        Ok(Statement(self.prepared.len() as u32 - 1))
    }

    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        self.send_bind(statement, params)?;
        self.wire.count_rows()
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.send_text(sql)?;
        self.wire.count_rows()
    }

    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        self.send_bind(statement, params)?;
        self.wire.hash_rows()
    }

    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer> {
        self.send_text(sql)?;
        self.wire.hash_rows()
    }

    fn fetch(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Fetched> {
        let prepared = &self.prepared[statement.0 as usize];
        prepared.described(params, &mut self.message);
        let columns = prepared.columns.clone();
        self.wire.send(&self.message)?;
        self.wire.fetch_rows(columns)
    }

    fn fetch_text(&mut self, sql: &str) -> Outcome<Fetched> {
        self.send_text(sql)?;
        self.wire.fetch_rows(Vec::new())
    }

    fn load(&mut self, table: &str, columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64> {
        self.send_text(&format!("COPY {table} ({}) FROM STDIN", columns.join(", ")))?;
        self.wire.until(tags::COPY_IN)?;
        self.copy_rows(rows)?;
        self.wire.count_rows()
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.wire.set_timeout(timeout)
    }

    fn pipeline(&mut self) -> Option<&mut dyn Pipeline> {
        Some(self)
    }

    fn server_process(&self) -> Option<u32> {
        self.server_process
    }
}

impl Drop for Session {
    /// Says goodbye, so that the server does not log a broken connection.
    fn drop(&mut self) {
        let _ = self.send_cold(|out| {
            frontend::terminate(out);
            Ok(())
        });
    }
}
