//! Statement streams over fake sessions, which give scripted answers and record statements.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use humdrum_contract::{Answer, Fetched, Param, ParamType, RowSource, Statement};

use super::*;
use crate::scale::scales;

const ROWS: u64 = 50;

/// What all sessions share.
#[derive(Default)]
struct Script {
    asked: Vec<String>,
    least: u64,
    /// Faults of the next statements.
    faults: VecDeque<Fault>,
}

struct Scripted(Arc<Mutex<Script>>);

impl SqlSession for Scripted {
    fn query(&mut self, _sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        let least = self.0.lock().expect("no panic").least;
        Ok(vec![vec![Some(least.to_string())]])
    }

    fn prepare(&mut self, _sql: &str, _params: &[ParamType]) -> Outcome<Statement> {
        Err(Fault::usage("not asked for here"))
    }

    fn prepare_each_time(&mut self, _sql: &str, _params: &[ParamType]) -> Outcome<Statement> {
        Err(Fault::usage("not asked for here"))
    }

    fn run(&mut self, _statement: Statement, _params: &[Param<'_>]) -> Outcome<u64> {
        Err(Fault::usage("not asked for here"))
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        let mut script = self.0.lock().expect("no panic");
        script.asked.push(sql.to_owned());
        script.faults.pop_front().map_or(Ok(ROWS), Err)
    }

    fn run_checked(&mut self, _statement: Statement, _params: &[Param<'_>]) -> Outcome<Answer> {
        Err(Fault::usage("not asked for here"))
    }

    fn run_text_checked(&mut self, _sql: &str) -> Outcome<Answer> {
        Err(Fault::usage("not asked for here"))
    }

    fn fetch(&mut self, _statement: Statement, _params: &[Param<'_>]) -> Outcome<Fetched> {
        Err(Fault::usage("not asked for here"))
    }

    fn fetch_text(&mut self, _sql: &str) -> Outcome<Fetched> {
        Err(Fault::usage("not asked for here"))
    }

    fn load(&mut self, _table: &str, _columns: &[&str], _rows: &mut dyn RowSource) -> Outcome<u64> {
        Err(Fault::usage("not asked for here"))
    }

    fn set_timeout(&mut self, _timeout: std::time::Duration) -> Outcome<()> {
        Ok(())
    }

    fn server_process(&self) -> Option<u32> {
        None
    }
}

fn queue() -> QueueSql {
    QueueSql {
        id_column: "bigint",
        time_type: "timestamp",
        table_options: "",
        ids_at_once: 1,
        after_create: |_| Vec::new(),
        indexes_at_once: false,
        delete_takes_limit: true,
        forces_index: false,
        prepares_queries: false,
        table_gauges: |_| Vec::new(),
        server_gauges: Vec::new,
    }
}

/// The streams of l.i1 for two clients.
fn streams(tables: u32) -> (Arc<Mutex<Script>>, Vec<ClientStreams>) {
    let script = Arc::<Mutex<Script>>::default();
    let scale = Scale { clients: 2, tables, ..scales().remove(0) };
    let seat = StepSeat { test: "l.i1", scale: &scale, seed: 1, compat: false };
    let mut open = || Ok(Connection::Sql(Box::new(Scripted(Arc::clone(&script)))));
    let streams = all(&seat, &mut open, &queue()).expect("streams");
    (script, streams)
}

fn act(stream: &mut Option<Box<dyn StatementStream>>) -> Outcome<u64> {
    stream.as_mut().expect("a stream").act(0)
}

/// The first id that each client deletes, one client after the other.
fn deletes_from(script: &Mutex<Script>, clients: &mut [ClientStreams]) -> Vec<u64> {
    script.lock().expect("no panic").asked.clear();
    clients.iter_mut().for_each(|streams| assert_eq!(act(&mut streams.delete).expect("deletes"), ROWS));
    let from = |sql: &String| {
        let digits = sql.split(">= ").nth(1).and_then(|rest| rest.split(' ').next());
        digits.and_then(|id| id.parse().ok()).expect("an id")
    };
    script.lock().expect("no panic").asked.iter().map(from).collect()
}

fn look_up(script: &Mutex<Script>, streams: &mut ClientStreams, least: u64) {
    script.lock().expect("no panic").least = least;
    act(&mut streams.look_up).expect("looks up");
}

#[test]
fn clients_of_one_table_know_together_where_it_begins() {
    let (script, mut clients) = streams(1);
    look_up(&script, &mut clients[0], 7);
    assert_eq!(deletes_from(&script, &mut clients), [7, 57]);
    // A look-up that found an earlier id does not move the queue back. One that found a later id moves it forward.
    look_up(&script, &mut clients[1], 57);
    assert_eq!(deletes_from(&script, &mut clients), [107, 157]);
    look_up(&script, &mut clients[1], 1000);
    assert_eq!(deletes_from(&script, &mut clients), [1000, 1050]);
}

#[test]
fn clients_of_tables_of_their_own_know_nothing_of_each_other() {
    let (script, mut clients) = streams(2);
    look_up(&script, &mut clients[0], 7);
    look_up(&script, &mut clients[1], 300);
    assert_eq!(deletes_from(&script, &mut clients), [7, 300]);
    assert_eq!(deletes_from(&script, &mut clients), [57, 350]);
}

#[test]
fn what_the_server_undid_is_done_again_the_same_and_counted() {
    let (script, mut clients) = streams(1);
    let order = |faults: usize, fault: Fault| {
        let mut script = script.lock().expect("no panic");
        script.asked.clear();
        script.faults = vec![fault; faults].into();
    };
    let deadlock = || Fault::environment("deadlock").retryable();
    order(2, deadlock());
    assert_eq!(act(&mut clients[0].delete).expect("deletes"), ROWS);
    order(1, deadlock());
    assert_eq!(act(&mut clients[0].insert).expect("inserts"), ROWS);
    let asked = script.lock().expect("no panic").asked.clone();
    assert!(asked.len() == 2 && asked[0] == asked[1], "{asked:?}");
    let retries = |stream: &Option<Box<dyn StatementStream>>| stream.as_ref().map(|stream| stream.retries());
    assert_eq!((retries(&clients[0].insert), retries(&clients[0].delete)), (Some(1), Some(2)));
    // There is a limit, and other faults are not retried.
    order(1000, deadlock());
    assert!(act(&mut clients[0].insert).expect_err("given up").retryable);
    assert_eq!(script.lock().expect("no panic").asked.len(), 101);
    order(1, Fault::environment("no such table"));
    assert!(act(&mut clients[0].delete).is_err());
}

#[test]
fn each_kind_of_query_has_samples_and_steps_that_only_write_have_none() {
    let scale = scales().remove(0);
    let of = |name: &str, queue: &QueueSql| samples(step(name).expect("a step"), &scale, queue);
    assert_eq!(of("qr100", &queue()).len(), 3);
    let forced = QueueSql { forces_index: true, ..queue() };
    assert!(of("qr500", &forced).iter().all(|sql| sql.contains(" FORCE INDEX (pi1_")));
    let points = of("qp1000", &queue());
    let [one] = &points[..] else { panic!("{points:?}") };
    // Three columns and ten ids.
    assert!(one.starts_with("SELECT transactionid,") && one.split(',').count() == 12, "{one}");
    assert!(["l.i0", "l.x", "l.i1", "l.i2"].iter().all(|name| of(name, &queue()).is_empty()));
}
