//! Ours, in the forms that have something to be compared with.

use skipsort::{Scratch, SkipSort, Sorter};

use crate::{InPlace, Job, Rival, ToOrder};

pub(crate) const SORT: Rival = Rival {
    name: "skipsort",
    about: "skipsort::sort, memory taken and given back",
    partial: false,
    prepare: |rows| InPlace::job(rows, skipsort::sort),
};

pub(crate) const UNSTABLE: Rival = Rival {
    name: "skipsort_unstable",
    about: "skipsort, equal rows in any order",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| rows.skip_sort_unstable()),
};

pub(crate) const ONE_BUFFER: Rival = Rival {
    name: "skipsort_one_buffer",
    about: "skipsort with 16 bytes of memory per row",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| Sorter::new(&mut Scratch::one_buffer()).unstable().sort(rows)),
};

/// The memory is there before the clock starts, as in a program that sorts more than once.
pub(crate) const SCRATCH: Rival = Rival {
    name: "skipsort_scratch",
    about: "skipsort::Sorter with memory kept from an earlier sort",
    partial: false,
    prepare: |rows| {
        let mut scratch = Scratch::new();
        Sorter::new(&mut scratch).sort(&mut rows.to_vec());
        Some(Box::new(Kept { rows: rows.to_vec(), scratch }))
    },
};

struct Kept<'k> {
    rows: Vec<&'k [u8]>,
    scratch: Scratch,
}

impl<'k> Job<'k> for Kept<'k> {
    fn run(&mut self) {
        Sorter::new(&mut self.scratch).sort(&mut self.rows);
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        self.rows.clone()
    }
}

/// A rival that gives row numbers.
macro_rules! numbers {
    ($sort:expr) => {
        |rows| Some(Box::new(ToOrder { rows: rows.to_vec(), order: Vec::new(), sort: $sort }))
    };
}

pub(crate) const INDICES: Rival = Rival {
    name: "skipsort_indices",
    about: "skipsort::sort_indices to u32",
    partial: false,
    prepare: numbers!(|rows: &[&[u8]]| skipsort::sort_indices(rows)),
};

pub(crate) const FIRST_PERCENT: Rival = Rival {
    name: "skipsort_first_percent",
    about: "the first 1 % of rows from skipsort::Sorted",
    partial: true,
    prepare: numbers!(|rows: &[&[u8]]| {
        let mut sorted = skipsort::Sorted::new(rows);
        let next = || sorted.next_index().map(|row| row as u32);
        std::iter::from_fn(next).take(rows.len() / 100).collect()
    }),
};

pub(crate) const TOP_10: Rival = Rival {
    name: "skipsort_top_10",
    about: "skipsort::top_k_indices of ten",
    partial: true,
    prepare: numbers!(|rows: &[&[u8]]| {
        skipsort::top_k_indices(rows, 10).into_iter().map(|row| row as u32).collect()
    }),
};

pub(crate) const PARALLEL: Rival = Rival {
    name: "skipsort_parallel",
    about: "skipsort on all processors",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| rows.par_skip_sort()),
};

#[cfg(feature = "arrow")]
pub(crate) const ARROW: Rival = Rival {
    name: "skipsort_arrow",
    about: "skipsort::sort_array_to_indices on a BinaryArray",
    partial: false,
    prepare: |rows| {
        let array = arrow_array::BinaryArray::from_iter_values(rows);
        let sort = move |_: &[&[u8]]| {
            let order = skipsort::sort_array_to_indices(&array, Default::default(), None);
            order.expect("a BinaryArray can be sorted").values().to_vec()
        };
        Some(Box::new(ToOrder { rows: rows.to_vec(), order: Vec::new(), sort }))
    },
};
