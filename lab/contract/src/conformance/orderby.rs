//! The suite for engines that answer ordered queries.

use humdrum_model::FaultKind;

use super::common::{IMPATIENCE, PATIENCE, facts_are_complete, fault_once_frozen};
use crate::OrderColumn::{Id, Name, Region, Seen, Url};
use crate::{
    Connection, OrderBatch, OrderColumn, OrderDone, OrderKey, OrderMade, OrderQuery, OrderSession,
    OrderTable, Server,
};

const TABLE: OrderTable = OrderTable { rows: 60_000, seed: 7 };

/// Runs a server through its whole life, from the first start to the last stop. It was created and not started. Returns the
/// table and the answers, which are the same for every engine.
///
/// # Panics
/// If the server does not do what the contract says.
pub fn orderby(server: &mut dyn Server) -> (OrderMade, Vec<OrderDone>) {
    assert!(!server.is_running(), "created is not started");
    server.start().expect("starts");
    let mut session = open(server);
    assert!(
        session.choose(&query(&[Url], None)).is_err() || run(&mut *session, true).is_err(),
        "no table yet"
    );
    let made = session.make(&TABLE).expect("makes the table");
    assert_eq!(session.make(&TABLE), Ok(made), "the same table, the same values");
    assert!(made.rows == TABLE.rows && made.bytes > 100 * TABLE.rows);
    let answers = answers(server);
    let mut own = open(server);
    assert!(own.server_process().is_some_and(|thread| thread != 0));
    assert!(run(&mut *own, false).is_err(), "no query was chosen");
    own.choose(&query(&[Url], Some(5))).expect("goes on after a fault");
    assert_eq!(run(&mut *own, false).map(|done| done.rows), Ok(15));
    facts_are_complete(server);
    frozen_servers_do_not_answer(server);
    server.stop().expect("stops");
    assert!(!server.is_running() && server.connect(IMPATIENCE).is_err(), "nobody answers after a stop");
    server.start().expect("starts again");
    assert_eq!(self::answers(server), answers, "the table outlives a restart");
    assert_eq!(open(server).make(&TABLE), Ok(made), "it can be made again");
    server.stop().expect("stops again");
    (made, answers)
}

fn open(server: &dyn Server) -> Box<dyn OrderSession> {
    server.connect(PATIENCE).and_then(Connection::into_orderby).expect("a session")
}

fn query(keys: &[OrderColumn], limit: Option<u64>) -> OrderQuery {
    OrderQuery {
        columns: OrderColumn::ALL.to_vec(),
        keys: keys.iter().map(|key| OrderKey { column: *key, descending: *key == Name }).collect(),
        limit,
        ..OrderQuery::default()
    }
}

/// Three operations, each of which must be in the latencies.
fn run(session: &mut dyn OrderSession, checked: bool) -> crate::Outcome<OrderDone> {
    let mut counted = 0;
    let done = session.run(&OrderBatch { count: 3, checked }, &mut |_, count| counted += count)?;
    assert_eq!(counted, 3, "every operation is in the latencies");
    assert!(done.wall_ns > 0 && (checked || done.checksum == 0));
    Ok(OrderDone { wall_ns: 0, ..done })
}

/// What all kinds of queries answer: all rows, with little memory too, some, the first.
fn answers(server: &dyn Server) -> Vec<OrderDone> {
    let all = query(&[Region, Name, Seen, Id], None);
    let little = OrderQuery { memory_percent: Some(25), ..all.clone() };
    let first = OrderQuery { first_row: true, ..query(&[Url], None) };
    let queries = [all, little, query(&[Url], Some(10)), query(&[Url], Some(20_000)), first];
    let mut session = open(server);
    let answers = queries.map(|query| {
        session.choose(&query).expect("chooses");
        let done = run(&mut *session, true).expect("an answer in order");
        assert_eq!(
            run(&mut *session, false).map(|plain| plain.rows),
            Ok(done.rows),
            "checking changes nothing"
        );
        done
    });
    assert_eq!(answers.map(|done| done.rows), [180_000, 180_000, 30, 60_000, 3]);
    assert_eq!(answers[0], answers[1], "memory changes no answer");
    answers.to_vec()
}

fn frozen_servers_do_not_answer(server: &mut dyn Server) {
    let mut session = open(server);
    session.choose(&query(&[Url], Some(1))).expect("chooses");
    session.set_timeout(IMPATIENCE).expect("takes a time");
    server.freeze().expect("freezes");
    let fault = fault_once_frozen(|| run(&mut *session, false));
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    server.thaw().expect("thaws");
    let mut session = open(server);
    session.choose(&query(&[Url], Some(1))).expect("chooses");
    assert!(run(&mut *session, false).is_ok(), "answers again");
}
