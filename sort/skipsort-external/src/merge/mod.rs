//! Merging sorted sources: the tournament (`tournament.rs`), and runs in ranges of keys by all threads (`runs.rs`).

pub(crate) mod runs;
pub(crate) mod tournament;

use crate::error::Result;
use crate::order::Order;
use crate::output::writer::{Distinct, Writer};
use crate::source::Source;
use tournament::Tournament;

/// Rows between two looks at whether more is wanted.
const GLANCE: usize = 1 << 12;

/// Merges sources and counts their rows; `live` says which of them stand on a record. Sources of lower number come first
/// among equals. They come back for their memory.
pub(crate) fn merge<S: Source>(
    sources: Vec<S>,
    live: &[bool],
    order: Order,
    writer: &mut Writer<'_, '_>,
) -> Result<(usize, Vec<S>)> {
    let mut rows = 0;
    let mut tournament = Tournament::new(sources, live, order.descending);
    let mut distinct = Distinct::new(order);
    loop {
        if !writer.wanted() {
            return Ok((rows, tournament.into_sources()));
        }
        for _ in 0..GLANCE {
            let Some((source, shared)) = tournament.winner() else {
                return Ok((rows, tournament.into_sources()));
            };
            if distinct.wants(source.key().len(), shared) {
                writer.push(source.key(), source.line(), shared);
            }
            rows += 1;
            tournament.advance()?;
        }
    }
}
