//! Numbers and texts as bytes, and back; what is cut or too long is `None`.

use humdrum_contract::{KvBatch, KvData, KvOperation, KvStore};

#[derive(Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn byte(&mut self, byte: u8) -> &mut Self {
        self.0.push(byte);
        self
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(super) fn numbers(&mut self, numbers: &[u64]) -> &mut Self {
        numbers.iter().fold(self, |out, number| out.number(*number))
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64).0.extend(text.as_bytes());
        self
    }

    pub(super) fn pairs(&mut self, pairs: &[(u64, u64)]) -> &mut Self {
        self.number(pairs.len() as u64);
        pairs.iter().fold(self, |out, (one, two)| out.numbers(&[*one, *two]))
    }

    pub(super) fn store(&mut self, store: KvStore) -> &mut Self {
        self.byte(u8::from(store == KvStore::Scratch))
    }
}

/// What is left to be read.
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl In<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        Some(self.number()? != 0)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    pub(super) fn pairs(&mut self) -> Option<Vec<(u64, u64)>> {
        let length = self.number()?;
        (0..length).map(|_| Some((self.number()?, self.number()?))).collect()
    }

    pub(super) fn store(&mut self) -> Option<KvStore> {
        Some(if self.byte()? == 0 { KvStore::Main } else { KvStore::Scratch })
    }

    pub(super) fn data(&mut self) -> Option<KvData> {
        Some(KvData {
            keys: self.number()?,
            seed: self.number()?,
            key_bytes: self.small()?,
            value_bytes: self.small()?,
            compressed_percent: self.small()?,
        })
    }

    pub(super) fn batch(&mut self) -> Option<KvBatch> {
        let (store, code, argument) = (self.store()?, self.byte()?, self.small()?);
        let operation = match code {
            0 => KvOperation::PutNext,
            1 => KvOperation::Put,
            2 => KvOperation::Get,
            3 => KvOperation::MultiGet(argument),
            4 => KvOperation::Forwards(argument),
            5 => KvOperation::Backwards(argument),
            6 => KvOperation::GetNext,
            _ => return None,
        };
        Some(KvBatch {
            store,
            operation,
            first_number: self.number()?,
            first_seed: self.number()?,
            seed_step: self.number()?,
            count: self.number()?,
            span: self.number()?,
            checked: self.flag()?,
            writer_bytes_per_second: self.number()?,
        })
    }
}

pub(super) fn operation_code(operation: KvOperation) -> (u8, u32) {
    match operation {
        KvOperation::PutNext => (0, 0),
        KvOperation::Put => (1, 0),
        KvOperation::Get => (2, 0),
        KvOperation::MultiGet(keys) => (3, keys),
        KvOperation::Forwards(entries) => (4, entries),
        KvOperation::Backwards(entries) => (5, entries),
        KvOperation::GetNext => (6, 0),
    }
}
