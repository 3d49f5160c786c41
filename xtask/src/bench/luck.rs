//! How much of a run's scatter is between starts of the servers, between connections and between blocks: from the blocks
//! on record, for the second subject against the base. In a comparison of a release with itself, all of it is luck. One column
//! says how much sessions would scatter if one subject had the host at a time (`--mode sequential`). The
//! last lines say how much of it goes with the readings of the calibration kernel.

mod kernel;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use humdrum_model::{Block, Results, Stage, TestInfo};
use humdrum_plan::spans;
use humdrum_record::{ResultsFolder, Store};

/// A connection this far from the others of its session is told one by one.
const FAR: f64 = 0.05;

/// Prints a line for each test, and the connections that are far from the others.
///
/// # Errors
/// If there are no results there.
pub fn main(args: &[&str]) -> Result<(), String> {
    let [folder] = args else { return Err(super::verbs::wanted("luck")) };
    let results = read(Path::new(folder)).map_err(|fault| fault.to_string())?;
    println!(
        "test\tsessions\tsd of sessions, %\tsd one at a time, %\tconnections\tsd of connections within a session, %\tsd of pairs of blocks, %"
    );
    let (mut far, mut all) = (Vec::new(), 0);
    let mut kernel = kernel::Sessions::default();
    for test in results.plan.tests.iter().filter(|test| !test.writes) {
        let luck = Luck::of(&results, test);
        kernel.add(&results, test, &luck.by_session);
        let [sessions, connections, pairs] =
            [&luck.sessions, &luck.connections, &luck.pairs].map(|ln_ratios| 100.0 * sd(ln_ratios));
        let (n, m, apart) = (luck.sessions.len(), luck.connections.len(), 100.0 * sd(&luck.apart()));
        println!("{}\t{n}\t{sessions:.2}\t{apart:.2}\t{m}\t{connections:.2}\t{pairs:.2}", test.name);
        all += m;
        let off = luck.connections.iter().filter(|ln_ratio| ln_ratio.abs() > FAR);
        far.extend(off.map(|ln_ratio| format!("{} {:+.1} %", test.name, 100.0 * ln_ratio)));
    }
    println!(
        "{} of {all} connections more than 5 % from the others of their session: {}",
        far.len(),
        far.join(", ")
    );
    for line in kernel.lines() {
        println!("calibration kernel, {line}");
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Results, humdrum_model::Fault> {
    Store::open(&ResultsFolder::open(folder)?.results())?.read()
}

/// ln ratios of one test.
#[derive(Default)]
struct Luck {
    sessions: Vec<f64>,
    /// By the session's number: its ln ratio, and the ln of the base's time per operation.
    by_session: BTreeMap<u32, (f64, f64)>,
    /// Less that of the session's other connections.
    connections: Vec<f64>,
    /// Of mirrored pairs of blocks, less that of their connection.
    pairs: Vec<f64>,
}

impl Luck {
    /// ln ratios as they would be had each subject had the host to itself for a session: the second subject's time in one
    /// against the base's in the session before.
    fn apart(&self) -> Vec<f64> {
        let sessions: Vec<(f64, f64)> = self.by_session.values().copied().collect();
        sessions.windows(2).map(|pair| pair[0].1 - (pair[1].1 - pair[1].0)).collect()
    }

    fn of(results: &Results, test: &TestInfo) -> Self {
        let measuring = results.sessions.iter().filter(|session| session.stage != Stage::SliceCheck);
        let numbers: BTreeSet<u32> = measuring.map(|session| session.number).collect();
        let mut sessions: BTreeMap<u32, Vec<&Block>> = BTreeMap::new();
        for block in results.counted_blocks(&test.name) {
            if numbers.contains(&block.session) {
                sessions.entry(block.session).or_default().push(block);
            }
        }
        let mut luck = Self::default();
        for (number, blocks) in &sessions {
            let count = blocks.iter().map(|block| block.index + 1).max().unwrap_or(0);
            if let (Some(ratio), Some(base)) =
                (ln_ratio(blocks, &(0..count)), per_operation(blocks, &(0..count), 0))
            {
                luck.sessions.push(ratio);
                luck.by_session.insert(*number, (ratio, base.ln()));
            }
            let spans = spans(&results.plan.design, test, count);
            let of_spans: Vec<f64> = spans.iter().filter_map(|span| ln_ratio(blocks, span)).collect();
            for (number, own) in of_spans.iter().enumerate().filter(|_| of_spans.len() > 1) {
                let others = of_spans.iter().enumerate().filter(|(other, _)| *other != number);
                luck.connections
                    .push(own - others.map(|(_, other)| other).sum::<f64>() / (of_spans.len() - 1) as f64);
            }
            for span in &spans {
                let pairs = (span.start..span.end).step_by(2).map(|start| start..start + 2);
                let pairs: Vec<f64> = pairs.filter_map(|pair| ln_ratio(blocks, &pair)).collect();
                let mean = pairs.iter().sum::<f64>() / pairs.len().max(1) as f64;
                luck.pairs.extend(pairs.iter().map(|pair| pair - mean));
            }
        }
        luck
    }
}

/// ln of the second subject's throughput over the base's, in the blocks of these indices.
fn ln_ratio(blocks: &[&Block], indices: &Range<u32>) -> Option<f64> {
    Some((per_operation(blocks, indices, 0)? / per_operation(blocks, indices, 1)?).ln())
}

/// A subject's nanoseconds per operation in the blocks of these indices.
fn per_operation(blocks: &[&Block], indices: &Range<u32>, subject: usize) -> Option<f64> {
    let own = blocks.iter().filter(|block| indices.contains(&block.index));
    let slices = own.filter_map(|block| block.slices.iter().find(|slice| slice.subject == subject));
    let (ns, operations) =
        slices.fold((0, 0), |(ns, operations), slice| (ns + slice.wall_ns, operations + slice.operations));
    (operations > 0 && ns > 0).then(|| ns as f64 / operations as f64)
}

pub(super) fn sd(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}
