//! The writes. An operation's seed and number determine what it changes, so that every subject ends with the same
//! rows.
//!
//! With several clients, operations of one slice overlap, and their order differs between subjects. Three rules keep
//! the work equal.
//!
//! 1. A transaction updates `k`, updates `c`, and deletes and inserts again in different rows: ids of the form 3n+1,
//!    3n+2 and 3n. So no transaction changes what another one finds. All of them take their locks in this order, so that
//!    there are no deadlocks.
//! 2. Deleted rows come from a walk that visits each row once, so that no two clients delete the same row.
//! 3. The rows of the delete test are inserted again between slices, uncounted, before half of them are gone.

use std::ops::Range;

use humdrum_contract::{Answer, Client, Dialect, Operation, Outcome, Param, Seat, SqlSession, Statement};
use humdrum_model::Scale;
use humdrum_workload_common::Zipf;

use crate::data::{C_GROUPS, PAD_GROUPS, fill};
use crate::definitions::{ALL_RANGES, Ids, LISTED, Read, Write};
use crate::read_client::Reads;
use crate::refill::refill;
use crate::runner::{Checked, Measured, Runner};
use crate::statements::{self, Text};
use crate::tables;
use crate::walk::Walk;
use humdrum_contract::Random;

/// Seeds of the walks; any constant does.
const WALK: u64 = 0x7761_6c6b_0000_0001;
/// `--rand-zipfian-exp` of sysbench, by default.
const ZIPF_EXPONENT: f64 = 0.8;
/// Kinds of rows in a transaction.
const KINDS: u64 = 3;

/// Makes the client of a test that writes.
pub(crate) fn open(
    write: Write,
    mut session: Box<dyn SqlSession>,
    dialect: &dyn Dialect,
    seat: &Seat<'_>,
) -> Outcome<Box<dyn Client>> {
    let names = tables(seat.scale);
    let mut statements = Vec::new();
    for table in &names {
        let prepare = |text: &Text| text.prepare(&mut *session, dialect);
        statements.push(of_write(write, table).iter().map(prepare).collect::<Outcome<Vec<_>>>()?);
    }
    let heads = names.iter().map(|table| statements::insert_head(table, dialect)).collect();
    Ok(Box::new(WriteClient {
        session,
        write,
        compat: seat.compat,
        rows: seat.scale.rows,
        statements,
        heads,
        walk: walk(write, seat.scale),
        zipf: Zipf::new(seat.scale.rows, ZIPF_EXPONENT),
        params: Vec::new(),
        c: String::new(),
        pad: String::new(),
        text: String::new(),
        gone_since: 0,
        names,
    }))
}

/// The statements of a write in one table. For a transaction: BEGIN, COMMIT, the reads, then the writes.
pub(crate) fn of_write(write: Write, table: &str) -> Vec<Text> {
    match write {
        Write::InList => vec![statements::update_in_list(table, LISTED)],
        Write::Index => vec![statements::update_index(table)],
        Write::NonIndex { .. } => vec![statements::update_non_index(table)],
        Write::Delete => vec![statements::delete(table)],
        // Literal text, as in the reference.
        Write::Insert => Vec::new(),
        Write::Transaction { width } => {
            let ranges = if width.is_some() { ALL_RANGES } else { &[] };
            let mut texts = statements::of_read(Read::Transaction { ranges, width: 1 }, table);
            texts.extend([
                statements::update_index(table),
                statements::update_non_index(table),
                statements::delete(table),
                statements::insert_again(table),
            ]);
            texts
        }
    }
}

/// The rows to delete, in order: all rows, or those of a transaction's third kind.
fn walk(write: Write, scale: &Scale) -> Walk {
    match write {
        Write::Delete => Walk::new(scale.rows * u64::from(scale.tables), WALK),
        _ => Walk::new(scale.rows / KINDS, WALK),
    }
}

/// Most deletes in one slice: every delete must find its row, and half of the rows must remain.
pub(crate) fn most_deletes(scale: &Scale) -> u64 {
    (scale.rows * u64::from(scale.tables) / 2).max(1)
}

struct WriteClient {
    session: Box<dyn SqlSession>,
    write: Write,
    compat: bool,
    rows: u64,
    /// By table, in the order of `of_write`.
    statements: Vec<Vec<Statement>>,
    /// By table, an insert's text before the values.
    heads: Vec<String>,
    walk: Walk,
    zipf: Zipf,
    params: Vec<Param<'static>>,
    /// Buffers for values of `c` and `pad` and for the text of an insert, so that the hot path does not allocate.
    c: String,
    pad: String,
    text: String,
    /// Number of the first delete whose row has not been inserted again.
    gone_since: u64,
    names: Vec<String>,
}

impl WriteClient {
    fn operate<R: Runner>(&mut self, operation: Operation) -> Outcome<R::Out> {
        let mut random = Random::new(operation.seed);
        match self.write {
            Write::Transaction { width } => self.transaction::<R>(&mut random, operation.number, width),
            Write::Delete if !self.compat => self.delete::<R>(operation.number),
            Write::Insert => self.insert::<R>(&mut random),
            single => {
                let table = random.below(self.statements.len() as u64) as usize;
                self.update::<R>(single, table, &mut random)
            }
        }
    }

