//! Computes session values from blocks: totals of operations and time of each side, and the ln of their
//! ratio.
//!
//! A block runs every subject on the same work back to back, so a disturbance of both cancels in its ratio.
//!
//! Blocks come in mirrored pairs, and a pair is one piece of evidence:
//!
//! ```text
//!   block 0        block 1        block 2 …
//!   base subject │ subject base │ base subject
//!        cold      warm    cold   warm  cold
//! ```
//!
//! A slice that follows another subject's starts with half-cold caches. The ratio of its block is off by
//! several percent, and that of the mirrored block by as much in the other direction. Totals over whole pairs
//! are free of this effect and of steady drift, so a block whose partner was discarded is left out too. No
//! block is left out for its value.

use humdrum_model::{Block, Stage};

use crate::robust::{mean, quantile, sd, trimmed};
use crate::run::KeptSession;
use crate::totals::{self, Part};

/// A session with less than one part in this many of the usual number of blocks was cut off; its value would
/// have too much weight.
const SHORT_SESSION: f64 = 3.0;

/// The result of one session for one subject.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionValue {
    /// The session's number.
    pub number: u32,
    /// Its purpose.
    pub stage: Stage,
    /// Totals of each side over its pairs.
    pub parts: Vec<Part>,
    /// ln of the ratio of these.
    pub value: f64,
    /// ln of the ratio of a typical pair: the 20 % trimmed mean.
    pub typical: f64,
    /// Standard error of `value` from within the session alone.
    pub standard_error: f64,
    /// Pairs that these are made from.
    pub pairs: usize,
    /// Blocks that the session had.
    pub blocks: usize,
}

impl SessionValue {
    /// The value of a quantity that a session has only once.
    pub fn of(session: &KeptSession<'_>, parts: Vec<Part>) -> Option<Self> {
        let value = totals::log(&parts)?;
        Some(Self {
            number: session.number,
            stage: session.stage,
            parts,
            value,
            typical: value,
            standard_error: f64::INFINITY,
            pairs: 1,
            blocks: session.blocks.len(),
        })
    }
}

/// Counted calls over the time they took, of one subject of a block.
pub(crate) fn throughput(block: &Block, subject: usize, weight: f64) -> Option<Part> {
    charged(block, subject, weight, 0.0)
}

/// The same, if each call is charged so many nanoseconds beside.
fn charged(block: &Block, subject: usize, weight: f64, charge_ns: f64) -> Option<Part> {
    let slice = block.slice(subject).filter(|slice| slice.operations > 0 && slice.wall_ns > 0)?;
    let calls = slice.operations as f64;
    Part::new(weight, calls, slice.wall_ns as f64 + calls * charge_ns)
}

