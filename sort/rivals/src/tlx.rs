//! tlx's `sort_strings`: multikey quicksort and radix sort after Bingmann, through `cpp/tlx.cpp`.
//!
//! tlx sorts zero-terminated strings, so it applies where no key contains a zero.

use crate::{Job, Rival};

pub(crate) const RIVAL: Rival =
    Rival { name: "tlx", about: "tlx::sort_strings, for keys without zeros", partial: false, prepare };

unsafe extern "C" {
    fn rival_tlx(strings: *mut *const u8, len: usize);
}

struct Terminated<'k> {
    rows: Vec<&'k [u8]>,
    bytes: Vec<u8>,
    strings: Vec<*const u8>,
}

fn prepare<'k>(rows: &[&'k [u8]]) -> Option<Box<dyn Job<'k> + 'k>> {
    if rows.iter().any(|row| row.contains(&0)) {
        return None;
    }
    let mut bytes = Vec::with_capacity(rows.iter().map(|row| row.len() + 1).sum());
    let mut starts = Vec::with_capacity(rows.len());
    for row in rows {
        starts.push(bytes.len());
        bytes.extend_from_slice(row);
        bytes.push(0);
    }
    let strings = starts.iter().map(|&start| bytes[start..].as_ptr()).collect();
    Some(Box::new(Terminated { rows: rows.to_vec(), bytes, strings }))
}

impl<'k> Job<'k> for Terminated<'k> {
    fn run(&mut self) {
        // SAFETY: permutes pointers to zero-terminated strings in `bytes`, which this job owns.
        unsafe { rival_tlx(self.strings.as_mut_ptr(), self.strings.len()) }
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        let starts =
            self.rows.iter().scan(0, |next, row| Some(std::mem::replace(next, *next + row.len() + 1)));
        let row_at: std::collections::HashMap<usize, &'k [u8]> =
            starts.zip(self.rows.iter().copied()).collect();
        self.strings.iter().map(|string| row_at[&(string.addr() - self.bytes.as_ptr().addr())]).collect()
    }
}
