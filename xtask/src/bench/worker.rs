//! Runs our client in its own process, so that the kernel counts its CPU like that of the peers. It runs the
//! real hot loop of `drive` with histogram, guard and edges, over one server.

use std::path::Path;
use std::time::{Duration, Instant};

use humdrum_contract::{Dirs, Interrupt, Probe, Seat, Silent, Sizing, Workload};
use humdrum_drive::{Crew, Lane, Pace, Turn};
use humdrum_model::{Calibration, Fault, Metric, Place, Scale, Subject};
use humdrum_workload_script::{Folder, Own};
use humdrum_workload_sysbench::Sysbench;

/// A probe without metrics, because the peers have no probes either.
struct NoProbe;

impl Probe for NoProbe {
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn read(&mut self, _readings: &mut Vec<i64>) -> humdrum_contract::Outcome<()> {
        Ok(())
    }
}

/// `client-worker URL TEST ROWS CONNECTIONS SECONDS`; 0 connections loads the tables. A test of a folder of scripts is
/// `FOLDER:TEST`, at its smallest scale.
pub fn main(args: &[&str]) -> Result<(), String> {
    let [url, test, rows, connections, seconds] = args else {
        return Err(super::verbs::wanted("client-worker"));
    };
    let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
    let (rows, clients, seconds) = (number(rows)?, number(connections)?, number(seconds)?);
    let scale = Scale { name: "custom".into(), rows: rows.into(), tables: 1, clients, ..Scale::default() };
    run(url, test, &scale, Duration::from_secs(seconds.into())).map_err(|fault| fault.to_string())
}

fn run(url: &str, test: &str, scale: &Scale, length: Duration) -> humdrum_contract::Outcome<()> {
    let dirs = Dirs {
        cache: std::env::temp_dir(),
        runs: std::env::temp_dir(),
        run_as: None,
        allow_external: true,
        reuse_trees: false,
        interrupt: Interrupt::new(),
    };
    let place = Place::External(url.to_owned());
    let name = url.split_once("://").map_or("", |(scheme, _)| scheme);
    let subject = Subject { label: "bench".into(), engine: name.into(), place, settings: Vec::new() };
    let engines = humdrum_engines::table();
    let engine = engines.iter().find(|engine| engine.name() == name);
    let engine = engine.ok_or_else(|| Fault::usage(format!("no engine is called {name}")))?;
    let build = engine.install(&subject, &dirs, &Silent)?;
    let sizing = Sizing { memory_bytes: 1 << 30, limit_bytes: None, cpus: 2, connections: 16 };
    let mut server = build.create(&std::env::temp_dir(), &sizing)?;
    server.start()?;
    let (workload, test) = workload(test)?;
    if scale.clients == 0 {
        workload.load(&mut *server, scale, 1, &Silent, &dirs.interrupt)?;
        return Ok(());
    }
    let open = |number| {
        let connection = server.connect(Duration::from_secs(30))?;
        let seat = Seat { test, scale, number, compat: false };
        workload.client(&seat, connection, server.dialect())
    };
    let clients = (0..scale.clients).map(open).collect::<humdrum_contract::Outcome<Vec<_>>>()?;
    let lane = Lane {
        subject: 0,
        server: &mut *server,
        clients,
        probe: Box::new(NoProbe),
        injection: Default::default(),
    };
    let done = blocks(lane, test, length)?;
    println!("operations {}\ncounted {}\nwall_ns {}", done.operations, done.counted, done.wall_ns);
    Ok(())
}

/// The workload of a test, and its name there.
fn workload(test: &str) -> humdrum_contract::Outcome<(Box<dyn Workload>, &str)> {
    Ok(match test.rsplit_once(':') {
        Some((folder, test)) => (Box::new(Own::new(Folder::read(Path::new(folder))?)), test),
        None => (Box::new(Sysbench), test),
    })
}

/// Sums over the slices of a run.
#[derive(Default)]
struct Done {
    /// Operations, guards included.
    operations: u64,
    /// Counted operations.
    counted: u64,
    /// Time of the counted operations.
    wall_ns: u64,
}

/// Runs slices of 10 ms, as in a comparison, for that time.
fn blocks(lane: Lane<'_>, test: &str, length: Duration) -> humdrum_contract::Outcome<Done> {
    let mut crew = Crew::new(lane.server.clock(), vec![lane], false);
    let Pace { operations_per_second } = crew.pace(0, 1, Duration::from_millis(25))?;
    let operations = (operations_per_second / 100.0) as u64;
    let operations = operations.max(1);
    let work = Calibration { test: test.into(), operations, guard_operations: operations / 10, blocks: 1 };
    let (began, mut done, mut seed) = (Instant::now(), Done::default(), 0);
    while began.elapsed() < length {
        seed += 1;
        let outcome = crew.block(&Turn { order: &[0], seed, work: &work });
        if let Some((_, fault)) = outcome.faults.into_iter().next() {
            return Err(fault);
        }
        done.operations += work.operations + work.guard_operations;
        done.counted += work.operations;
        done.wall_ns += outcome.slices.iter().map(|slice| slice.wall_ns).sum::<u64>();
    }
    Ok(done)
}
