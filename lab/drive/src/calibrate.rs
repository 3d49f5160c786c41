//! How many operations a slice holds. Every subject and every session of a test gets the same number, so that their
//! work is equal. With that number the fastest subject fills the slice's length.

use humdrum_model::{Calibration, Design, TestInfo};

/// How fast one lane is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Calls per second of the lane, all clients together.
    pub operations_per_second: f64,
}

/// Fewest operations of each client in a slice of several clients, which do not start and end together. Of four clients, the ends take
/// up to nine tenths of an operation, which is below 5 % of 20.
const OPERATIONS_PER_CLIENT: u64 = 20;
/// The same of more clients. With two processors, the ends took one to two operations of sixteen clients: 5.2 to 9.0 % of slices
/// of 20 (`idle_pct` of records/2026-11-28-epyc-zen3-vm-2-cores/postgres-16-to-17-clients.tsv), which are below 5 % of 40.
const OPERATIONS_PER_CLIENT_OF_MANY: u64 = 40;
/// More clients than these are many.
const FEW_CLIENTS: u64 = 4;
/// Longest slice, in seconds, that is made to hold more than 20 operations of each client. Subjects share the host's disturbances
/// the less equally, the longer slices are.
const SECONDS_FOR_THE_ENDS: f64 = 0.06;

/// Operations of a long test that are shorter than this come in twos, so that what the turn before does to the first shows
/// beside the second. It costs about 0.3 ms (docs/host-effects.md: 9 % of 3 ms), of which releases differ by a part.
const DISTURBED_SECONDS: f64 = 0.05;

impl Pace {
    /// The pace of a lane that did `operations` calls in `wall_ns` nanoseconds.
    pub(crate) fn of(operations: u64, wall_ns: u64) -> Self {
        Self { operations_per_second: operations as f64 / (wall_ns as f64 / 1e9) }
    }

    /// The slice for lanes of these paces, and the number of blocks that fill the test's time in a session.
    pub fn calibrate(paces: &[Self], test: &TestInfo, design: &Design, portion: &Portion) -> Calibration {
        let fastest = paces.iter().map(|pace| pace.operations_per_second).fold(0.0, f64::max);
        let clients = u64::from(portion.clients);
        let fewest = match test.long {
            true if fastest * DISTURBED_SECONDS > clients as f64 => 2 * clients,
            true => clients,
            false => design.min_operations.max(per_client(fastest, clients)) * clients,
        };
        let length = Length::of(test, design, portion.clients);
        let wanted = (fastest * length.slice_ms / 1000.0).round() as u64;
        // A guard is at most half as long as the counted part, so that two thirds leave room for it.
        let most = portion.most_operations.map_or(u64::MAX, |most| most / 3 * 2);
        let operations = wanted.max(fewest).min(most).max(1);
        let guard_operations = guard(fastest, &length, operations);
        let seconds = design.seconds_of(test) - design.warmup_seconds;
        let blocks = blocks(paces, operations + guard_operations, seconds.max(0.0));
        Calibration { test: test.name.clone(), operations, guard_operations, blocks }
    }
}

/// Further bounds of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// Clients of each subject.
    pub clients: u32,
    /// Most operations of a slice, guard included, if the data limit them.
    pub most_operations: Option<u64>,
}

/// Lengths of a slice and of its guard.
struct Length {
    slice_ms: f64,
    guard_ms: f64,
}

impl Length {
    /// Slices and guards of tests that write are longer, because thawing a server takes time too; those of many clients are longer
    /// because of their ends.
    fn of(test: &TestInfo, design: &Design, clients: u32) -> Self {
        let slice_ms = design.slice_ms_of(test, clients);
        Self { slice_ms, guard_ms: design.guard_ms * slice_ms / design.slice_ms }
    }
}

/// Fewest operations of each client in a slice.
fn per_client(operations_per_second: f64, clients: u64) -> u64 {
    let each = (operations_per_second * SECONDS_FOR_THE_ENDS / clients.max(1) as f64) as u64;
    match clients {
        0 | 1 => 1,
        _ if clients <= FEW_CLIENTS => OPERATIONS_PER_CLIENT,
        _ => each.clamp(OPERATIONS_PER_CLIENT, OPERATIONS_PER_CLIENT_OF_MANY),
    }
}

/// Fewest blocks in a session. With fewer, one disturbed block is much of a session.
const FEWEST_BLOCKS: u32 = 4;

