//! Memory that several threads fill: one range of addresses, of which each batch takes as much as it needs, so that the sort
//! has one text however many partitions wrote it.
//!
//! ```text
//!   region   | batch | batch | batch | ...................... |   address space; what is not taken takes no memory
//!              ^ partition 0   ^ partition 1
//! ```

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::space::{Space, Use};

/// Values that were written once, in stretches. Without any it has no memory.
pub(crate) struct Region<T: Copy> {
    of: Use,
    space: OnceLock<Space>,
    /// Of all stretches.
    taken: AtomicUsize,
    /// Of those that are full and gone.
    written: AtomicUsize,
    /// The most that was taken so far.
    used: usize,
    values: PhantomData<T>,
}

impl<T: Copy> Region<T> {
    /// As large as the machine's memory may be of use for it.
    pub(crate) fn new(of: Use) -> Self {
        // A page begins where any value may.
        const { assert!(align_of::<T>() <= 4096) }
        let (space, values) = (OnceLock::new(), PhantomData);
        Region { of, space, taken: AtomicUsize::new(0), written: AtomicUsize::new(0), used: 0, values }
    }

    /// Where it begins, and how many values it has room for.
    fn memory(&self) -> (NonNull<MaybeUninit<T>>, usize) {
        let (start, bytes) = self.space.get_or_init(|| Space::new(self.of)).memory();
        (start.cast(), bytes / size_of::<T>())
    }

    /// The next `count` values, to be written; none, if there is no room for them.
    pub(crate) fn take(&self, count: usize) -> Option<Stretch<'_, T>> {
        let (start, capacity) = self.memory();
        let more = |taken: usize| taken.checked_add(count).filter(|&end| end <= capacity);
        let from = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        // SAFETY: within the space, and no other stretch has it: `taken` has moved on.
        let memory = unsafe { std::slice::from_raw_parts_mut(start.as_ptr().add(from), count) };
        Some(Stretch { region: self, from, memory, filled: 0 })
    }

    /// How many more there is room for.
    pub(crate) fn room(&self) -> usize {
        self.memory().1 - self.len()
    }

    /// How many have been taken.
    pub(crate) fn len(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// All values.
    ///
    /// # Panics
    /// If a stretch was left half full.
    pub(crate) fn values(&mut self) -> &mut [T] {
        let taken = *self.taken.get_mut();
        assert_eq!(taken, *self.written.get_mut(), "a stretch of a region was left half full");
        if taken == 0 {
            return &mut [];
        }
        let (start, _) = self.memory();
        // SAFETY: stretches borrow the region, so that all are gone; they were full, so that every value was written.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr().cast(), taken) }
    }

    /// Forgets all values, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.used = self.used.max(*self.taken.get_mut());
        (*self.taken.get_mut(), *self.written.get_mut()) = (0, 0);
    }
}

impl<T: Copy> Drop for Region<T> {
    fn drop(&mut self) {
        self.clear();
        if let Some(space) = self.space.take() {
            space.leave(self.used * size_of::<T>());
        }
    }
}

/// A part of a region that one thread fills.
pub(crate) struct Stretch<'r, T: Copy> {
    region: &'r Region<T>,
    from: usize,
    memory: &'r mut [MaybeUninit<T>],
    filled: usize,
}

impl<T: Copy> Stretch<'_, T> {
    /// Where it begins in the region.
    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// One more.
    ///
    /// # Panics
    /// If it is full.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        self.memory[self.filled].write(value);
        self.filled += 1;
    }

    /// More, of which the same is true.
    #[inline(always)]
    pub(crate) fn push_all(&mut self, values: &[T]) {
        self.memory[self.filled..][..values.len()].write_copy_of_slice(values);
        self.filled += values.len();
    }

    /// More, each after a change, of which the same is true.
    #[inline(always)]
    pub(crate) fn push_each(&mut self, values: &[T], change: impl Fn(T) -> T) {
        let room = &mut self.memory[self.filled..][..values.len()];
        room.iter_mut().zip(values).for_each(|(room, &value)| _ = room.write(change(value)));
        self.filled += values.len();
    }

    /// How many have been written.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.filled
    }

    /// What has been written.
    pub(crate) fn filled(&mut self) -> &mut [T] {
        // SAFETY: so many values have been written.
        unsafe { self.memory[..self.filled].assume_init_mut() }
    }
}

impl<T: Copy> Drop for Stretch<'_, T> {
    fn drop(&mut self) {
        if self.filled == self.memory.len() {
            self.region.written.fetch_add(self.filled, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_fill_one_range() {
        let mut region = Region::new(Use::Text);
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let region = &region;
                scope.spawn(move || {
                    for count in 0..20 {
                        let mut stretch = region.take(count).expect("room");
                        (0..count).for_each(|_| stretch.push(thread));
                        assert!(stretch.filled().iter().all(|&value| value == thread));
                    }
                });
            }
        });
        let values = region.values();
        assert_eq!(values.len(), 4 * 190);
        assert_eq!(values.iter().map(|&value| u32::from(value)).sum::<u32>(), 190 * (1 + 2 + 3));
        let room = region.room();
        assert!(region.take(usize::MAX).is_none() && region.take(room + 1).is_none());
        region.clear();
        assert_eq!(region.room(), room + 4 * 190);
    }

    #[test]
    #[should_panic(expected = "left half full")]
    fn what_was_not_written_is_not_read() {
        let mut region = Region::<u8>::new(Use::Text);
        region.take(3).expect("room").push_all(b"ab");
        region.values();
    }
}
