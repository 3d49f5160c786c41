//! How records are told apart and what of them is compared, as the options have it.

use std::sync::Arc;

use skipsort_external::records;
pub(crate) use skipsort_external::records::{Frame, Tie};

use crate::keys::KeyList;

/// Everything about the order and the form of records.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) frame: Frame,
    /// `None`: lines are compared whole.
    pub(crate) keys: Option<KeyList>,
    pub(crate) tie: Tie,
    /// `-r` of whole lines.
    pub(crate) descending: bool,
    /// `-u`: of rows with equal keys the first.
    pub(crate) unique: bool,
}

impl Shape {
    /// The same for the sort, to which keys are bytes.
    pub(crate) fn of_records(&self) -> records::Shape {
        let Shape { frame, ref keys, tie, descending, unique } = *self;
        let keys = keys.clone().map(|keys| Arc::new(keys) as Arc<dyn records::KeyEncoder>);
        records::Shape { frame, keys, tie, descending, unique }
    }
}

impl records::KeyEncoder for KeyList {
    fn encode(&self, line: &[u8], into: &mut Vec<u8>) {
        KeyList::encode(self, line, into);
    }

    fn encoded_most(&self, line_len: usize) -> usize {
        KeyList::encoded_most(self, line_len)
    }
}
