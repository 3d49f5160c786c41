//! How the blocks of a test are spread over its connections in a session.
//!
//! A connection has luck of its own: where the server's process or thread for it lies in memory. Most connections to
//! equal servers are within a percent or two of each other, and a few are 5 to 30 % off, from the first operation to
//! the last (`docs/host-effects.md`). With one connection a session, that is the session's result.

use std::ops::Range;

use humdrum_model::{Design, TestInfo};

/// Fewest blocks of a connection: two mirrored pairs.
const FEWEST_BLOCKS: u32 = 4;

/// The blocks of each connection, in order: an even number on each but the last, so that mirrored pairs stay together.
/// Operations that write are numbered through a session, so that they stay on one connection.
pub fn spans(design: &Design, test: &TestInfo, blocks: u32) -> Vec<Range<u32>> {
    let wanted = if test.writes { 1 } else { design.connections_of(test) };
    let connections = wanted.min(blocks / FEWEST_BLOCKS).max(1);
    let edge = |number: u32| match number == connections {
        true => blocks,
        false => blocks * number / connections / 2 * 2,
    };
    (0..connections).map(|number| edge(number)..edge(number + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(blocks: u32, connections: u32) -> Vec<Range<u32>> {
        let design = Design { connections, ..Design::default() };
        spans(&design, &TestInfo::default(), blocks)
    }

    #[test]
    fn mirrored_pairs_stay_together() {
        assert_eq!(of(10, 1), std::slice::from_ref(&(0..10)));
        assert_eq!(of(24, 3), [0..8, 8..16, 16..24]);
        assert_eq!(of(14, 3), [0..4, 4..8, 8..14]);
        for (blocks, connections) in (4..200).flat_map(|blocks| (1..=8).map(move |n| (blocks, n))) {
            let found = of(blocks, connections);
            assert_eq!(found.len() as u32, connections.min(blocks / FEWEST_BLOCKS));
            assert_eq!(found.iter().map(|span| span.end - span.start).sum::<u32>(), blocks);
            assert!(found.iter().all(|span| span.start % 2 == 0 && span.end - span.start >= 2), "{found:?}");
        }
    }

    #[test]
    fn writes_stay_on_one_connection() {
        let design = Design { connections: 3, ..Design::default() };
        let writes = TestInfo { writes: true, ..TestInfo::default() };
        assert_eq!(spans(&design, &writes, 24), std::slice::from_ref(&(0..24)));
    }
}
