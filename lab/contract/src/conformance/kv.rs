//! The suite for key-value engines.

use humdrum_model::FaultKind;

use super::common::{IMPATIENCE, PATIENCE, facts_are_complete, fault_once_frozen};
use crate::{Connection, KvBatch, KvContents, KvData, KvOperation, KvSession, KvStore, Server};

const KEYS: u64 = 3000;
const DATA: KvData = KvData { keys: KEYS, seed: 7, key_bytes: 20, value_bytes: 400, compressed_percent: 50 };
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;
const READS: [KvOperation; 5] = [
    KvOperation::Get,
    KvOperation::GetNext,
    KvOperation::MultiGet(10),
    KvOperation::Forwards(10),
    KvOperation::Backwards(10),
];

/// Runs a server through its whole life, from the first start to the last stop. It was created and not
/// started.
///
/// # Panics
/// If the server does not do what the contract says.
pub fn kv(server: &mut dyn Server) {
    assert!(!server.is_running(), "created is not started");
    server.start().expect("starts");
    assert!(server.is_running(), "started is running");
    let before = the_same_load_gives_the_same_store(server);
    reads_are_counted_and_hashed(server);
    writes_change_what_they_are_told_to(server, &before);
    a_writer_beside_changes_nothing_that_is_compared(server);
    the_scratch_store_is_apart(server);
    faults_leave_the_session_usable(server);
    facts_are_complete(server);
    frozen_servers_do_not_answer(server);
    let before = inspected(&mut *open(server), KvStore::Main);
    server.stop().expect("stops");
    assert!(!server.is_running(), "stopped is not running");
    assert!(server.connect(IMPATIENCE).is_err(), "nobody answers after a stop");
    server.start().expect("starts again");
    assert_eq!(inspected(&mut *open(server), KvStore::Main), before, "data outlives a restart");
    all_keys_are_found(&mut *open(server));
    server.stop().expect("stops again");
    if server.discard_data().expect("removes its data") {
        server.start().expect("starts without data");
        let left = open(server).inspect(KvStore::Main).expect("asks").map_or(0, |found| found.rows);
        assert_eq!(left, 0, "discarded data are gone");
        the_same_load_gives_the_same_store(server);
        server.stop().expect("stops");
    }
}

fn open(server: &dyn Server) -> Box<dyn KvSession> {
    server.connect(PATIENCE).and_then(Connection::into_kv).expect("a session")
}

fn batch(operation: KvOperation, count: u64) -> KvBatch {
    KvBatch {
        store: KvStore::Main,
        operation,
        first_number: 0,
        first_seed: 99,
        seed_step: SEED_STEP,
        count,
        span: KEYS,
        checked: false,
        writer_bytes_per_second: 0,
    }
}

/// Runs a batch; every operation must be in its latencies. Rows and checksum.
fn run(session: &mut dyn KvSession, batch: &KvBatch) -> (u64, u64) {
    let mut counted = 0;
    let done = session.run(batch, &mut |_, count| counted += count).expect("runs");
    assert_eq!(counted, batch.count, "every operation of {:?} is in the latencies", batch.operation);
    assert!(done.wall_ns > 0, "{:?} takes time", batch.operation);
    (done.rows, done.checksum)
}

/// The contents that can be compared; files and levels depend on the moment.
fn inspected(session: &mut dyn KvSession, store: KvStore) -> KvContents {
    let found = session.inspect(store).expect("every byte is right").expect("the store is there");
    KvContents { bytes: 0, levels: Vec::new(), ..found }
}

/// Fills a store in two portions, as slices would.
fn fill(session: &mut dyn KvSession, store: KvStore, keys: u64) {
    session.create(store, &KvData { keys, ..DATA }, true).expect("creates");
    for (first_number, count) in [(0, keys / 3), (keys / 3, keys - keys / 3)] {
        let part = KvBatch { store, first_number, ..batch(KvOperation::PutNext, count) };
        assert_eq!(run(session, &part).0, count, "puts are counted");
    }
    session.end_bulk(store).expect("ends the load");
}

fn the_same_load_gives_the_same_store(server: &mut dyn Server) -> KvContents {
    let [one, two] = [(); 2].map(|()| {
        let mut session = open(server);
        fill(&mut *session, KvStore::Main, KEYS);
        session.fit(DATA.bytes()).expect("sizes its cache");
        session.settle(KvStore::Main, false).expect("settles");
        inspected(&mut *session, KvStore::Main)
    });
    assert_eq!(one, two, "the same load, the same store");
    assert_eq!(one.rows, KEYS);
    one
}

