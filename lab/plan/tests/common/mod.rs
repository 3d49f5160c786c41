//! A suite that exists on paper, and the folders it would use.

use humdrum_contract::*;
use humdrum_engine_fake::Fake;
use humdrum_model::{Fault, Interface, LoadFacts, Phase, Plan, Scale, TestInfo};
use humdrum_plan::{Request, check};

struct Paper(&'static str, Interface);

impl Workload for Paper {
    fn name(&self) -> &'static str {
        self.0
    }

    fn about(&self) -> &'static str {
        "a suite on paper"
    }

    fn interface(&self) -> Interface {
        self.1
    }

    fn tests(&self, _: bool) -> Vec<TestInfo> {
        tests()
    }

    fn scales(&self) -> Vec<Scale> {
        vec![scale("tiny", 1_000), scale("small", 100_000), scale("large", 10_000_000)]
    }

    fn bytes(&self, scale: &Scale) -> u64 {
        scale.rows * 250
    }

    fn resize(&self, scale: &mut Scale, bytes: u64) -> Outcome<()> {
        scale.rows = bytes / u64::from(scale.tables) / 250;
        Ok(())
    }

    fn load(
        &self,
        _: &mut dyn Server,
        _: &Scale,
        _: u64,
        _: &dyn Progress,
        _: &Interrupt,
    ) -> Outcome<LoadFacts> {
        Err(Fault::environment("on paper"))
    }

    fn prewarm(&self, _: &mut dyn Server, _: &Scale) -> Outcome<()> {
        Err(Fault::environment("on paper"))
    }

    fn client(&self, _: &Seat<'_>, _: Connection, _: Option<&dyn Dialect>) -> Outcome<Box<dyn Client>> {
        Err(Fault::environment("on paper"))
    }
}

pub fn scale(name: &str, rows: u64) -> Scale {
    Scale { name: name.into(), rows, tables: 1, clients: 1, ..Scale::default() }
}

pub fn test(name: &str, group: &str, long: bool) -> TestInfo {
    TestInfo {
        name: name.into(),
        group: group.into(),
        operation: "one".into(),
        statements: 1,
        writes: group == "write",
        long,
        phase: if group == "write" { Phase::Write } else { Phase::Aged },
        ..TestInfo::default()
    }
}

/// 22 tests, as the real suite has: 9 point, 5 range, 8 aggregate.
pub fn tests() -> Vec<TestInfo> {
    let mut tests = vec![test("hot-points", "point", false), test("point-query", "point", false)];
    tests.extend((0..7).map(|n| test(&format!("points-{n}"), "point", false)));
    tests.push(test("scan", "range", true));
    tests.extend((0..4).map(|n| test(&format!("range-{n}"), "range", false)));
    tests.extend((0..8).map(|n| test(&format!("read-only-{n}"), "aggregate", false)));
    tests
}

pub fn request(subjects: &[&str]) -> Request {
    Request { subjects: subjects.iter().map(|text| (*text).to_owned()).collect(), ..Request::default() }
}

pub fn checked(request: &Request) -> Outcome<Plan> {
    let engines: Vec<Box<dyn Engine>> = vec![Box::new(Fake)];
    let workloads: Vec<Box<dyn Workload>> =
        vec![Box::new(Paper("sysbench", Interface::Sql)), Box::new(Paper("kv", Interface::Kv))];
    let dirs = Dirs {
        cache: "cache".into(),
        runs: "runs".into(),
        run_as: None,
        allow_external: false,
        reuse_trees: false,
        interrupt: Interrupt::new(),
    };
    check(request, &engines, &workloads, &dirs)
}