/// Counted calls of a subject over the time they took, with what they are charged, ns; over all these sessions.
pub(crate) fn calls_per_ns(sessions: &[&KeptSession<'_>], subject: usize) -> Option<f64> {
    let mut sum = [0.0; 2];
    for session in sessions {
        let charge_ns = session.charge_ns(subject)?;
        for slice in session.blocks.iter().filter_map(|block| block.slice(subject)) {
            let calls = slice.operations as f64;
            sum = [sum[0] + calls, sum[1] + slice.wall_ns as f64 + calls * charge_ns];
        }
    }
    (sum[1] > 0.0).then(|| sum[0] / sum[1])
}

/// One value per session in which both ran, cut-off sessions left out: ln(QPS of `subject` / QPS of the base).
pub(crate) fn session_values(sessions: &[KeptSession<'_>], subject: usize) -> Vec<SessionValue> {
    session_values_between(sessions, 0, subject)
}

/// The same with another subject in place of the base.
pub(crate) fn session_values_between(
    sessions: &[KeptSession<'_>],
    other: usize,
    subject: usize,
) -> Vec<SessionValue> {
    session_values_of(sessions, |session| {
        let [theirs, own] = [session.charge_ns(other)?, session.charge_ns(subject)?];
        Some(move |block: &Block| [charged(block, other, -1.0, theirs), charged(block, subject, 1.0, own)])
    })
}

/// Session values of the rates of several subjects, each with its weight.
pub(crate) fn session_values_weighted(
    sessions: &[KeptSession<'_>],
    weights: &[(usize, f64)],
) -> Vec<SessionValue> {
    session_values_of(sessions, |session| {
        let all = weights.iter().map(|(subject, weight)| {
            let charge_ns = session.charge_ns(*subject)?;
            Some((*subject, *weight, charge_ns))
        });
        let all = all.collect::<Option<Vec<(usize, f64, f64)>>>()?;
        Some(move |block: &Block| -> Vec<Option<Part>> {
            all.iter().map(|(subject, weight, ns)| charged(block, *subject, *weight, *ns)).collect()
        })
    })
}

/// Session values of any parts of a block that can be added; a block that lacks one does not count.
pub(crate) fn session_values_by<Parts: IntoIterator<Item = Option<Part>>>(
    sessions: &[KeptSession<'_>],
    parts: impl Fn(&Block) -> Parts,
) -> Vec<SessionValue> {
    session_values_of(sessions, |_| Some(&parts))
}

/// The same of parts that differ from session to session; a session without any does not count.
fn session_values_of<Parts: IntoIterator<Item = Option<Part>>, Of: Fn(&Block) -> Parts>(
    sessions: &[KeptSession<'_>],
    parts: impl Fn(&KeptSession<'_>) -> Option<Of>,
) -> Vec<SessionValue> {
    let values = sessions.iter().filter_map(|session| {
        let rows = rows(&session.blocks, &parts(session)?);
        Some((session.stretch, value(session, &pairs(&rows))?))
    });
    without_short(values.collect())
}

/// Blocks and what they add to the totals.
struct Rows {
    /// Parts of a row.
    width: usize,
    /// Their indexes in the session; empty for pairs.
    indexes: Vec<u32>,
    /// Row after row.
    parts: Vec<Part>,
}

fn rows<Parts: IntoIterator<Item = Option<Part>>>(
    blocks: &[&Block],
    parts: &impl Fn(&Block) -> Parts,
) -> Rows {
    let mut rows = Rows { width: 0, indexes: Vec::new(), parts: Vec::with_capacity(2 * blocks.len()) };
    for block in blocks {
        let begin = rows.parts.len();
        let whole = parts(block).into_iter().all(|part| part.map(|part| rows.parts.push(part)).is_some());
        if whole {
            rows.width = rows.parts.len() - begin;
            rows.indexes.push(block.index);
        } else {
            rows.parts.truncate(begin);
        }
    }
    rows
}

fn value(session: &KeptSession<'_>, pairs: &Rows) -> Option<SessionValue> {
    let rows: Vec<&[Part]> = pairs.parts.chunks_exact(pairs.width.max(1)).collect();
    let parts = totals::sum(rows.iter().copied());
    let value = totals::log(&parts)?;
    let single: Vec<f64> = rows.iter().filter_map(|row| totals::log(row)).collect();
    let standard_error = sd(&totals::values(&rows)) / (rows.len() as f64).sqrt();
    Some(SessionValue {
        number: session.number,
        stage: session.stage,
        value,
        typical: trimmed(&single).map_or(value, |location| location.mean),
        standard_error,
        parts,
        pairs: rows.len(),
        blocks: session.blocks.len(),
    })
}

/// Values of sessions; their mean is the estimate over all of them.
pub(crate) fn pooled(sessions: &[SessionValue]) -> Vec<f64> {
    totals::values(&sessions.iter().map(|session| session.parts.as_slice()).collect::<Vec<_>>())
}

/// Sums of mirrored pairs; a block whose partner was discarded is left out with it. Where there is no pair at
/// all (a session of one block), single blocks are better than nothing.
fn pairs(blocks: &Rows) -> Rows {
    let mut pairs = Rows { width: blocks.width, indexes: Vec::new(), parts: Vec::new() };
    let row = |number: usize| &blocks.parts[number * blocks.width..(number + 1) * blocks.width];
    for number in 1..blocks.indexes.len() {
        let mirrored = blocks.indexes[number - 1] / 2 == blocks.indexes[number] / 2;
        if mirrored {
            pairs.parts.extend(row(number - 1).iter().zip(row(number)).map(|(one, other)| one.and(other)));
        }
    }
    if pairs.parts.is_empty() {
        pairs.parts.extend_from_slice(&blocks.parts);
    }
    pairs
}

/// Leaves out sessions with less than a third of the usual number of blocks, each counted against its planned
/// length.
fn without_short(values: Vec<(f64, SessionValue)>) -> Vec<SessionValue> {
    let filled = |(stretch, value): &(f64, SessionValue)| value.pairs as f64 / stretch;
    let usual = |check: bool| {
        let kind = values.iter().filter(|(_, value)| (value.stage == Stage::SliceCheck) == check);
        quantile(&kind.map(filled).collect::<Vec<_>>(), 0.5).unwrap_or(0.0)
    };
    let (normal, check) = (usual(false), usual(true));
    let enough = |row: &(f64, SessionValue)| {
        let usual = if row.1.stage == Stage::SliceCheck { check } else { normal };
        SHORT_SESSION * filled(row) >= usual
    };
    values.into_iter().filter(enough).map(|(_, value)| value).collect()
}

/// The mean of the sessions' typical ln ratios; NaN without sessions.
pub(crate) fn typical(sessions: &[SessionValue]) -> f64 {
    mean(&sessions.iter().map(|session| session.typical).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
