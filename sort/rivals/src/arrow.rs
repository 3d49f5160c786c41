//! Arrow's `sort_to_indices` on a BinaryArray: a four-byte prefix and an index, ties by `memcmp`.

use arrow_array::BinaryArray;

use crate::{Rival, ToOrder};

pub(crate) const RIVAL: Rival = Rival {
    name: "arrow_indices",
    about: "arrow sort_to_indices on a BinaryArray",
    partial: false,
    prepare: |rows| {
        let array = BinaryArray::from_iter_values(rows);
        let sort = move |_: &[&[u8]]| {
            let order =
                arrow_ord::sort::sort_to_indices(&array, None, None).expect("a BinaryArray can be sorted");
            order.values().to_vec()
        };
        Some(Box::new(ToOrder { rows: rows.to_vec(), order: Vec::new(), sort }))
    },
};
