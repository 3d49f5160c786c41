//! One client of a test. It passes all operations of a slice to the engine in one call.

use humdrum_contract::{
    Answer, Batch, BatchDone, Client, KvBatch, KvSession, KvStore, Operation, Outcome, Seat,
};
use humdrum_model::{Fault, FaultKind};

use crate::data;
use crate::steps::Step;

/// Makes the client of a test. The first one also creates or removes the store that `fillseq` fills.
pub(crate) fn open(
    step: &'static Step,
    mut session: Box<dyn KvSession>,
    seat: &Seat<'_>,
) -> Outcome<Box<dyn Client>> {
    let data = data(seat.scale, 1);
    if seat.number == 0 {
        match step.store() {
            KvStore::Scratch => session.create(KvStore::Scratch, &data, true)?,
            KvStore::Main => session.remove(KvStore::Scratch)?,
        }
    }
    let span = step.keys_at_most.map_or(data.keys, |most| most.min(data.keys));
    Ok(Box::new(KvClient { step, session, span, first: seat.number == 0 }))
}

struct KvClient {
    step: &'static Step,
    session: Box<dyn KvSession>,
    span: u64,
    /// Whether this is the first client, which alone has the writer beside it.
    first: bool,
}

impl KvClient {
    fn batch(&self, first: Operation, seed_step: u64, count: u64, checked: bool) -> KvBatch {
        KvBatch {
            store: self.step.store(),
            operation: self.step.operation,
            first_number: first.number,
            first_seed: first.seed,
            seed_step,
            count,
            span: self.span,
            checked,
            writer_bytes_per_second: if self.first && !checked {
                self.step.writer_bytes_per_second
            } else {
                0
            },
        }
    }
}

impl Client for KvClient {
    fn takes_batches(&self) -> bool {
        true
    }

    fn operate_batch(&mut self, batch: &Batch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<BatchDone> {
        let batch = self.batch(batch.first, batch.seed_step, batch.count, false);
        let done = self.session.run(&batch, latency)?;
        Ok(BatchDone { rows: done.rows, wall_ns: done.wall_ns })
    }

    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        let batch = self.batch(operation, 0, 1, false);
        self.session.run(&batch, &mut |_, _| {}).map(|done| done.rows)
    }

    /// A missing key is a wrong answer, even if other subjects agree, because all keys were loaded.
    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        let batch = self.batch(operation, 0, 1, true);
        let done = self.session.run(&batch, &mut |_, _| {})?;
        if done.rows == 0 {
            return Err(Fault::new(FaultKind::WrongAnswer, "a key that was written is not there"));
        }
        Ok(Answer { rows: done.rows, checksum: done.checksum })
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}
