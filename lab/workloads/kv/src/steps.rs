//! The table of tests, in the order in which the reference runs them. Tests that it leaves out by default are where it
//! would run them.

use humdrum_contract::{KvOperation, KvStore};
use humdrum_model::{Payment, Phase, TestInfo};

/// The group of the tests that the reference runs by default.
pub(crate) const REFERENCE: &str = "reference";

/// The reference's rate limit of the writer beside a reading step.
const WRITER_BYTES_PER_SECOND: u64 = 2 << 20;

/// Entries that a seek reads, and keys of one multi-get.
const ENTRIES: u32 = 10;

/// Keys that the reference's drain step reads repeatedly.
const FEW_KEYS: u64 = 100;

/// One test.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    group: &'static str,
    operation_text: &'static str,
    pub(crate) operation: KvOperation,
    pub(crate) writer_bytes_per_second: u64,
    /// Most keys to use; `None` means all.
    pub(crate) keys_at_most: Option<u64>,
    /// Whether it has one client, whatever the scale says.
    alone: bool,
    /// Whether the wait for compactions after the last operation is part of its time.
    waits: bool,
    reference: bool,
}

const READ: Step = Step {
    name: "",
    group: "",
    operation_text: "",
    operation: KvOperation::Get,
    writer_bytes_per_second: 0,
    keys_at_most: None,
    alone: false,
    waits: false,
    reference: false,
};

/// All tests.
pub(crate) const TABLE: [Step; 10] = [
    Step {
        name: "fillseq",
        group: "write",
        operation_text: "one put of the next key into a store of its own, by one client: vector memtable, no log",
        operation: KvOperation::PutNext,
        alone: true,
        reference: true,
        ..READ
    },
    Step {
        name: "revrange",
        group: "range",
        operation_text: "one seek among 100 keys and the 10 entries before it, by one client",
        operation: KvOperation::Backwards(ENTRIES),
        alone: true,
        keys_at_most: Some(FEW_KEYS),
        ..READ
    },
    Step {
        name: "readrandom",
        group: "point",
        operation_text: "one get of a random key",
        operation: KvOperation::Get,
        ..READ
    },
    Step {
        name: "fwdrange",
        group: "range",
        operation_text: "one seek of a random key and the 10 entries from it on",
        operation: KvOperation::Forwards(ENTRIES),
        ..READ
    },
    Step {
        name: "multireadrandom",
        group: "point",
        operation_text: "one of the 10 random keys of a multi-get",
        operation: KvOperation::MultiGet(ENTRIES),
        ..READ
    },
    Step {
        name: "revrangeww",
        group: "range",
        operation_text: "one seek of a random key and the 10 entries before it, beside a writer of 2 MiB/s",
        operation: KvOperation::Backwards(ENTRIES),
        writer_bytes_per_second: WRITER_BYTES_PER_SECOND,
        reference: true,
        ..READ
    },
    Step {
        name: "fwdrangeww",
        group: "range",
        operation_text: "one seek of a random key and the 10 entries from it on, beside a writer of 2 MiB/s",
        operation: KvOperation::Forwards(ENTRIES),
        writer_bytes_per_second: WRITER_BYTES_PER_SECOND,
        reference: true,
        ..READ
    },
    Step {
        name: "readww",
        group: "point",
        operation_text: "one get of a random key, beside a writer of 2 MiB/s",
        operation: KvOperation::Get,
        writer_bytes_per_second: WRITER_BYTES_PER_SECOND,
        reference: true,
        ..READ
    },
    Step {
        name: "overwrite",
        group: "write",
        operation_text: "one put of a random key; what compaction owes is paid after the last one and shown apart",
        operation: KvOperation::Put,
        reference: true,
        ..READ
    },
    Step {
        name: "overwritewait",
        group: "write",
        operation_text: "one put of a random key, with its share of the flush and the wait for compactions after the last one",
        operation: KvOperation::Put,
        waits: true,
        ..READ
    },
];

impl Step {
    /// With `compat`, as the reference does it.
    pub(crate) fn info(&self, compat: bool) -> TestInfo {
        let leaves_debt = compat && self.payment() == Payment::Usual && self.writes();
        let then = if leaves_debt { "; what compaction owes is left to the tests after it" } else { "" };
        TestInfo {
            name: self.name.into(),
            group: self.group.into(),
            operation: format!("{}{then}", self.operation_text),
            statements: if let KvOperation::MultiGet(keys) = self.operation { keys } else { 1 },
            writes: self.writes(),
            long: false,
            phase: if self.writes() { Phase::Write } else { Phase::Fresh },
            also: if self.reference { vec![REFERENCE.into()] } else { Vec::new() },
            payment: self.payment(),
            clients_at_most: self.alone.then_some(1),
            ..TestInfo::default()
        }
    }

    /// The reference waits for compactions after the steps that put, and not after those that read beside a writer.
    fn payment(&self) -> Payment {
        match self.operation.writes() {
            true if self.waits => Payment::Within,
            true => Payment::Own,
            false => Payment::Usual,
        }
    }

    /// Whether the test or the writer beside it changes data.
    pub(crate) fn writes(&self) -> bool {
        self.operation.writes() || self.writer_bytes_per_second > 0
    }

    pub(crate) fn store(&self) -> KvStore {
        if self.operation == KvOperation::PutNext { KvStore::Scratch } else { KvStore::Main }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_references_steps_are_there_in_its_order() {
        let chosen = TABLE.iter().filter(|step| step.reference).map(|step| step.name);
        let expected = ["fillseq", "revrangeww", "fwdrangeww", "readww", "overwrite"];
        assert_eq!(chosen.collect::<Vec<_>>(), expected);
        for (at, step) in TABLE.iter().enumerate() {
            assert!(TABLE[..at].iter().all(|earlier| earlier.name != step.name));
            assert_eq!(step.name.ends_with("ww"), step.writer_bytes_per_second > 0);
            let info = step.info(false);
            assert_eq!(info.phase == Phase::Fresh, !info.writes);
            assert_eq!(info.clients_at_most.is_some(), matches!(step.name, "fillseq" | "revrange"));
        }
    }

    #[test]
    fn one_step_has_the_wait_in_its_time_and_the_other_one_beside_it() {
        let of = |payment| {
            TABLE
                .iter()
                .filter(move |step| step.payment() == payment)
                .map(|step| step.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(Payment::Within), ["overwritewait"]);
        assert_eq!(of(Payment::Own), ["fillseq", "overwrite"]);
        let step = |name: &str| TABLE.iter().find(|step| step.name == name).expect("a step");
        assert_eq!(step("overwrite").operation, step("overwritewait").operation);
        assert_eq!(step("overwrite").store(), step("overwritewait").store());
    }

    #[test]
    fn compat_says_which_steps_leave_their_debt() {
        let differ = TABLE.iter().filter(|step| step.info(false).operation != step.info(true).operation);
        assert_eq!(differ.map(|step| step.name).collect::<Vec<_>>(), ["revrangeww", "fwdrangeww", "readww"]);
        assert!(TABLE.iter().all(|step| step.info(false).payment == step.info(true).payment));
    }
}
