//! How long slices are, and how long that makes the shortest test of a session.

use humdrum_model::{Design, Mode, Scale, TestInfo};

use crate::overrides::Overrides;

/// Slices of a client that has the server alone. 3 ms are shorter than the host's disturbances, which come in bursts of tens of
/// milliseconds, and still have hundreds of point queries. Measured on a shared VM, A/A, per mirrored pair of blocks: a spread of
/// 1.7 to 3.0 % at 10 ms and 1.5 to 1.8 % at 3 ms. So shorter slices tell more in the same time, until edges and guards take too
/// much of it.
const SLICE_MS_ALONE: f64 = 3.0;
/// Slices of several clients, at least.
const SLICE_MS_SEVERAL: f64 = 10.0;
/// What each client adds, milliseconds: more than those 10 ms from five clients on. Clients do not start and end together: each waits
/// for a processor, and has up to one operation left when the last one is taken. Measured with two processors (`idle_pct` of
/// records/2026-11-28-epyc-zen3-vm-2-cores/postgres-16-to-17-clients.tsv), that takes 0.9 to 2.1 % of a slice of four clients, half to
/// nine tenths of an operation. With sixteen it took 5.2 to 9.0 % of slices of 12 to 28 ms, which had 20 operations of each: one to two
/// operations. In 40 ms they are 2 to 5 %; `OPERATIONS_PER_CLIENT` of the drive does the rest where operations are slow.
const SLICE_MS_PER_CLIENT: f64 = 2.5;
/// Slices of the sequential mode. No turn of another subject comes before them, so that nothing is gained by short ones; they
/// only bound how much a disturbance discards.
const SLICE_MS_SEQUENTIAL: f64 = 30.0;
/// Slices of tests that write. Measured on a shared VM, A/A, two servers of one build, the idle one frozen in every
/// slice: 1.001 ± 0.004 at 10 ms and no better at 30 ms.
const SLICE_MS_WRITES: f64 = 10.0;

/// A guard is this part of a slice: a tenth.
const GUARD_PART: f64 = 10.0;

/// Shortest warm-up of a test within a session, seconds, on all its connections. Only connections and plans are new then,
/// not data and code. A third of it is some 700 point queries; a longer warm-up is detected and cut (`warmup.rs` of analyse).
pub(crate) const WARMUP_SECONDS_MIN: f64 = 0.08;
/// Shortest test within a session, seconds: 0.08 of warm-up and at least 8 blocks of two 10 ms slices.
const CELL_SECONDS_MIN: f64 = 0.25;
/// Of slices that clients made longer, there are fewer in the shortest test: two mirrored pairs of blocks of two slices.
const SLICES_MIN: f64 = 8.0;

/// The part of a design that says how long slices are.
pub(crate) fn slices(scale: &Scale, overrides: &Overrides) -> Design {
    let several = if scale.clients > 1 { SLICE_MS_SEVERAL } else { SLICE_MS_ALONE };
    let (slice_ms, slice_ms_writes, slice_ms_per_client) = match (overrides.slice_ms, overrides.mode) {
        (Some(wanted), _) => (wanted, wanted, 0.0),
        (None, Mode::Sequential) => (SLICE_MS_SEQUENTIAL, SLICE_MS_SEQUENTIAL, SLICE_MS_PER_CLIENT),
        (None, Mode::Interleaved) => (several, SLICE_MS_WRITES, SLICE_MS_PER_CLIENT),
    };
    Design {
        slice_ms,
        slice_ms_writes,
        slice_ms_per_client,
        guard_ms: slice_ms / GUARD_PART,
        ..Design::default()
    }
}

/// The shortest time of a test that reads in a session, seconds. One that writes has several times as much.
pub(crate) fn cell_seconds_min(design: &Design, tests: &[TestInfo], scale: &Scale) -> f64 {
    let lengths = tests.iter().filter(|test| !test.writes);
    let lengths = lengths.map(|test| design.slice_ms_of(test, test.clients_at(scale)));
    let grown_ms = lengths.filter(|ms| *ms > design.slice_ms).fold(0.0, f64::max);
    let slices_ms = SLICES_MIN * grown_ms * (1.0 + 1.0 / GUARD_PART);
    CELL_SECONDS_MIN.max(WARMUP_SECONDS_MIN + slices_ms / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(clients: u32, overrides: &Overrides) -> [f64; 2] {
        let scale = Scale { clients, ..Scale::default() };
        let design = slices(&scale, overrides);
        [false, true].map(|writes| design.slice_ms_of(&TestInfo { writes, ..TestInfo::default() }, clients))
    }

    #[test]
    fn many_clients_have_longer_slices_of_reads_and_of_writes() {
        let default = Overrides::default();
        let lengths = [1, 2, 4, 6, 16, 40].map(|clients| of(clients, &default));
        let expected = [[3.0, 10.0], [10.0; 2], [10.0; 2], [15.0; 2], [40.0; 2], [40.0; 2]];
        assert_eq!(lengths, expected);
        let alone = Overrides { mode: Mode::Sequential, ..Overrides::default() };
        assert_eq!([1, 16].map(|clients| of(clients, &alone)), [[30.0; 2], [40.0; 2]]);
        let named = Overrides { slice_ms: Some(5.0), ..Overrides::default() };
        assert_eq!(of(16, &named), [5.0; 2]);
    }

    #[test]
    fn the_shortest_test_has_room_for_four_blocks_of_slices_that_clients_made_longer() {
        let seconds = |clients, mode, test: TestInfo| {
            let scale = Scale { clients, ..Scale::default() };
            cell_seconds_min(&slices(&scale, &Overrides { mode, ..Overrides::default() }), &[test], &scale)
        };
        let reads = TestInfo::default;
        assert_eq!(seconds(4, Mode::Interleaved, reads()), CELL_SECONDS_MIN);
        assert_eq!(seconds(1, Mode::Sequential, reads()), CELL_SECONDS_MIN, "as before");
        let many = seconds(16, Mode::Interleaved, reads());
        assert!((many - (0.08 + 8.0 * 0.044)).abs() < 1e-9, "{many}");
        let one = TestInfo { clients: Some(1), ..reads() };
        assert_eq!(seconds(16, Mode::Interleaved, one), CELL_SECONDS_MIN, "beside tests of more clients");
        let writes = TestInfo { writes: true, ..reads() };
        assert_eq!(seconds(16, Mode::Interleaved, writes), CELL_SECONDS_MIN);
    }
}