/// Seconds per slice beside its operations: reading probes, recording the block, waking an idle server.
const EDGE_SECONDS: f64 = 0.0003;

/// The number of blocks in a session. It is a number and not a deadline, so that every session of a test does the
/// same work, even after an interruption. It is even, so that AB and BA come equally often.
fn blocks(paces: &[Pace], operations: u64, available_seconds: f64) -> u32 {
    let slice_seconds = |pace: &Pace| operations as f64 / pace.operations_per_second + EDGE_SECONDS;
    let block_seconds: f64 = paces.iter().map(slice_seconds).sum();
    let blocks = (available_seconds / block_seconds / 2.0) as u32 * 2;
    blocks.max(FEWEST_BLOCKS)
}

/// Operations of the guard: as many as fill its time, but at least one and at most half of the slice. A slice that is
/// a single operation has no guard.
fn guard(operations_per_second: f64, length: &Length, operations: u64) -> u64 {
    let wanted = (operations_per_second * length.guard_ms / 1000.0).ceil() as u64;
    let one_is_long = operations_per_second * length.slice_ms / 1000.0 < 1.0;
    if one_is_long || length.guard_ms == 0.0 { 0 } else { wanted.clamp(1, (operations / 2).max(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design() -> Design {
        Design { seconds_per_test_session: 1.0, slice_ms_writes: 30.0, ..Design::default() }
    }

    fn test(long: bool) -> TestInfo {
        TestInfo {
            name: "t".into(),
            group: "point".into(),
            operation: "one".into(),
            statements: 1,
            long,
            ..TestInfo::default()
        }
    }

    fn portion(clients: u32) -> Portion {
        Portion { clients, most_operations: None }
    }

    fn of(rates: &[f64], long: bool, clients: u32) -> (u64, u64) {
        let paces: Vec<Pace> = rates.iter().map(|rate| Pace { operations_per_second: *rate }).collect();
        let calibration = Pace::calibrate(&paces, &test(long), &design(), &portion(clients));
        (calibration.operations, calibration.guard_operations)
    }

    #[test]
    fn the_fastest_lane_fills_the_slice() {
        assert_eq!(of(&[30_000.0, 20_000.0], false, 1), (300, 30));
    }

    #[test]
    fn blocks_fill_the_session_in_pairs() {
        let paces = [Pace { operations_per_second: 30_000.0 }; 2];
        // 0.9 s in blocks of 2 × (330 operations + edges) = 22.6 ms.
        assert_eq!(Pace::calibrate(&paces, &test(false), &design(), &portion(1)).blocks, 38);
        let slow = [Pace { operations_per_second: 1.0 }; 2];
        assert_eq!(Pace::calibrate(&slow, &test(true), &design(), &portion(1)).blocks, FEWEST_BLOCKS);
    }

    #[test]
    fn slow_operations_still_come_in_fives_and_scans_alone() {
        assert_eq!(of(&[200.0], false, 1), (5, 1));
        assert_eq!(of(&[20.0], true, 1), (1, 0));
    }

    #[test]
    fn writes_have_slices_of_their_own_and_never_more_than_there_is() {
        let paces = [Pace { operations_per_second: 10_000.0 }];
        let test = TestInfo { writes: true, ..test(false) };
        let of = |most_operations| {
            let portion = Portion { clients: 1, most_operations };
            let found = Pace::calibrate(&paces, &test, &design(), &portion);
            (found.operations, found.guard_operations)
        };
        assert_eq!(of(None), (300, 30));
        let (operations, guard) = of(Some(99));
        assert_eq!(operations, 66);
        assert!(operations + guard <= 99);
    }

    #[test]
    fn many_clients_get_enough_to_hide_the_ends() {
        assert_eq!(of(&[1000.0], false, 4).0, 80);
        let many = [26_000.0, 11_500.0, 8_000.0, 1_000.0].map(|rate| of(&[rate], false, 16).0);
        // 40 each, in up to 60 ms; 20 each, however long they take.
        assert_eq!(many, [640, 640, 480, 320]);
    }

    #[test]
    fn slices_and_guards_of_many_clients_are_longer() {
        let design = Design { slice_ms_per_client: 2.5, ..design() };
        let of = |clients| {
            let paces = [Pace { operations_per_second: 100_000.0 }];
            let found = Pace::calibrate(&paces, &test(false), &design, &portion(clients));
            (found.operations, found.guard_operations)
        };
        assert_eq!([of(1), of(4), of(16)], [(1000, 100), (1000, 100), (4000, 400)]);
    }
}
