//! A connection's keys, and the loop that is timed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use humdrum_contract::{SortBatch, SortDone, SortMade};
use skipsort_rivals::Rival;
use skipsort_testkit::{Keys, patterns};

/// Draws of one set.
#[derive(Default)]
pub(crate) struct Draws(Vec<Keys>);

/// Why a batch did not end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// What cannot be done with these keys.
    Refused(String),
    /// What is not in order.
    Wrong(String),
}

impl Draws {
    /// Makes `draws` times `rows` keys of a set.
    ///
    /// # Errors
    /// A set that there is not.
    pub(crate) fn make(set: &str, rows: u64, draws: u64, seed: u64) -> Result<Self, Trouble> {
        let pattern = patterns::all().find(|pattern| pattern.name == set);
        let pattern = pattern.ok_or_else(|| Trouble::Refused(format!("there is no set `{set}`")))?;
        let keys = |draw| pattern.keys(rows as usize, seed.wrapping_add(draw));
        Ok(Self((0..draws.max(1)).map(keys).collect()))
    }

    /// What they are.
    pub(crate) fn facts(&self) -> SortMade {
        let mut hash = DefaultHasher::new();
        let mut made = SortMade::default();
        for key in self.0.iter().flat_map(Keys::iter) {
            made.rows += 1;
            made.bytes += key.len() as u64;
            key.hash(&mut hash);
        }
        made.checksum = hash.finish();
        made
    }

    /// Sorts as often as the batch says. Returns what was done, and the time of each sort in nanoseconds.
    ///
    /// # Errors
    /// A sort that does not take these keys; with `checked` also keys that are not in order afterwards.
    pub(crate) fn run(&self, rival: &Rival, batch: &SortBatch) -> Result<(SortDone, Vec<u64>), Trouble> {
        let mut done = SortDone::default();
        let mut latencies = Vec::with_capacity(batch.count as usize);
        let mut seed = batch.first_seed;
        for _ in 0..batch.count {
            let keys = self.draw(seed)?;
            let rows = keys.slices();
            let job = (rival.prepare)(&rows);
            let mut job =
                job.ok_or_else(|| Trouble::Refused(format!("{} does not sort such keys", rival.name)))?;
            let began = Instant::now();
            job.run();
            let ns = began.elapsed().as_nanos() as u64;
            latencies.push(ns);
            done.wall_ns += ns;
            done.rows += rows.len() as u64;
            if batch.checked {
                let sum = checked(&rows, &job.answer()).map_err(Trouble::Wrong)?;
                done.checksum = done.checksum.wrapping_add(sum);
            }
            seed = seed.wrapping_add(batch.seed_step);
        }
        Ok((done, latencies))
    }

    fn draw(&self, seed: u64) -> Result<&Keys, Trouble> {
        // Seeds are far apart, but their low bits need not be.
        let mut hash = DefaultHasher::new();
        seed.hash(&mut hash);
        let number = hash.finish() % (self.0.len() as u64).max(1);
        self.0.get(number as usize).ok_or_else(|| Trouble::Refused("no keys were made yet".to_owned()))
    }
}

/// The hash of the keys in order.
///
/// # Errors
/// They are not in order, or not those that were given.
fn checked(given: &[&[u8]], answer: &[&[u8]]) -> Result<u64, String> {
    let mut expected = given.to_vec();
    expected.sort_unstable();
    if answer.len() != expected.len() {
        return Err(format!("{} keys were given, and {} came back", expected.len(), answer.len()));
    }
    if let Some(at) = expected.iter().zip(answer).position(|(one, other)| one != other) {
        return Err(format!("key {at} of {} is not the one that belongs there", expected.len()));
    }
    let mut hash = DefaultHasher::new();
    answer.hash(&mut hash);
    Ok(hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: SortBatch = SortBatch { first_seed: 1, seed_step: 7, count: 5, checked: true };

    fn rival(name: &str) -> &'static Rival {
        skipsort_rivals::find(name).expect("there is such a sort")
    }

    #[test]
    fn all_sorts_give_the_same_answers_for_the_same_seeds() {
        let draws = Draws::make("url", 500, 3, 1).unwrap_or_default();
        let of = |name: &str| draws.run(rival(name), &BATCH).expect("sorted").0;
        let (ours, theirs) = (of("skipsort"), of("std_unstable"));
        assert_eq!((ours.rows, ours.checksum), (2_500, theirs.checksum));
        assert_ne!(ours.checksum, 0);
        let other = SortBatch { first_seed: 2, ..BATCH };
        let others = draws.run(rival("skipsort"), &other).expect("sorted").0;
        assert_ne!(others.checksum, ours.checksum, "seeds choose among the draws");
    }

    #[test]
    fn every_set_is_sorted_and_checked() {
        for pattern in patterns::all() {
            let draws = Draws::make(pattern.name, 60, 2, 1).unwrap_or_default();
            let of = |name: &str| draws.run(rival(name), &BATCH).expect("sorted").0.checksum;
            assert_eq!(of("skipsort"), of("std_stable"), "{}", pattern.name);
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_keys_and_another_one_others() {
        let made = |seed| Draws::make("uuid", 100, 2, seed).unwrap_or_default().facts();
        assert_eq!(made(1), made(1));
        assert_eq!((made(1).rows, made(1).bytes), (200, 7_200));
        assert_ne!(made(1).checksum, made(3).checksum);
    }

    #[test]
    fn what_is_out_of_order_or_lost_is_told() {
        let given: [&[u8]; 3] = [b"c", b"a", b"b"];
        assert!(checked(&given, &[b"a", b"b", b"c"]).is_ok());
        assert!(checked(&given, &given).expect_err("unsorted").contains("key 0"));
        assert!(checked(&given, &given[..2]).expect_err("lost").contains("came back"));
        assert!(matches!(Draws::make("no-such", 1, 1, 1).map(|_| ()), Err(Trouble::Refused(_))));
        assert!(matches!(Draws::default().run(rival("skipsort"), &BATCH), Err(Trouble::Refused(_))));
    }
}
