//! Making and checking the data, with the reference's first steps in its order.

use std::time::{Duration, Instant};

use humdrum_contract::{
    Interrupt, KvBatch, KvData, KvOperation, KvSession, KvStore, Outcome, Progress, Server, Update,
};
use humdrum_model::{Contents, Fault, FaultKind, LoadFacts, Scale};

/// Timeout of one call in a load. The largest scale is read in minutes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3600);

/// Puts between two checks of the interrupt.
const PUTS: u64 = 100_000;

/// Part of the keys that the reference overwrites after filling.
const OVERWRITTEN_PART: u64 = 10;

/// Most bytes that are read to warm a cache.
const PREWARM_BYTES_MAX: u64 = 8 << 30;

/// Fills, waits for compactions, overwrites some keys, flushes, merges, and reads everything.
pub(crate) fn load(
    server: &mut dyn Server,
    scale: &Scale,
    data: &KvData,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Outcome<LoadFacts> {
    let began = Instant::now();
    let mut session = server.connect(PATIENCE)?.into_kv()?;
    session.remove(KvStore::Scratch)?;
    session.create(KvStore::Main, data, true)?;
    session.fit(data.bytes())?;
    let mut puts = Puts { session: &mut *session, data, progress, interrupt };
    puts.put(KvOperation::PutNext, data.keys, "load")?;
    puts.session.end_bulk(KvStore::Main)?;
    puts.session.settle(KvStore::Main, false)?;
    puts.put(KvOperation::Put, data.keys / OVERWRITTEN_PART, "overwrite some")?;
    puts.session.settle(KvStore::Main, true)?;
    let found = session.inspect(KvStore::Main)?.unwrap_or_default();
    if found.rows != scale.rows * u64::from(scale.tables) {
        let what = format!("{} keys are there of {} that were put", found.rows, data.keys);
        return Err(Fault::new(FaultKind::WrongAnswer, what));
    }
    Ok(LoadFacts {
        rows: found.rows,
        checksum: format!("{:x}", found.checksum),
        bytes: found.bytes,
        seconds: began.elapsed().as_secs_f64(),
        ..LoadFacts::default()
    })
}

/// Puts in portions, so that Ctrl-C is noticed.
struct Puts<'a> {
    session: &'a mut dyn KvSession,
    data: &'a KvData,
    progress: &'a dyn Progress,
    interrupt: &'a Interrupt,
}

impl Puts<'_> {
    fn put(&mut self, operation: KvOperation, count: u64, what: &str) -> Outcome<()> {
        /// The difference between the seeds of two operations.
        const SEED_STEP: u64 = 0xd134_2543_de82_ef95;
        let mut done = 0;
        while done < count {
            self.interrupt.check()?;
            let portion = PUTS.min(count - done);
            let batch = KvBatch {
                store: KvStore::Main,
                operation,
                first_number: done,
                first_seed: self.data.seed.wrapping_add(SEED_STEP.wrapping_mul(done)),
                seed_step: SEED_STEP,
                count: portion,
                span: self.data.keys,
                checked: false,
                writer_bytes_per_second: 0,
            };
            self.session.run(&batch, &mut |_, _| {})?;
            done += portion;
            self.progress.update(Update::Part { what, done, total: Some(count), unit: "keys" });
        }
        Ok(())
    }
}

/// Reads everything once to warm the caches, unless it is too much.
pub(crate) fn prewarm(server: &mut dyn Server, data: &KvData) -> Outcome<()> {
    let mut session = server.connect(PATIENCE)?.into_kv()?;
    session.fit(data.bytes())?;
    session.settle(KvStore::Main, false)?;
    if data.bytes() <= PREWARM_BYTES_MAX {
        session.inspect(KvStore::Main)?;
    }
    Ok(())
}

/// Reads all keys and values of both stores and checks each byte.
pub(crate) fn contents(session: &mut dyn KvSession, scale: &Scale) -> Outcome<Contents> {
    session.set_timeout(PATIENCE)?;
    let (mut rows, mut sum) = (0, 0_u64);
    for store in [KvStore::Main, KvStore::Scratch] {
        let found = session.inspect(store)?.unwrap_or_default();
        rows += found.rows;
        let own = if scale.clients == 1 { found.checksum } else { found.keys_checksum };
        sum = sum.rotate_left(1).wrapping_add(own);
    }
    Ok(Contents { rows, checksum: format!("{sum:x}") })
}
