//! One set: every rival in turn, round after round.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use skipsort_rivals::Rival;
use skipsort_testkit::Keys;

use crate::args::{Plan, Set};

/// What was seen on one set.
pub(crate) struct Record {
    pub(crate) set: String,
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
    pub(crate) columns: Vec<Column>,
}

/// The samples of one rival, nanoseconds per row.
pub(crate) struct Column {
    pub(crate) rival: &'static Rival,
    pub(crate) cpu: Vec<f64>,
    pub(crate) wall: Vec<f64>,
}

pub(crate) fn set(set: &Set, plan: &Plan) -> Result<Record, String> {
    let (name, keys) = match set {
        Set::Pattern(pattern) => (pattern.name, Cow::Owned(pattern.keys(plan.rows, plan.seed))),
        Set::File(path, keys) => (&**path, Cow::Borrowed(keys)),
    };
    let rows = keys.slices();
    let mut expected = rows.clone();
    expected.sort_unstable();
    let mut columns: Vec<Column> =
        plan.rivals.iter().map(|rival| Column { rival, cpu: Vec::new(), wall: Vec::new() }).collect();
    for round in 0..plan.rounds {
        for turn in 0..columns.len() {
            // Each round starts with another rival, so that none always follows the same one.
            let column = (turn + round) % columns.len();
            once(&mut columns[column], &rows, &expected).map_err(|what| format!("{name}: {what}"))?;
        }
    }
    columns.retain(|column| !column.cpu.is_empty());
    Ok(Record { set: name.into(), rows: rows.len(), bytes: total_bytes(&keys), columns })
}

fn total_bytes(keys: &Keys) -> usize {
    keys.iter().map(<[u8]>::len).sum()
}

/// One timed run of one rival. A rival that does not apply leaves no sample.
fn once(column: &mut Column, rows: &[&[u8]], expected: &[&[u8]]) -> Result<(), String> {
    let Some(mut job) = (column.rival.prepare)(rows) else {
        return Ok(());
    };
    let (wall, cpu) = (Instant::now(), thread_time());
    job.run();
    let (cpu, wall) = (thread_time() - cpu, wall.elapsed());
    let answer = job.answer();
    let whole = column.rival.partial || answer.len() == expected.len();
    if !whole || answer != expected[..answer.len()] {
        return Err(format!("{} gave a wrong answer", column.rival.name));
    }
    column.cpu.push(per_row(cpu, rows.len()));
    column.wall.push(per_row(wall, rows.len()));
    Ok(())
}

fn per_row(time: Duration, rows: usize) -> f64 {
    time.as_secs_f64() * 1e9 / rows as f64
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
