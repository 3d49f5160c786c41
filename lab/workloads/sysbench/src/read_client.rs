//! The reads. A client has prepared statements and one buffer of parameters. An operation draws its numbers from its
//! seed, so that every subject gets the same queries.
//!
//! Ranges end within the table, so that all operations have the same size. At small scales, a range of 10,000 rows that
//! starts near the table's end would otherwise be short.

use humdrum_contract::{Answer, Client, Dialect, Operation, Outcome, Param, Seat, SqlSession, Statement};

use crate::definitions::{POINTS_PER_TRANSACTION, Read};
use crate::runner::{Checked, Measured, Runner};
use crate::statements::of_read;
use crate::tables;
use humdrum_contract::Random;

/// Makes the client of a test that reads.
pub(crate) fn open(
    read: Read,
    mut session: Box<dyn SqlSession>,
    dialect: &dyn Dialect,
    seat: &Seat<'_>,
) -> Outcome<Box<dyn Client>> {
    let texts: Vec<_> = tables(seat.scale).iter().map(|table| of_read(read, table)).collect();
    let mut statements = Vec::new();
    for table in &texts {
        let prepare = |text: &crate::statements::Text| text.prepare(&mut *session, dialect);
        statements.push(table.iter().map(prepare).collect::<Outcome<Vec<_>>>()?);
    }
    let own_table = seat.number as usize % texts.len();
    let scan = texts[own_table][0].sql.clone();
    Ok(Box::new(ReadClient { session, read, rows: seat.scale.rows, scan, statements, params: Vec::new() }))
}

struct ReadClient {
    session: Box<dyn SqlSession>,
    read: Read,
    rows: u64,
    /// The scan of this client's table (its number modulo tables), as literal text like in the reference.
    scan: String,
    /// By table, in the order of `of_read`.
    statements: Vec<Vec<Statement>>,
    params: Vec<Param<'static>>,
}

impl ReadClient {
    fn operate<R: Runner>(&mut self, seed: u64) -> Outcome<R::Out> {
        let mut random = Random::new(seed);
        match self.read {
            Read::Scan => R::run_text(&mut *self.session, &self.scan),
            Read::Transaction { ranges, width } => self.transaction::<R>(&mut random, ranges.len(), width),
            single => {
                let table = random.below(self.statements.len() as u64) as usize;
                fill_params(&mut self.params, single, self.rows, &mut random);
                R::run(&mut *self.session, self.statements[table][0], &self.params)
            }
        }
    }

    fn transaction<R: Runner>(&mut self, random: &mut Random, ranges: usize, width: u64) -> Outcome<R::Out> {
        let (begin, commit) = (self.statements[0][0], self.statements[0][1]);
        let mut sum = R::run(&mut *self.session, begin, &[])?;
        let mut reads = Reads { params: &mut self.params, rows: self.rows, ranges, width };
        reads.run::<R>(&mut *self.session, random, &self.statements, &mut sum)?;
        R::add(&mut sum, R::run(&mut *self.session, commit, &[])?);
        Ok(sum)
    }
}

/// The reads of a transaction, whether or not writes follow.
pub(crate) struct Reads<'a> {
    pub(crate) params: &'a mut Vec<Param<'static>>,
    pub(crate) rows: u64,
    /// How many range queries.
    pub(crate) ranges: usize,
    /// Rows in each.
    pub(crate) width: u64,
}

impl Reads<'_> {
    /// Runs them, each in a random table. `statements` are those of `of_read`, by table.
    pub(crate) fn run<R: Runner>(
        &mut self,
        session: &mut dyn SqlSession,
        random: &mut Random,
        statements: &[Vec<Statement>],
        sum: &mut R::Out,
    ) -> Outcome<()> {
        for number in 0..POINTS_PER_TRANSACTION + self.ranges {
            let table = random.below(statements.len() as u64) as usize;
            let statement = if number < POINTS_PER_TRANSACTION {
                fill_params(self.params, Read::Point, self.rows, random);
                2
            } else {
                push_range(self.params, self.rows, self.width - 1, random);
                3 + number - POINTS_PER_TRANSACTION
            };
            R::add(sum, R::run(session, statements[table][statement], self.params)?);
        }
        Ok(())
    }
}

/// Replaces `params` by those of one single-statement operation.
fn fill_params(params: &mut Vec<Param<'static>>, read: Read, rows: u64, random: &mut Random) {
    params.clear();
    match read {
        Read::InList { count, hot: true, .. } => {
            let first = (rows / 2 + 1) as i32;
            params.extend((0..count as i32).map(|offset| Param::Int(first + offset)));
        }
        Read::InList { count, .. } => params.extend((0..count).map(|_| Param::Int(random.id(rows)))),
        Read::Point => params.push(Param::Int(random.id(rows))),
        Read::Range { width, .. } => push_range(params, rows, width, random),
        Read::Scan | Read::Transaction { .. } => {}
    }
}

/// Replaces `params` by two ends `width` apart.
fn push_range(params: &mut Vec<Param<'static>>, rows: u64, width: u64, random: &mut Random) {
    let first = random.id(rows.saturating_sub(width).max(1));
    params.clear();
    params.extend([Param::Int(first), Param::Int(first + width as i32)]);
}

impl Client for ReadClient {
    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        self.operate::<Measured>(operation.seed)
    }

    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        self.operate::<Checked>(operation.seed)
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::{Shape, find};

    #[test]
    fn hot_points_are_always_the_same_and_in_the_middle() {
        let mut params = Vec::new();
        let Some(Shape::Read(read)) = find("hot-points").map(|test| test.shape) else { panic!("hot-points") };
        fill_params(&mut params, read, 1000, &mut Random::new(1));
        assert_eq!((params.len(), params[0], params[99]), (100, Param::Int(501), Param::Int(600)));
    }

    #[test]
    fn ranges_fit_whole() {
        let mut params = Vec::new();
        for seed in 0..1000 {
            push_range(&mut params, 20_000, 9_999, &mut Random::new(seed));
            let [Param::Int(first), Param::Int(last)] = params[..] else { panic!("two ends") };
            assert!(first >= 1 && last <= 20_000 && last - first == 9_999);
        }
    }
}