    fn update<R: Runner>(&mut self, write: Write, table: usize, random: &mut Random) -> Outcome<R::Out> {
        let statement = self.statements[table][0];
        match write {
            Write::InList => {
                fill(&mut self.c, C_GROUPS, random);
                let mut params = [Param::Text(&self.c); 1 + LISTED];
                params[1..].fill_with(|| Param::Int(random.id(self.rows)));
                R::run(&mut *self.session, statement, &params)
            }
            Write::NonIndex { ids } => {
                let id = match ids {
                    Ids::Uniform => random.id(self.rows),
                    Ids::One => 1,
                    Ids::Zipf => self.zipf.draw(random) as i32,
                };
                fill(&mut self.c, C_GROUPS, random);
                R::run(&mut *self.session, statement, &[Param::Text(&self.c), Param::Int(id)])
            }
            _ => R::run(&mut *self.session, statement, &[Param::Int(random.id(self.rows))]),
        }
    }

    fn delete<R: Runner>(&mut self, number: u64) -> Outcome<R::Out> {
        let (table, id) = place(&self.walk, self.rows, number);
        R::run(&mut *self.session, self.statements[table][0], &[Param::Int(id)])
    }

    fn insert<R: Runner>(&mut self, random: &mut Random) -> Outcome<R::Out> {
        use std::fmt::Write as _;
        let table = random.below(self.heads.len() as u64) as usize;
        let k = random.id(self.rows);
        fill(&mut self.c, C_GROUPS, random);
        fill(&mut self.pad, PAD_GROUPS, random);
        self.text.clear();
        self.text.push_str(&self.heads[table]);
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{k}, '{}', '{}')", self.c, self.pad);
        R::run_text(&mut *self.session, &self.text)
    }

    fn transaction<R: Runner>(
        &mut self,
        random: &mut Random,
        number: u64,
        width: Option<u64>,
    ) -> Outcome<R::Out> {
        let (begin, commit) = (self.statements[0][0], self.statements[0][1]);
        let mut sum = R::run(&mut *self.session, begin, &[])?;
        let ranges = if width.is_some() { ALL_RANGES.len() } else { 0 };
        if let Some(width) = width {
            let mut reads = Reads { params: &mut self.params, rows: self.rows, ranges, width };
            reads.run::<R>(&mut *self.session, random, &self.statements, &mut sum)?;
        }
        self.writes::<R>(random, number, 3 + ranges, &mut sum)?;
        R::add(&mut sum, R::run(&mut *self.session, commit, &[])?);
        Ok(sum)
    }

    /// The four writes of a transaction. `first` is the index of the first among a table's statements.
    fn writes<R: Runner>(
        &mut self,
        random: &mut Random,
        number: u64,
        first: usize,
        sum: &mut R::Out,
    ) -> Outcome<()> {
        let session = &mut *self.session;
        let kind = (self.rows / KINDS).max(1);
        let table = |random: &mut Random| random.below(self.statements.len() as u64) as usize;
        let id = |random: &mut Random, rest: u64| Param::Int((random.below(kind) * KINDS + rest) as i32);

        let statement = self.statements[table(random)][first];
        R::add(sum, R::run(session, statement, &[id(random, 1)])?);

        let statement = self.statements[table(random)][first + 1];
        let updated = id(random, 2);
        fill(&mut self.c, C_GROUPS, random);
        R::add(sum, R::run(session, statement, &[Param::Text(&self.c), updated])?);

        let again = table(random);
        let gone = Param::Int(((self.walk.at(number) + 1) * KINDS) as i32);
        R::add(sum, R::run(session, self.statements[again][first + 2], &[gone])?);
        let k = Param::Int(random.id(self.rows));
        fill(&mut self.c, C_GROUPS, random);
        fill(&mut self.pad, PAD_GROUPS, random);
        let values = [gone, k, Param::Text(&self.c), Param::Text(&self.pad)];
        R::add(sum, R::run(session, self.statements[again][first + 3], &values)?);
        Ok(())
    }
}

/// Table and id of the row that delete `number` removes.
fn place(walk: &Walk, rows: u64, number: u64) -> (usize, i32) {
    let place = walk.at(number);
    ((place / rows) as usize, (place % rows + 1) as i32)
}

impl Client for WriteClient {
    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        self.operate::<Measured>(operation)
    }

    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        self.operate::<Checked>(operation)
    }

    fn make_ready(&mut self, numbers: Range<u64>) -> Outcome<()> {
        if self.write != Write::Delete
            || self.compat
            || numbers.end - self.gone_since <= self.walk.length() / 2
        {
            return Ok(());
        }
        let gone = self.gone_since..numbers.start;
        self.gone_since = numbers.start;
        let rows = gone.map(|number| (place(&self.walk, self.rows, number), number)).collect();
        refill(&mut *self.session, &self.names, rows, self.rows)
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn scale(rows: u64, tables: u32) -> Scale {
        Scale { name: "custom".into(), rows, tables, clients: 1, ..Scale::default() }
    }

    #[test]
    fn deletes_come_by_every_row_of_every_table_once() {
        let walk = walk(Write::Delete, &scale(70, 3));
        let places: BTreeSet<(usize, i32)> = (0..210).map(|number| place(&walk, 70, number)).collect();
        assert_eq!(places.len(), 210);
        assert_eq!((places.first(), places.last()), (Some(&(0, 1)), Some(&(2, 70))));
        assert_eq!(most_deletes(&scale(70, 3)), 105);
    }

    #[test]
    fn transactions_write_to_rows_that_exist() {
        let walk = walk(Write::Transaction { width: None }, &scale(100, 1));
        assert_eq!(walk.length(), 33);
        assert!((0..100).all(|number| (walk.at(number) + 1) * KINDS <= 99));
    }
}
