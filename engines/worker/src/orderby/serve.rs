//! Serves the lab with a thread per connection, which runs the queries itself.

use std::convert::Infallible;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex, PoisonError};

use humdrum_contract::{OrderBatch, OrderDone, OrderMade, OrderQuery, OrderTable};

use super::answer::Answer;
use super::note::Note;
use super::orders::Orders;
use super::wire::{self, PROTOCOL, Reply, Request};
use crate::frames;

/// A share of the table is no less memory than this. Measured with DuckDB 1.5.6 and one thread: a million rows of 190 bytes cannot
/// be sorted in 54 MiB, and can in 64.
const MEMORY_LEAST_BYTES: u64 = 64 << 20;

/// Why something was not done.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// What the engine says.
    Refused(String),
    /// What is wrong with an answer.
    Wrong(String),
}

/// What an engine is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its own version.
    pub version: String,
    /// Settings in force, sorted by name.
    pub settings: Vec<(String, String)>,
}

/// One run of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timed {
    /// Rows that came; of a query for the first row alone, those that came with it.
    pub rows: u64,
    /// From the query's text to the last row, or to the first ones, ns.
    pub ns: u64,
}

/// An engine in its worker, with one table.
pub trait Store: Send + Sync {
    /// What it is.
    ///
    /// # Errors
    /// What the engine says.
    fn about(&self) -> Result<About, Trouble>;
    /// Makes the table, in place of the one before.
    ///
    /// # Errors
    /// As `about`.
    fn make(&self, table: OrderTable) -> Result<OrderMade, Trouble>;
    /// Has the table of an earlier start, which was stopped or killed.
    ///
    /// # Errors
    /// As `about`.
    fn restore(&self, table: OrderTable) -> Result<(), Trouble> {
        self.make(table).map(drop)
    }
    /// Opens a session, in the thread that will use it.
    ///
    /// # Errors
    /// As `about`.
    fn open(&self) -> Result<Box<dyn Queries>, Trouble>;
}

/// A session.
pub trait Queries {
    /// Chooses what `run` runs. With `memory_bytes` the engine has no more than that.
    ///
    /// # Errors
    /// What the engine says.
    fn choose(&mut self, query: &OrderQuery, memory_bytes: Option<u64>) -> Result<(), Trouble>;
    /// Runs it once. With an answer, all rows are given to that, which is not measured.
    ///
    /// # Errors
    /// What the engine says, and what the answer says.
    fn run(&mut self, answer: Option<&mut Answer>) -> Result<Timed, Trouble>;
}

/// Serves until it is told to stop, or the lab is gone and the guardian ends it. The table of an earlier start is there again
/// before anybody is served.
///
/// # Errors
/// There is nowhere to listen; the table cannot be restored.
pub fn serve(orders: &Orders, store: Arc<dyn Store>) -> Result<Infallible, String> {
    let note = Note::of(orders);
    let made = match note.read() {
        Some((table, made)) => store.restore(table).map(|()| made).map_err(|why| format!("{why:?}"))?,
        None => OrderMade::default(),
    };
    let listener = UnixListener::bind(&orders.socket)
        .map_err(|error| format!("cannot listen at {}: {error}", orders.socket.display()))?;
    let made = Arc::new(Mutex::new(made));
    loop {
        let (stream, _) = listener.accept().map_err(|error| format!("cannot take a connection: {error}"))?;
        let (store, made, note) = (Arc::clone(&store), Arc::clone(&made), note.clone());
        std::thread::spawn(move || Connection { store, made, note, session: None }.converse(stream));
    }
}

struct Connection {
    store: Arc<dyn Store>,
    /// The table, which all connections share.
    made: Arc<Mutex<OrderMade>>,
    note: Note,
    session: Option<(Box<dyn Queries>, OrderQuery)>,
}

impl Connection {
    /// Answers until the other end is gone.
    fn converse(mut self, mut stream: UnixStream) {
        while let Ok(bytes) = frames::receive(&mut stream) {
            let Some(request) = wire::decode(&bytes) else { return };
            let stop = request == Request::Stop;
            let reply = self.reply(request).unwrap_or_else(|trouble| match trouble {
                Trouble::Refused(what) => Reply::Refused(what),
                Trouble::Wrong(what) => Reply::Wrong(what),
            });
            let sent = frames::send(&mut stream, &wire::encode(&reply));
            if stop {
                std::process::exit(0);
            }
            if sent.is_err() {
                return;
            }
        }
    }

    fn reply(&mut self, request: Request) -> Result<Reply, Trouble> {
        Ok(match request {
            Request::Hello => {
                let About { version, settings } = self.store.about()?;
                let thread = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
                Reply::Hello { protocol: PROTOCOL, thread, version, settings }
            }
            Request::Make { rows, seed } => {
                let table = OrderTable { rows, seed };
                self.note.remove();
                let made = self.store.make(table)?;
                self.note.write(table, made).map_err(Trouble::Refused)?;
                *self.made.lock().unwrap_or_else(PoisonError::into_inner) = made;
                made.into()
            }
            Request::Choose(query) => {
                self.choose(OrderQuery::try_from(query).map_err(Trouble::Refused)?)?;
                Reply::Done
            }
            Request::Run { count, checked } => {
                let (done, latencies) = self.run(OrderBatch { count, checked })?;
                Reply::ran(done, latencies)
            }
            Request::Stop => Reply::Done,
        })
    }

    fn table(&self) -> OrderMade {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn choose(&mut self, query: OrderQuery) -> Result<(), Trouble> {
        let memory = query.memory_percent.map(|percent| share(self.table().bytes, percent));
        let mut session = self.store.open()?;
        session.choose(&query, memory)?;
        self.session = Some((session, query));
        Ok(())
    }

    /// Runs the query as often as the batch says. Returns what was done, and the time of each in nanoseconds.
    fn run(&mut self, batch: OrderBatch) -> Result<(OrderDone, Vec<u64>), Trouble> {
        let table = self.table().rows;
        let unchosen = || Trouble::Refused("no query was chosen yet".to_owned());
        let (session, query) = self.session.as_mut().ok_or_else(unchosen)?;
        let expected = query.limit.unwrap_or(table).min(table);
        let mut done = OrderDone::default();
        let mut latencies = Vec::with_capacity(batch.count as usize);
        for _ in 0..batch.count {
            let mut answer = batch.checked.then(|| Answer::new(query));
            let timed = session.run(answer.as_mut())?;
            latencies.push(timed.ns);
            done.wall_ns += timed.ns;
            done.rows += counted(timed.rows, query.first_row, expected)?;
            let sum = answer.map_or(0, |answer| answer.checksum());
            done.checksum = done.checksum.wrapping_add(sum);
        }
        Ok((done, latencies))
    }
}

/// The rows that count.
fn counted(rows: u64, first_row: bool, expected: u64) -> Result<u64, Trouble> {
    let (rows, expected) = if first_row { (rows.min(1), expected.min(1)) } else { (rows, expected) };
    if rows == expected {
        return Ok(rows);
    }
    Err(Trouble::Wrong(format!("{rows} rows came back, and {expected} are in the answer")))
}

fn share(bytes: u64, percent: u32) -> u64 {
    (bytes / 100 * u64::from(percent)).max(MEMORY_LEAST_BYTES)
}

#[cfg(test)]
mod tests;
