//! The statement streams of a step. Each runs one kind of statement over a connection of its own.

mod queries;
mod writers;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use humdrum_contract::{ClientStreams, Connection, Outcome, QueueSql, SqlSession, StatementStream, StepSeat};
use humdrum_model::{Fault, Scale};

use crate::schema;
use crate::sizes::Sizes;
use crate::table::{Kind, Step, step};
use queries::{Points, Ranges};
use writers::{Deleter, Indexer, Inserter, LookUp};

/// What the streams of a client know about their table.
pub(crate) struct Place<'a> {
    pub(crate) step: &'static Step,
    pub(crate) client: u32,
    pub(crate) table: String,
    pub(crate) seed: u64,
    pub(crate) compat: bool,
    pub(crate) scale: &'a Scale,
    pub(crate) least: Least,
}

/// The least id of a table's queue, as far as its clients know. Look-ups and deletes advance it; deletes and point
/// queries use it. Clients that share a table share it, so that none asks for rows that others have deleted.
#[derive(Clone, Default)]
pub(crate) struct Least(Arc<AtomicU64>);

impl Least {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Raises it to the id that a look-up found. Deletes run meanwhile, so that the id may be out of date.
    pub(crate) fn raise(&self, id: u64) {
        self.0.fetch_max(id, Ordering::Relaxed);
    }

    /// Advances it by so many ids, and returns where it was.
    pub(crate) fn advance(&self, ids: u64) -> u64 {
        self.0.fetch_add(ids, Ordering::Relaxed)
    }
}

/// The streams of all clients of a step.
pub(crate) fn all(
    seat: &StepSeat<'_>,
    open: &mut dyn FnMut() -> Outcome<Connection>,
    queue: &QueueSql,
) -> Outcome<Vec<ClientStreams>> {
    let step = step(seat.test)?;
    // One client of each table builds its indexes.
    let clients = if step.kind == Kind::Index { seat.scale.tables } else { seat.scale.clients };
    let leasts: Vec<Least> = (0..seat.scale.tables.max(1)).map(|_| Least::default()).collect();
    let place = |client: u32| Place {
        step,
        client,
        table: schema::table_of(client, seat.scale),
        seed: seat.seed,
        compat: seat.compat,
        scale: seat.scale,
        least: leasts[client as usize % leasts.len()].clone(),
    };
    (0..clients).map(|client| one(&place(client), open, queue)).collect()
}

fn one(
    place: &Place<'_>,
    open: &mut dyn FnMut() -> Outcome<Connection>,
    queue: &QueueSql,
) -> Outcome<ClientStreams> {
    let mut session = || open()?.into_sql();
    let mut streams = ClientStreams::default();
    if place.step.kind == Kind::Index {
        streams.insert = Some(Box::new(Indexer::new(place, session()?, queue)));
        return Ok(streams);
    }
    streams.insert = Some(Box::new(Inserter::new(place, session()?)));
    if place.step.deletes() {
        streams.delete = Some(Box::new(Deleter::new(place, session()?, queue)));
        streams.look_up = Some(Box::new(LookUp::new(place, session()?)));
        streams.query = query(place, &mut session, queue)?;
    }
    Ok(streams)
}

fn query(
    place: &Place<'_>,
    session: &mut dyn FnMut() -> Outcome<Box<dyn SqlSession>>,
    queue: &QueueSql,
) -> Outcome<Option<Box<dyn StatementStream>>> {
    Ok(match place.step.kind {
        Kind::Ranges => Some(Box::new(Ranges::new(place, session()?, queue)?)),
        Kind::Points => Some(Box::new(Points::new(place, session()?, queue)?)),
        Kind::Fill | Kind::Index | Kind::Churn => None,
    })
}

/// The step's queries of the first table, with arguments from its middle: the queue has the rows that are left of all that were
/// inserted.
pub(crate) fn samples(step: &Step, scale: &Scale, queue: &QueueSql) -> Vec<String> {
    let table = schema::table_of(0, scale);
    let Sizes { x, y, z, .. } = Sizes::of(scale);
    match step.kind {
        Kind::Ranges => queries::sample_ranges(&table, queue),
        Kind::Points => vec![queries::sample_points(&table, y + z + x / 2)],
        Kind::Fill | Kind::Index | Kind::Churn => Vec::new(),
    }
}

/// The number that a query returns.
pub(crate) fn id_of(session: &mut dyn SqlSession, sql: &str) -> Outcome<u64> {
    let rows = session.query(sql)?;
    humdrum_contract::number_at(&rows, 0)
        .map(|id| id as u64)
        .ok_or_else(|| Fault::crash(format!("no id in the answer to `{sql}`: is the table empty?")))
}
