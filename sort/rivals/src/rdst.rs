//! The `rdst` crate: LSD and MSD radix sort of fixed-length keys; applies to keys of eight bytes.

use ::rdst::{RadixKey, RadixSort};

use crate::{Job, Rival};

pub(crate) const RIVAL: Rival =
    Rival { name: "rdst", about: "the rdst crate, one thread, keys of 8 bytes", partial: false, prepare };

#[derive(Clone, Copy)]
struct Item<'k>([u8; 8], &'k [u8]);

impl RadixKey for Item<'_> {
    const LEVELS: usize = 8;

    fn get_level(&self, level: usize) -> u8 {
        self.0[7 - level]
    }
}

struct Radix<'k> {
    rows: Vec<&'k [u8]>,
}

fn prepare<'k>(rows: &[&'k [u8]]) -> Option<Box<dyn Job<'k> + 'k>> {
    rows.iter().all(|row| row.len() == 8).then(|| Box::new(Radix { rows: rows.to_vec() }) as Box<dyn Job>)
}

impl<'k> Job<'k> for Radix<'k> {
    fn run(&mut self) {
        let item = |row: &&'k [u8]| Item((*row).try_into().expect("eight bytes"), row);
        let mut items: Vec<Item> = self.rows.iter().map(item).collect();
        items.radix_sort_builder().with_single_threaded_tuner().with_parallel(false).sort();
        self.rows = items.iter().map(|item| item.1).collect();
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        self.rows.clone()
    }
}
