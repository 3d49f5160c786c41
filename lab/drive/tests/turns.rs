//! Turns of tests that write, on fake servers: which are frozen when, and that all do the same work.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use humdrum_contract::*;
use humdrum_drive::{Crew, Lane, Prelude, Turn};
use humdrum_engine_fake::Fake;
use humdrum_model::{Calibration, Fault, FaultKind, Injection, Metric, Place, Subject};

const PATIENCE: Duration = Duration::from_secs(1);

/// What each subject was asked for, in order, and which numbers its data was made ready for.
#[derive(Default)]
struct Log {
    operations: BTreeMap<usize, Vec<Operation>>,
    ready: BTreeMap<usize, Vec<Range<u64>>>,
}

/// Asks a real (fake) server, so that one that is stopped does not answer.
struct Clerk {
    subject: usize,
    session: Box<dyn SqlSession>,
    log: Arc<Mutex<Log>>,
    fails_at: Option<u64>,
}

impl Client for Clerk {
    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        if self.fails_at == Some(operation.number) {
            return Err(Fault::new(FaultKind::WrongAnswer, "as ordered"));
        }
        self.log.lock().unwrap().operations.entry(self.subject).or_default().push(operation);
        self.session.run_text("UPDATE sbtest1 SET k = k + 1 WHERE id = 1")
    }

    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        Ok(Answer { rows: self.operate(operation)?, checksum: 0 })
    }

    fn make_ready(&mut self, numbers: Range<u64>) -> Outcome<()> {
        self.log.lock().unwrap().ready.entry(self.subject).or_default().push(numbers);
        Ok(())
    }

    fn server_process(&self) -> Option<u32> {
        None
    }
}

struct Nothing;

impl Probe for Nothing {
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn read(&mut self, _: &mut Vec<i64>) -> Outcome<()> {
        Ok(())
    }
}

struct Stage {
    servers: Vec<Box<dyn Server>>,
    log: Arc<Mutex<Log>>,
    _folder: tempfile::TempDir,
}

impl Stage {
    fn new(subjects: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dirs = Dirs {
            cache: folder.path().into(),
            runs: folder.path().into(),
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        let subject = Subject {
            label: "fake".into(),
            engine: "fake".into(),
            place: Place::Version("1.0".into()),
            settings: Vec::new(),
        };
        let sizing = Sizing { memory_bytes: 1 << 20, limit_bytes: None, cpus: 1, connections: 4 };
        let make = |number: usize| {
            let build = Fake.install(&subject, &dirs, &Silent).unwrap();
            let mut server = build.create(&folder.path().join(number.to_string()), &sizing).unwrap();
            server.start().unwrap();
            server
        };
        Self { servers: (0..subjects).map(make).collect(), log: Arc::default(), _folder: folder }
    }

    fn crew(&mut self, fails_at: Option<u64>) -> Crew<'_> {
        self.crew_of(&[0, 1, 2], fails_at)
    }

    fn crew_of(&mut self, whose: &[usize], fails_at: Option<u64>) -> Crew<'_> {
        let clock = self.servers[0].clock();
        let log = &self.log;
        let lane = |(subject, server): (usize, &'_ mut Box<dyn Server>)| {
            let session = server.connect(PATIENCE).and_then(Connection::into_sql).unwrap();
            let fails_at = fails_at.filter(|_| subject == 1);
            let clerk = Clerk { subject, session, log: Arc::clone(log), fails_at };
            (subject, clerk)
        };
        let clerks: Vec<_> = self.servers.iter_mut().enumerate().map(lane).collect();
        let clerks = self.servers.iter_mut().zip(clerks).filter(|(_, (subject, _))| whose.contains(subject));
        let lanes = clerks.map(|(server, (subject, clerk))| Lane {
            subject,
            server: &mut **server,
            clients: vec![Box::new(clerk)],
            probe: Box::new(Nothing),
            injection: Injection::default(),
        });
        Crew::new(clock, lanes.collect(), true)
    }

    fn answers(&self, subject: usize) -> Outcome<u64> {
        let mut session = self.servers[subject].connect(PATIENCE)?.into_sql()?;
        session.run_text("SELECT c FROM sbtest1 WHERE id = 1")
    }
}

fn work(operations: u64, guard_operations: u64) -> Calibration {
    Calibration { test: "t".into(), operations, guard_operations, blocks: 4 }
}

