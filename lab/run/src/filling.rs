//! How one server gets its data: by a load, or from a copy of one.

use std::time::Instant;

use humdrum_contract::{Outcome, Workload};
use humdrum_model::{LoadFacts, Scale};

use crate::after_load;
use crate::instance::Instance;
use crate::run::Run;

/// Whether servers are started anew after such a load. What a load leaves in a server's memory counts for its limit, and no
/// session without a load begins with it: a store of RocksDB held 50 MiB of freed memory for as long as it lived.
pub(crate) fn starts_again(run: &Run<'_>, load: &LoadFacts) -> bool {
    run.plan.memory_bytes.is_some() && load.rows > 0
}

/// Loads one subject's data, and runs what it runs after that.
///
/// # Errors
/// Interrupted, or any fault of the server.
pub(crate) fn load(run: &Run<'_>, instance: &mut Instance, data: &Scale) -> Outcome<LoadFacts> {
    let (seed, interrupt) = (run.plan.seed, &run.places.dirs.interrupt);
    let facts = run.workload.load(&mut *instance.server, data, seed, run.reporter, interrupt)?;
    after_load::run(&instance.after_load, &mut *instance.server, run.workload, data)?;
    (instance.loaded, instance.rows) = (true, data.rows);
    Ok(facts)
}

/// Gives a server that has the host to itself fresh data, as `prepare` does for servers side by side. Returns the facts of each load
/// and of the copy that was brought back, each with the rows of a table of its data set.
///
/// # Errors
/// Interrupted, or any fault of the server.
pub(crate) fn fill(run: &Run<'_>, instance: &mut Instance, data: &Scale) -> Outcome<Vec<(u64, LoadFacts)>> {
    let (copies, mut found) = (run.plan.design.copy, Vec::new());
    let is_new = !instance.loaded;
    if is_new && copies {
        for set in run.plan.data_sets() {
            instance.start()?;
            found.push((set.rows, load(run, instance, &set)?));
            instance.server.stop()?;
            instance.keep()?;
        }
    } else if is_new {
        instance.start()?;
        let facts = load(run, instance, data)?;
        let again = starts_again(run, &facts);
        found.push((data.rows, facts));
        if !again {
            return Ok(found);
        }
        instance.server.stop()?;
    }
    if copies && !(is_new && instance.rows == data.rows) {
        instance.bring_back(data.rows)?;
    }
    let began = Instant::now();
    instance.start()?;
    run.workload.prewarm(&mut *instance.server, data)?;
    if copies {
        found.extend(inspect(run.workload, instance, data, began)?.map(|facts| (data.rows, facts)));
    }
    Ok(found)
}

/// The contents of the tables, in the form of a load's.
///
/// # Errors
/// Any fault of the server.
pub(crate) fn inspect(
    workload: &dyn Workload,
    instance: &mut Instance,
    data: &Scale,
    began: Instant,
) -> Outcome<Option<LoadFacts>> {
    let facts = workload.inspect(&mut *instance.server, data)?;
    Ok(facts.map(|facts| LoadFacts { seconds: began.elapsed().as_secs_f64(), ..facts }))
}
