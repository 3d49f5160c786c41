//! The standard library's `sort_unstable`: ipnsort, comparing keys with `memcmp`.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "std_unstable",
    about: "slice::sort_unstable",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| rows.sort_unstable()),
};

/// The control: a ratio of one, with all that a measurement adds to it. Few rows show it most.
pub(crate) const AGAIN: Rival = Rival {
    name: "std_unstable_again",
    about: "slice::sort_unstable, compiled a second time: what differs is where its copy lies",
    partial: false,
    prepare: |rows| {
        #[expect(clippy::unnecessary_sort_by, reason = "an instance of its own")]
        InPlace::job(rows, |rows| rows.sort_unstable_by(|a, b| a.cmp(b)))
    },
};

/// The ten smallest through a heap of ten, then the rest as it was.
pub(crate) const HEAP_10: Rival = Rival {
    name: "heap_10",
    about: "the ten smallest rows by a std BinaryHeap of ten",
    partial: true,
    prepare: |rows| {
        let sort = |rows: &[&[u8]]| {
            let mut heap = std::collections::BinaryHeap::with_capacity(11);
            for (number, row) in rows.iter().enumerate() {
                if heap.len() < 10 {
                    heap.push((*row, number as u32));
                } else if heap.peek().is_some_and(|most| *row < most.0) {
                    heap.pop();
                    heap.push((*row, number as u32));
                }
            }
            heap.into_sorted_vec().into_iter().map(|(_, number)| number).collect()
        };
        Some(Box::new(crate::ToOrder { rows: rows.to_vec(), order: Vec::new(), sort }))
    },
};
