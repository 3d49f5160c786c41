//! Tries a workload on one subject, without measuring: loads it twice, runs each of its tests, and compares the answers.

use std::time::{Duration, Instant};

use humdrum_contract::{Answer, Dirs, Operation, Outcome, Progress, Seat, Server, Sizing, Update, Workload};
use humdrum_model::{Fault, LoadFacts, Scale, Subject, TestInfo};
use humdrum_provision::hosts;
use humdrum_provision::run_folder::RunFolder;

use crate::catalogue::Catalogue;
use crate::instance::Instance;

/// Operations of each test.
const OPERATIONS: u64 = 20;

/// How long an operation may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a subject did.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Its tables after the load.
    pub load: LoadFacts,
    /// By test, its name and what became of its operations.
    pub tests: Vec<(String, Outcome<Test>)>,
    /// How many conditions held after the load and after each test that writes; 0 if one of them did not.
    pub conditions: usize,
}

/// The operations of one test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// How many there were.
    pub operations: u64,
    /// Their answers together.
    pub answer: Answer,
    /// Seconds of them all.
    pub seconds: f64,
}

/// What is tried, and how large.
pub struct Trial<'a> {
    /// The workload.
    pub workload: &'a dyn Workload,
    /// Data and clients.
    pub scale: &'a Scale,
}

impl Trial<'_> {
    /// Starts a server of the subject, and tries the workload on it twice.
    ///
    /// # Errors
    /// As provisioning and starting; any fault of a load; a wrong answer, if the second load differs.
    pub fn on(
        &self,
        subject: &Subject,
        catalogue: &Catalogue,
        dirs: &Dirs,
        reporter: &dyn Progress,
    ) -> Result<Tried, Fault> {
        let engine = catalogue.engine(subject)?;
        engine.check(subject, dirs)?;
        reporter.update(Update::Step(&format!("{}: getting the build", subject.label)));
        let build = engine.install(subject, dirs, reporter)?;
        let folder = RunFolder::new(dirs)?;
        let (memory_bytes, cpus) = (hosts::memory_bytes() / 4, hosts::cpus());
        let connections = self.workload.connections(self.scale) + Sizing::OWN_CONNECTIONS;
        let home = folder.home("s0")?;
        let sizing = Sizing { memory_bytes, limit_bytes: None, cpus, connections };
        let mut instance = Instance::temporary(build.create(&home, &sizing)?, home);
        reporter.update(Update::Step(&format!("{}: loading, and running each test twice", subject.label)));
        instance.start()?;
        let mut once = |dirs: &Dirs| self.once(&mut *instance.server, dirs, reporter);
        let (first, second) = (once(dirs)?, once(dirs)?);
        alike(first, &second)
    }

    fn once(&self, server: &mut dyn Server, dirs: &Dirs, reporter: &dyn Progress) -> Result<Tried, Fault> {
        let load = self.workload.load(server, self.scale, 1, reporter, &dirs.interrupt)?;
        self.check_conditions(server).map_err(|fault| fault.at("after the load"))?;
        let (mut tests, mut holds) = (Vec::new(), true);
        for (place, test) in (0..).zip(self.workload.tests(false)) {
            dirs.interrupt.check()?;
            let mut outcome =
                self.test(server, &test, place * OPERATIONS).map_err(|fault| server.explain(fault));
            // What one test broke is not told again of the next.
            if test.writes
                && holds
                && let Err(fault) = self.check_conditions(server)
            {
                holds = false;
                outcome = outcome.and(Err(fault.at(format!("after {}", test.name))));
            }
            tests.push((test.name, outcome));
        }
        let conditions = if holds { self.workload.conditions() } else { 0 };
        Ok(Tried { load, tests, conditions })
    }

    fn check_conditions(&self, server: &dyn Server) -> Outcome<()> {
        if self.workload.conditions() == 0 {
            return Ok(());
        }
        let mut connection = server.connect(PATIENCE)?;
        self.workload.check_conditions(&mut connection, server.dialect(), self.scale)
    }

    /// Operations of a test, with seeds from `first` on: tests that insert random keys must not draw the same ones.
    fn test(&self, server: &dyn Server, test: &TestInfo, first: u64) -> Outcome<Test> {
        let seat = Seat { test: &test.name, scale: self.scale, number: 0, compat: false };
        let mut client = self.workload.client(&seat, server.connect(PATIENCE)?, server.dialect())?;
        let operations = if test.long { 1 } else { OPERATIONS };
        let (began, mut all) = (Instant::now(), Answer::default());
        for number in 0..operations {
            let one = client.operate_checked(Operation { seed: first + number, number })?;
            all.rows += one.rows;
            all.checksum = all.checksum.wrapping_mul(31).wrapping_add(one.checksum);
        }
        Ok(Test { operations, answer: all, seconds: began.elapsed().as_secs_f64() })
    }
}

/// The first trial, with a fault where the second one gave other answers.
fn alike(mut first: Tried, second: &Tried) -> Result<Tried, Fault> {
    if (first.load.rows, &first.load.checksum) != (second.load.rows, &second.load.checksum) {
        let what = format!(
            "the second load made other rows than the first: {} and {}, or other values in them",
            second.load.rows, first.load.rows
        );
        return Err(Fault::usage(what).hint("a load must not depend on random() or on the clock"));
    }
    first.conditions = first.conditions.min(second.conditions);
    for ((_, once), (_, again)) in first.tests.iter_mut().zip(&second.tests) {
        let (earlier, later) = match (&*once, again) {
            (Ok(earlier), Ok(later)) => (earlier, later),
            (Ok(_), Err(fault)) => {
                *once = Err(fault.clone());
                continue;
            }
            (Err(_), _) => continue,
        };
        if earlier.answer != later.answer {
            let what = "the same operations on the same data gave other answers the second time";
            let hint = "an answer must not depend on random(), the clock or the order of equal rows: select other \
                columns, or add ORDER BY with a LIMIT";
            *once = Err(Fault::usage(what).hint(hint));
        }
    }
    Ok(first)
}
