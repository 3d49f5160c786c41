//! Where in a run which key is: first keys of blocks, so that a merge can start anywhere.

use crate::order::Order;

/// Keys longer than this are not worth remembering; the block is read through from an earlier one.
const KEY_MOST: usize = 4096;

/// Places and the keys there, in the order of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    keys: Vec<u8>,
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    /// Where the key ends in `keys`; it starts where the one before ends.
    key_end: usize,
}

impl Marks {
    /// Remembers that the record at `offset` has this key, unless it is too long.
    pub(crate) fn push(&mut self, offset: u64, key: &[u8]) {
        if key.len() <= KEY_MOST {
            self.keys.extend_from_slice(key);
            self.places.push(Place { offset, key_end: self.keys.len() });
        }
    }

    /// Takes over marks of what follows, `shift` bytes on.
    pub(crate) fn append(&mut self, other: &Marks, shift: u64) {
        (0..other.len()).for_each(|at| self.push(other.offset(at) + shift, other.key(at)));
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.places.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn offset(&self, at: usize) -> u64 {
        self.places[at].offset
    }

    pub(crate) fn key(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.places[at - 1].key_end };
        &self.keys[start..self.places[at].key_end]
    }

    /// Memory used.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() + self.places.capacity() * size_of::<Place>()
    }

    /// Forgets every second one.
    pub(crate) fn thin(&mut self) {
        let mut kept = Marks::default();
        (0..self.len()).step_by(2).for_each(|at| kept.push(self.offset(at), self.key(at)));
        kept.shrink();
        *self = kept;
    }

    /// Takes no more memory than it has to, as nothing is added any more.
    pub(crate) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    /// How many marks have keys before `bound`.
    pub(crate) fn before(&self, bound: &[u8], order: Order) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if order.before(self.key(middle), bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Makes all of these together take at most `most` bytes, as far as thinning goes: whoever has most of them loses every
/// second one.
pub(crate) fn thin_all(all: &mut [&mut Marks], most: usize) {
    while all.iter().map(|marks| marks.bytes()).sum::<usize>() > most {
        match all.iter_mut().max_by_key(|marks| marks.len()) {
            Some(marks) if marks.len() > 1 => marks.thin(),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_many_runs_share_what_there_is() {
        let mut runs = vec![Marks::default(); 20];
        for run in &mut runs {
            (0..1000u64).for_each(|at| run.push(at * 4096, &at.to_be_bytes()));
            run.shrink();
        }
        let each = runs[0].bytes();
        let mut all: Vec<&mut Marks> = runs.iter_mut().collect();
        thin_all(&mut all, 5 * each);
        assert!(runs.iter().map(Marks::bytes).sum::<usize>() <= 5 * each);
        assert!(runs.iter().all(|run| (125..=250).contains(&run.len()) && run.offset(0) == 0), "evenly");
        let mut all: Vec<&mut Marks> = runs.iter_mut().collect();
        thin_all(&mut all, 0);
        assert!(
            runs.iter().all(|run| run.len() == 1 && run.key(0) == 0u64.to_be_bytes()),
            "where each begins"
        );
    }
}
