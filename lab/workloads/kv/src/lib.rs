//! The db_bench steps, as the Small Datum blog runs them: the same keys, values, steps and order, over key-value
//! engines.
//!
//! The reference's first three steps make its data. Here they are the load: fill in order of keys, let compaction
//! finish, overwrite a tenth, flush, and merge the first level. Each test then works on that tree. `steps.rs` is the
//! table of tests, `load.rs` makes and checks the data, `client.rs` does the operations.

mod client;
mod load;
mod steps;

use humdrum_contract::{
    Client, Clock, Connection, Dialect, Interrupt, KvData, KvStore, Outcome, Progress, Seat, Server, Workload,
};
use humdrum_model::{Contents, Fault, Interface, LoadFacts, Quantity, Scale, TestInfo};

/// The suite, for `--suite kv`.
pub struct Kv;

/// The number of a scale that has the bytes of a value.
const VALUE: &str = "value";
const KEY_BYTES: u32 = 20;
/// The bytes of a value, unless the scale has others, and how few and many it may have: its number stands in the first ones.
const VALUE_BYTES: u32 = 400;
const VALUES: std::ops::RangeInclusive<u64> = 16..=1 << 20;
/// db_bench's `compression_ratio=0.5`.
const COMPRESSED_PERCENT: u32 = 50;

impl Workload for Kv {
    fn name(&self) -> &'static str {
        "kv"
    }

    fn about(&self) -> &'static str {
        "the db_bench steps: filling, overwriting, seeks and point reads beside a rate-limited writer"
    }

    fn interface(&self) -> Interface {
        Interface::Kv
    }

    fn tests(&self, compat: bool) -> Vec<TestInfo> {
        steps::TABLE.iter().map(|step| step.info(compat)).collect()
    }

    fn tests_default(&self) -> &'static str {
        steps::REFERENCE
    }

    fn scales(&self) -> Vec<Scale> {
        let scale =
            |name: &str, rows| Scale { name: name.into(), rows, tables: 1, clients: 1, ..Scale::default() };
        vec![
            scale("tiny", 50_000),
            scale("small", 400_000),
            scale("medium", 4_000_000),
            scale("large", 40_000_000),
        ]
    }

    fn further_numbers(&self) -> &'static [&'static str] {
        &[VALUE]
    }

    fn fit(&self, scale: &mut Scale, _said: &[&str]) -> Outcome<()> {
        match scale.more.get(VALUE) {
            Some(bytes) if !VALUES.contains(bytes) => Err(Fault::usage(format!("values of {bytes} bytes"))
                .hint(format!("type value={} to value={}", VALUES.start(), VALUES.end()))),
            _ => Ok(()),
        }
    }

    fn resize(&self, scale: &mut Scale, bytes: u64) -> Outcome<()> {
        let tables = u64::from(scale.tables.max(1));
        scale.rows = (bytes / tables / u64::from(KEY_BYTES + value_bytes(scale))).next_multiple_of(1000);
        Ok(())
    }

    /// Twice the data: compaction writes new files before it removes old ones, and a test fills a second store.
    fn bytes(&self, scale: &Scale) -> u64 {
        data(scale, 0).bytes() * 3
    }

    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts> {
        load::load(server, scale, &data(scale, seed), progress, interrupt)
    }

    fn prewarm(&self, server: &mut dyn Server, scale: &Scale) -> Outcome<()> {
        load::prewarm(server, &data(scale, 0))
    }

    fn client(
        &self,
        seat: &Seat<'_>,
        connection: Connection,
        _dialect: Option<&dyn Dialect>,
    ) -> Outcome<Box<dyn Client>> {
        let step = steps::TABLE.iter().find(|step| step.name == seat.test);
        let step = step.ok_or_else(|| Fault::usage(format!("no test `{}` in kv", seat.test)))?;
        client::open(step, connection.into_kv()?, seat)
    }

    /// Sizes and debts of the tree.
    fn state(
        &self,
        connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        _scale: &Scale,
    ) -> Outcome<Vec<Quantity>> {
        // The scratch store exists only during the test that fills it.
        let scratch = connection.kv()?.state(KvStore::Scratch)?;
        if scratch.is_empty() { connection.kv()?.state(KvStore::Main) } else { Ok(scratch) }
    }

    /// Every key and value, read and checked. With several clients, the order of two writes to the same key differs
    /// between subjects, so that only keys are compared.
    fn contents(
        &self,
        connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        scale: &Scale,
    ) -> Outcome<Option<Contents>> {
        load::contents(connection.kv()?, scale).map(Some)
    }

    /// Flushes memory and waits for compactions, as `overwriteandwait` does.
    fn post_write(
        &self,
        connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        _scale: &Scale,
        _clock: &dyn Clock,
        _interrupt: &Interrupt,
    ) -> Outcome<()> {
        let session = connection.kv()?;
        session.set_timeout(load::PATIENCE)?;
        session.settle(KvStore::Scratch, false)?;
        session.settle(KvStore::Main, false).map(drop)
    }
}

fn value_bytes(scale: &Scale) -> u32 {
    scale.more.get(VALUE).map_or(VALUE_BYTES, |bytes| *bytes as u32)
}

/// The data of a store at a scale.
fn data(scale: &Scale, seed: u64) -> KvData {
    let keys = scale.rows * u64::from(scale.tables);
    let (key_bytes, value_bytes) = (KEY_BYTES, value_bytes(scale));
    KvData { keys, seed, key_bytes, value_bytes, compressed_percent: COMPRESSED_PERCENT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_the_references_and_smaller() {
        let scales = Kv.scales();
        assert!(scales.is_sorted_by_key(|scale| scale.rows));
        let large = scales.last().expect("large");
        assert_eq!(data(large, 1).bytes(), 16_800_000_000, "40 million of 420 bytes");
    }

    #[test]
    fn values_have_the_bytes_that_a_scale_says() {
        let mut scale = Kv.scales().remove(0);
        scale.more.insert(VALUE.into(), 1000);
        Kv.fit(&mut scale, &[VALUE]).expect("fits");
        assert_eq!(data(&scale, 1).bytes(), scale.rows * 1020);
        Kv.resize(&mut scale, 1 << 30).expect("resized");
        assert!((1.0..1.001).contains(&(data(&scale, 1).bytes() as f64 / f64::from(1 << 30))));
        scale.more.insert(VALUE.into(), 15);
        assert_eq!(Kv.fit(&mut scale, &[VALUE]).expect_err("refused").exit_code(), 2);
    }
}
