//! Merging sorted sources: the tournament (`tournament.rs`), runs in ranges of keys by all threads (`runs.rs`), and the
//! inputs of `-m` (`inputs.rs`).

pub(crate) mod inputs;
pub(crate) mod runs;
mod tournament;

use crate::fault::Result;
use crate::output::writer::{Distinct, Writer};
use crate::shape::Shape;
use crate::source::Source;
use tournament::Tournament;

/// Rows between two looks at whether more is wanted.
const GLANCE: usize = 1 << 12;

/// Merges sources and counts their rows; `live` says which of them stand on a record. Sources of lower number come first
/// among equals.
fn merge<S: Source>(
    sources: &mut [S],
    live: &[bool],
    shape: &Shape,
    writer: &mut Writer<'_, '_>,
) -> Result<usize> {
    let mut rows = 0;
    let mut tournament = Tournament::new(sources, live, shape.descending);
    let mut distinct = Distinct::new(shape);
    loop {
        if !writer.wanted() {
            return Ok(rows);
        }
        for _ in 0..GLANCE {
            let Some((source, shared)) = tournament.winner() else { return Ok(rows) };
            if distinct.wants(source.key().len(), shared) {
                writer.push(source.key(), source.line(), shared);
            }
            rows += 1;
            tournament.advance()?;
        }
    }
}
