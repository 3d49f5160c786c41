//! One set: every rival in turn, round after round.
//!
//! ```text
//!   few rows   | 16 | 16 | 16 | ...      one look at the clock before all of them, one after
//! ```

use std::borrow::Cow;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use skipsort_rivals::Rival;
use skipsort_testkit::oracle;

use crate::args::{Plan, Set};

/// What was seen on one set.
pub(crate) struct Record {
    pub(crate) set: String,
    /// Of each sort.
    pub(crate) rows: usize,
    /// Between two looks at the clock.
    pub(crate) sorts: usize,
    pub(crate) bytes_per_key: f64,
    /// Bytes that must be read of a key to tell it from all others, on average.
    pub(crate) distinguishing_per_key: f64,
    pub(crate) columns: Vec<Column>,
}

/// The samples of one rival, nanoseconds per row.
pub(crate) struct Column {
    pub(crate) rival: &'static Rival,
    pub(crate) cpu: Vec<f64>,
    pub(crate) wall: Vec<f64>,
}

/// Rows that are sorted between two looks at the clock, where one sort is too short to be timed.
const AT_A_TIME: usize = 1 << 13;

pub(crate) fn set(set: &Set, plan: &Plan) -> Result<Record, String> {
    let (name, draws) = match set {
        // Of few rows many draws: the same few again and again would be learned by the processor.
        Set::Pattern(pattern) => {
            let seeds = plan.seed..plan.seed + (AT_A_TIME / plan.rows).max(1) as u64;
            (pattern.name, seeds.map(|seed| Cow::Owned(pattern.keys(plan.rows, seed))).collect())
        }
        Set::File(path, keys) => (&**path, vec![Cow::Borrowed(keys)]),
    };
    let pieces: Vec<Piece<'_>> = draws.iter().map(|keys| Piece::new(keys.slices())).collect();
    let mut columns: Vec<Column> =
        plan.rivals.iter().map(|rival| Column { rival, cpu: Vec::new(), wall: Vec::new() }).collect();
    // What the first sort of all does to memory that is new to the process is nobody's time.
    if let Some(first) = columns.first_mut() {
        once(first, &pieces).map_err(|what| format!("{name}: {what}"))?;
        (first.cpu, first.wall) = Default::default();
    }
    for round in 0..plan.rounds {
        for turn in 0..columns.len() {
            // Each round starts with another rival, so that none always follows the same one.
            let column = (turn + round) % columns.len();
            once(&mut columns[column], &pieces).map_err(|what| format!("{name}: {what}"))?;
        }
    }
    columns.retain(|column| !column.cpu.is_empty());
    let rows: usize = pieces.iter().map(|piece| piece.rows.len()).sum();
    let bytes: usize = draws.iter().flat_map(|keys| keys.iter()).map(<[u8]>::len).sum();
    let distinguishing: u64 = pieces.iter().map(|piece| oracle::distinguishing_bytes(&piece.expected)).sum();
    Ok(Record {
        set: name.into(),
        rows: rows / pieces.len(),
        sorts: pieces.len(),
        bytes_per_key: bytes as f64 / rows as f64,
        distinguishing_per_key: distinguishing as f64 / rows as f64,
        columns,
    })
}

/// What is sorted at once, and in order.
struct Piece<'k> {
    rows: Vec<&'k [u8]>,
    expected: Vec<&'k [u8]>,
}

impl<'k> Piece<'k> {
    fn new(rows: Vec<&'k [u8]>) -> Self {
        let mut expected = rows.clone();
        expected.sort_unstable();
        Self { rows, expected }
    }
}

/// One timed run of one rival over all pieces. A rival that does not apply leaves no sample.
fn once(column: &mut Column, pieces: &[Piece<'_>]) -> Result<(), String> {
    let jobs: Option<Vec<_>> = pieces.iter().map(|piece| (column.rival.prepare)(&piece.rows)).collect();
    let Some(mut jobs) = jobs else {
        return Ok(());
    };
    let (wall, cpu) = (Instant::now(), thread_time());
    for job in &mut jobs {
        job.run();
    }
    let (cpu, wall) = (thread_time() - cpu, wall.elapsed());
    for (job, piece) in jobs.iter().zip(pieces) {
        let (answer, expected) = (job.answer(), &piece.expected);
        let whole = column.rival.partial || answer.len() == expected.len();
        if !whole || answer != expected[..answer.len()] {
            return Err(format!("{} gave a wrong answer", column.rival.name));
        }
    }
    let rows = pieces.iter().map(|piece| piece.rows.len()).sum();
    column.cpu.push(per_row(cpu, rows));
    column.wall.push(per_row(wall, rows));
    Ok(())
}

fn per_row(time: Duration, rows: usize) -> f64 {
    time.as_secs_f64() * 1e9 / rows as f64
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
