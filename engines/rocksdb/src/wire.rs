//! The messages between the lab and a worker. A request begins with its kind, an answer with its outcome. Both ends are of
//! one build, so there is no version.

mod codec;

use humdrum_contract::{KvBatch, KvContents, KvData, KvDone, KvStore};

use codec::{In, Out, operation_code};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Hello,
    Create(KvStore, KvData, bool),
    EndBulk(KvStore),
    Remove(KvStore),
    Fit(u64),
    Run(KvBatch),
    Settle(KvStore, bool),
    Inspect(KvStore),
    Property(KvStore, String),
    Stop,
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Hello(Hello),
    Ran(KvDone, Vec<(u64, u64)>, Counts),
    Settled(u64),
    Contents(Option<KvContents>),
    Property(Option<String>),
    /// What the library said.
    Refused(String),
    /// What was read and is wrong.
    Wrong(String),
}

/// Who answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hello {
    /// The thread that serves this connection.
    pub(crate) thread: u32,
    /// Functions that the library lacks, each with what is lost.
    pub(crate) lost: Vec<String>,
}

/// What the process has done since it began; all only grow but the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Bytes of keys and values put.
    pub(crate) put_bytes: u64,
    /// Writes of background writers.
    pub(crate) writer_writes: u64,
    /// Their response times from their intended starts, ns.
    pub(crate) writer_response_ns: u64,
    /// Writes that they should have done by the ends of their turns.
    pub(crate) writer_due: u64,
    /// Bytes of keys and values that reads returned.
    pub(crate) got_bytes: u64,
    /// Writes held back or stopped, ms.
    pub(crate) stall_ms: u64,
    /// Bytes in the block cache.
    pub(crate) cache_bytes: u64,
}

impl Request {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Out::default();
        match self {
            Self::Hello => out.byte(0),
            Self::Create(store, data, bulk) => {
                out.byte(1).store(*store).numbers(&[data.keys, data.seed, data.key_bytes.into()]);
                out.numbers(&[data.value_bytes.into(), data.compressed_percent.into(), (*bulk).into()])
            }
            Self::EndBulk(store) => out.byte(2).store(*store),
            Self::Remove(store) => out.byte(3).store(*store),
            Self::Fit(bytes) => out.byte(4).number(*bytes),
            Self::Run(batch) => {
                let (operation, argument) = operation_code(batch.operation);
                out.byte(5).store(batch.store).byte(operation).number(argument.into());
                out.numbers(&[batch.first_number, batch.first_seed, batch.seed_step]);
                out.numbers(&[batch.count, batch.span]);
                out.numbers(&[batch.checked.into(), batch.writer_bytes_per_second])
            }
            Self::Settle(store, level0) => out.byte(6).store(*store).number((*level0).into()),
            Self::Inspect(store) => out.byte(7).store(*store),
            Self::Property(store, name) => out.byte(8).store(*store).text(name),
            Self::Stop => out.byte(9),
        };
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = In(bytes);
        let request = match from.byte()? {
            0 => Self::Hello,
            1 => Self::Create(from.store()?, from.data()?, from.flag()?),
            2 => Self::EndBulk(from.store()?),
            3 => Self::Remove(from.store()?),
            4 => Self::Fit(from.number()?),
            5 => Self::Run(from.batch()?),
            6 => Self::Settle(from.store()?, from.flag()?),
            7 => Self::Inspect(from.store()?),
            8 => Self::Property(from.store()?, from.text()?),
            9 => Self::Stop,
            _ => return None,
        };
        from.0.is_empty().then_some(request)
    }
}

impl Answer {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Out::default();
        match self {
            Self::Done => out.byte(0),
            Self::Hello(hello) => {
                out.byte(1).numbers(&[hello.thread.into(), hello.lost.len() as u64]);
                hello.lost.iter().fold(&mut out, |out, line| out.text(line))
            }
            Self::Ran(done, latencies, counts) => {
                out.byte(2).numbers(&[done.rows, done.checksum, done.wall_ns, counts.put_bytes]);
                out.numbers(&[counts.writer_writes, counts.writer_response_ns, counts.writer_due]);
                out.numbers(&[counts.got_bytes, counts.stall_ms, counts.cache_bytes]).pairs(latencies)
            }
            Self::Settled(ns) => out.byte(3).number(*ns),
            Self::Contents(None) => out.byte(9),
            Self::Contents(Some(contents)) => {
                out.byte(4).numbers(&[contents.rows, contents.checksum, contents.keys_checksum]);
                out.number(contents.bytes).pairs(&contents.levels)
            }
            Self::Property(None) => out.byte(5),
            Self::Property(Some(text)) => out.byte(6).text(text),
            Self::Refused(said) => out.byte(7).text(said),
            Self::Wrong(what) => out.byte(8).text(what),
        };
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = In(bytes);
        let answer = match from.byte()? {
            0 => Self::Done,
            1 => {
                let (thread, lines) = (u32::try_from(from.number()?).ok()?, from.number()?);
                let lost = (0..lines).map(|_| from.text()).collect::<Option<_>>()?;
                Self::Hello(Hello { thread, lost })
            }
            2 => {
                let done = KvDone { rows: from.number()?, checksum: from.number()?, wall_ns: from.number()? };
                let counts = Counts {
                    put_bytes: from.number()?,
                    writer_writes: from.number()?,
                    writer_response_ns: from.number()?,
                    writer_due: from.number()?,
                    got_bytes: from.number()?,
                    stall_ms: from.number()?,
                    cache_bytes: from.number()?,
                };
                Self::Ran(done, from.pairs()?, counts)
            }
            3 => Self::Settled(from.number()?),
            4 => {
                let (rows, checksum) = (from.number()?, from.number()?);
                let (keys_checksum, bytes) = (from.number()?, from.number()?);
                let levels = from.pairs()?;
                Self::Contents(Some(KvContents { rows, checksum, keys_checksum, bytes, levels }))
            }
            5 => Self::Property(None),
            6 => Self::Property(Some(from.text()?)),
            7 => Self::Refused(from.text()?),
            8 => Self::Wrong(from.text()?),
            9 => Self::Contents(None),
            _ => return None,
        };
        from.0.is_empty().then_some(answer)
    }
}

#[cfg(test)]
mod tests;
