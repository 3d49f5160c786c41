//! The first distribution on several threads: each scatters its stretch of the rows into all buckets.
//!
//! ```text
//!   stretches   |  thread 0  |  thread 1  |
//!   counts        a:2 b:3      a:1 b:4           each thread counts its own
//!   buckets     | a0 a0 a1 | b0 b0 b0 b1 b1 b1 b1 |     stretch by stretch: stable
//! ```

use alloc::vec::Vec;

use crate::crew::Crew;
use crate::entry::Entry;
use crate::radix::{Digit, MOST_BITS};

type Counts = Vec<usize>;

/// Distributes `rows` over `into`; returns where each bucket ends.
pub(crate) fn distribute<H: Copy + Send + Sync>(
    rows: &[Entry<H>],
    into: &mut [Entry<H>],
    digit: &Digit,
    crew: &mut Crew<'_>,
) -> Vec<usize> {
    assert!(rows.len() == into.len() && digit.buckets() <= 1 << MOST_BITS);
    let stretches: Vec<&[Entry<H>]> = rows.chunks(rows.len().div_ceil(crew.threads()).max(1)).collect();
    let mut counts: Vec<Counts> = crew.each(stretches.clone(), |stretch| count(stretch, digit));
    let ends = to_starts(&mut counts, digit.buckets());
    debug_assert_eq!(ends.last(), Some(&rows.len()));
    let into = Target(into.as_mut_ptr());
    let jobs = stretches.into_iter().zip(counts).collect();
    // SAFETY:
    // 1. `starts` are exclusive prefix sums, over buckets and then stretches, of the counts of these very
    //    stretches by this very digit: the places that one stretch writes for one bucket are its own,
    //    and all of them lie below the sum of all counts, which is `rows.len() == into.len()`.
    // 2. The rows are shared, so nothing changes a bucket between counting and scattering.
    // 3. `into` is borrowed mutably for longer than this call, and nobody else uses it meanwhile.
    crew.each(jobs, |(stretch, starts)| unsafe { scatter(stretch, into, digit, starts) });
    ends
}

fn count<H>(rows: &[Entry<H>], digit: &Digit) -> Counts {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if crate::bits::fast_extract() {
        // SAFETY: `fast_extract` says that the processor has BMI2.
        return unsafe { count_by_extract(rows, digit) };
    }
    count_by(rows, |cache| digit.of(cache))
}

/// The same with the digit taken by one instruction.
///
/// # Safety
/// The processor has BMI2.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "bmi2")]
unsafe fn count_by_extract<H>(rows: &[Entry<H>], digit: &Digit) -> Counts {
    let mask = digit.mask;
    count_by(
        rows,
        #[inline(always)]
        |cache| crate::bits::extract(cache, mask) as usize,
    )
}

/// Rows per bucket, by any function that gives the digit.
#[inline(always)]
fn count_by<H>(rows: &[Entry<H>], bucket: impl Fn(u64) -> usize) -> Counts {
    let mut counts = alloc::vec![0usize; 1 << MOST_BITS];
    let slots: &mut [usize; 1 << MOST_BITS] = counts.as_mut_slice().try_into().expect("as long as made");
    for row in rows {
        slots[bucket(row.cache) & ((1 << MOST_BITS) - 1)] += 1;
    }
    counts
}

/// Counts become the places where each stretch's share of a bucket starts; returns the buckets' ends.
fn to_starts(counts: &mut [Counts], buckets: usize) -> Vec<usize> {
    let mut start = 0;
    let bucket_end = |bucket: usize| {
        for stretch in counts.iter_mut() {
            let rows = core::mem::replace(&mut stretch[bucket], start);
            start += rows;
        }
        start
    };
    (0..buckets).map(bucket_end).collect()
}

/// The buffer that all threads write to.
struct Target<H>(*mut Entry<H>);

impl<H> Clone for Target<H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H> Copy for Target<H> {}
// SAFETY: the pointer comes from a `&mut [Entry<H>]` whose places are each written by one thread.
unsafe impl<H: Send> Sync for Target<H> {}

/// # Safety
/// For each row in turn, the place that `starts` has for its bucket, counted up by one for each row of
/// the bucket before it, must be within the target and nobody else's.
unsafe fn scatter<H: Copy>(rows: &[Entry<H>], into: Target<H>, digit: &Digit, starts: Counts) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if crate::bits::fast_extract() {
        // SAFETY: `fast_extract` says that the processor has BMI2; the rest is the caller's word.
        return unsafe { scatter_by_extract(rows, into, digit, starts) };
    }
    // SAFETY: the caller's word.
    unsafe { scatter_by(rows, into, starts, |cache| digit.of(cache)) }
}

/// The same with the digit taken by one instruction.
///
/// # Safety
/// The processor has BMI2, and what `scatter` asks for.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "bmi2")]
unsafe fn scatter_by_extract<H: Copy>(rows: &[Entry<H>], into: Target<H>, digit: &Digit, starts: Counts) {
    let mask = digit.mask;
    // SAFETY: the caller's word.
    unsafe {
        scatter_by(
            rows,
            into,
            starts,
            #[inline(always)]
            |cache| crate::bits::extract(cache, mask) as usize,
        );
    }
}

/// The same by any function that gives the digit.
///
/// # Safety
/// As `scatter`.
#[inline(always)]
unsafe fn scatter_by<H: Copy>(
    rows: &[Entry<H>],
    into: Target<H>,
    mut starts: Counts,
    bucket: impl Fn(u64) -> usize,
) {
    let slots: &mut [usize; 1 << MOST_BITS] = starts.as_mut_slice().try_into().expect("as long as made");
    for row in rows {
        let at = &mut slots[bucket(row.cache) & ((1 << MOST_BITS) - 1)];
        // SAFETY: the caller's word.
        unsafe { into.0.add(*at).write(*row) };
        *at += 1;
    }
}
