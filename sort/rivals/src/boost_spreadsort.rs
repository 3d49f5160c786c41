//! Boost.Sort's string spreadsort, through `cpp/boost_spreadsort.cpp`.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "boost_spreadsort",
    about: "boost::sort::spreadsort::string_sort of pointer and length",
    partial: false,
    prepare: |rows| InPlace::job(rows, sort),
};

unsafe extern "C" {
    fn rival_boost_spreadsort(rows: *mut Row, len: usize);
}

/// A key as the C++ side sees it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    start: *const u8,
    len: usize,
}

fn sort(rows: &mut [&[u8]]) {
    let mut foreign: Vec<Row> = rows.iter().map(|row| Row { start: row.as_ptr(), len: row.len() }).collect();
    // SAFETY: the function permutes `len` rows in place and reads the keys they point to.
    unsafe { rival_boost_spreadsort(foreign.as_mut_ptr(), foreign.len()) };
    for (row, sorted) in rows.iter_mut().zip(foreign) {
        // SAFETY: a permutation of the rows that were live slices above and still are.
        *row = unsafe { std::slice::from_raw_parts(sorted.start, sorted.len) };
    }
}