fn all_keys_are_found(session: &mut dyn KvSession) {
    let all = KvBatch { checked: true, ..batch(KvOperation::GetNext, KEYS) };
    assert_eq!(run(session, &all).0, KEYS, "every key is found by itself");
}

fn reads_are_counted_and_hashed(server: &dyn Server) {
    let mut session = open(server);
    for operation in READS {
        let (rows, _) = run(&mut *session, &batch(operation, 100));
        let checked = KvBatch { checked: true, ..batch(operation, 100) };
        let (one, two) = (run(&mut *session, &checked), run(&mut *session, &checked));
        assert_eq!(one, two, "{operation:?}: the same entries have the same hash");
        assert_eq!(one.0, rows, "{operation:?}: checking changes no counts");
        let most = match operation {
            KvOperation::MultiGet(keys) => 100 * u64::from(keys),
            KvOperation::Forwards(entries) | KvOperation::Backwards(entries) => 100 * u64::from(entries),
            _ => 100,
        };
        let points = matches!(operation, KvOperation::Get | KvOperation::GetNext | KvOperation::MultiGet(_));
        assert!(
            rows <= most && (rows == most || !points) && rows > most / 2,
            "{operation:?}: {rows} of {most}"
        );
    }
    all_keys_are_found(&mut *session);
    let few = KvBatch { span: 1, ..batch(KvOperation::Backwards(10), 5) };
    assert_eq!(run(&mut *session, &few).0, 5, "before the first key there is none");
}

fn writes_change_what_they_are_told_to(server: &dyn Server, loaded: &KvContents) {
    let mut session = open(server);
    let [one, two] = [(); 2].map(|()| {
        fill(&mut *session, KvStore::Main, KEYS);
        assert_eq!(run(&mut *session, &batch(KvOperation::Put, 500)).0, 500);
        session.settle(KvStore::Main, true).expect("settles");
        inspected(&mut *session, KvStore::Main)
    });
    assert_eq!(one, two, "the same writes, the same store");
    assert_eq!(
        (one.rows, one.keys_checksum),
        (loaded.rows, loaded.keys_checksum),
        "overwriting adds no keys"
    );
    assert_ne!(one.checksum, loaded.checksum, "what was overwritten is seen");
}

fn a_writer_beside_changes_nothing_that_is_compared(server: &dyn Server) {
    let mut session = open(server);
    let before = inspected(&mut *session, KvStore::Main);
    let beside = KvBatch { writer_bytes_per_second: 2 << 20, ..batch(KvOperation::Get, 20_000) };
    assert_eq!(run(&mut *session, &beside).0, 20_000);
    assert_eq!(inspected(&mut *session, KvStore::Main), before, "it keeps to keys of its own");
}

fn the_scratch_store_is_apart(server: &dyn Server) {
    let mut session = open(server);
    let main = inspected(&mut *session, KvStore::Main);
    let absent = |session: &mut dyn KvSession| {
        assert_eq!(session.inspect(KvStore::Scratch).expect("asks"), None, "a store that is not there");
        assert!(session.state(KvStore::Scratch).expect("asks").is_empty());
        assert_eq!(session.property(KvStore::Scratch, "no.such").expect("asks"), None);
        assert!(session.settle(KvStore::Scratch, false).expect("has nothing to do").is_zero());
    };
    absent(&mut *session);
    fill(&mut *session, KvStore::Scratch, 300);
    assert_eq!(inspected(&mut *session, KvStore::Scratch).rows, 300);
    assert!(!session.state(KvStore::Scratch).expect("asks").is_empty());
    assert_eq!(inspected(&mut *session, KvStore::Main), main, "the other store is left alone");
    session.remove(KvStore::Scratch).expect("removes");
    absent(&mut *session);
}

fn faults_leave_the_session_usable(server: &dyn Server) {
    let mut session = open(server);
    let nowhere = KvBatch { store: KvStore::Scratch, ..batch(KvOperation::Get, 1) };
    let fault = session.run(&nowhere, &mut |_, _| {}).expect_err("there is no such store");
    assert!(!fault.what.is_empty(), "a fault says what happened");
    assert_eq!(run(&mut *session, &batch(KvOperation::Get, 10)).0, 10);
}

fn frozen_servers_do_not_answer(server: &mut dyn Server) {
    let mut session = open(server);
    session.set_timeout(IMPATIENCE).expect("takes a time");
    assert_eq!(run(&mut *session, &batch(KvOperation::Get, 10)).0, 10);
    server.freeze().expect("freezes");
    let fault = fault_once_frozen(|| session.run(&batch(KvOperation::Get, 10), &mut |_, _| {}));
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    server.thaw().expect("thaws");
    assert_eq!(run(&mut *open(server), &batch(KvOperation::Get, 10)).0, 10, "answers again");
}