#[test]
fn everybody_does_the_same_operations_from_the_first_to_the_last() {
    let mut stage = Stage::new(3);
    let mut crew = stage.crew(None);
    assert!(crew.check(7, 3).into_iter().all(|(_, answer)| answer.is_ok()));
    for (_, pace) in crew.paces(8, Duration::from_millis(5), 40) {
        assert!(pace.unwrap().operations_per_second > 1000.0);
    }
    let work = work(20, 2);
    assert!(crew.warm_up(2, &Turn { order: &[2, 0, 1], seed: 9, work: &work }).is_empty());
    let outcome = crew.block(&Turn { order: &[1, 2, 0], seed: 10, work: &work });
    assert_eq!(outcome.slices.iter().map(|slice| slice.subject).collect::<Vec<_>>(), [1, 2, 0]);
    let (_, settling) = crew.finish();
    let done = settling.operations;
    drop(settling);
    let log = stage.log.lock().unwrap();
    let base = &log.operations[&0];
    assert!([1, 2].iter().all(|subject| log.operations[subject] == *base), "the same work in the same order");
    assert_eq!(base.iter().map(|one| one.number).collect::<Vec<_>>(), (0..done).collect::<Vec<_>>());
    let ready: Vec<u64> = log.ready[&0].iter().cloned().flatten().collect();
    assert_eq!(ready, (0..done).collect::<Vec<_>>(), "made ready for each number once");
    assert!(log.ready[&0].iter().all(|numbers| numbers.end - numbers.start <= 40));
}

#[test]
fn a_subject_that_comes_later_repeats_what_found_the_pace() {
    let mut stage = Stage::new(2);
    let mut prelude = Prelude::new();
    for subject in [1, 0] {
        let mut crew = stage.crew_of(&[subject], None);
        assert_eq!(crew.check(7, 3).len(), 1);
        if prelude.is_empty() {
            assert!(crew.paces(8, Duration::from_millis(5), 40).iter().all(|(_, pace)| pace.is_ok()));
            prelude.clone_from(crew.prelude());
        } else {
            assert!(crew.repeat(&prelude).is_empty());
        }
        let outcome = crew.block(&Turn { order: &[0, 1], seed: 10, work: &work(20, 2) });
        assert_eq!(outcome.slices.iter().map(|slice| slice.subject).collect::<Vec<_>>(), [subject]);
    }
    let log = stage.log.lock().unwrap();
    assert!(prelude.len() > 1 && log.operations[&0] == log.operations[&1]);
    assert_eq!(log.ready[&0], log.ready[&1]);
}

#[test]
fn a_subject_is_awake_in_its_own_turns_alone() {
    let mut stage = Stage::new(2);
    let crew = stage.crew(None);
    let (_, mut settling) = crew.finish();
    // Both are frozen. Only the subject that settles is thawed.
    let took = settling.alone(
        1,
        &mut (),
        |server, ()| server.connect(PATIENCE).map(drop),
        |server, ()| {
            let mut session = server.connect(PATIENCE)?.into_sql()?;
            session.query("FAKE SETTLE sbtest1").map(drop)
        },
    );
    assert!(took.unwrap().wall_ns > 0);
    let frozen = settling.alone(0, &mut (), |_, ()| Err(Fault::crash("as ordered")), |_, ()| Ok(()));
    assert_eq!(frozen.unwrap_err().what, "as ordered");
    assert_eq!(settling.alive(), [1]);
    drop(settling);
    assert!(stage.answers(0).is_ok() && stage.answers(1).is_ok(), "nobody is left stopped");
}

#[test]
fn servers_are_woken_however_the_crew_ends() {
    let mut stage = Stage::new(2);
    let crew = stage.crew(None);
    drop(crew);
    assert!(stage.answers(0).is_ok() && stage.answers(1).is_ok());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _crew = stage.crew(None);
        panic!("as ordered");
    }));
    assert!(panicked.is_err());
    assert!(stage.answers(0).is_ok() && stage.answers(1).is_ok());
}

#[test]
fn who_fails_takes_no_more_turns_and_the_others_go_on() {
    let mut stage = Stage::new(2);
    let mut crew = stage.crew(Some(5));
    let work = work(10, 0);
    let turn = Turn { order: &[0, 1], seed: 1, work: &work };
    let first = crew.block(&turn);
    assert_eq!((first.slices.len(), first.faults.len(), crew.alive()), (1, 1, vec![0]));
    assert_eq!(crew.block(&turn).slices.len(), 1);
    drop(crew);
    assert!(stage.answers(1).is_ok(), "woken all the same");
}
