//! Competing sorts, one small file each, and a table.
//!
//! A rival turns keys into a [`Job`]: what it needs beforehand (an Arrow array, say) is made in
//! [`Rival::prepare`] and not timed, [`Job::run`] is timed, [`Job::answer`] is checked.
//!
//! To add one: a file with a `prepare` function and a line in [`RIVALS`].

mod alphasort;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "boost")]
mod boost_spreadsort;
mod msd_cached_oracle;
mod multikey_cached;
mod orasort;
mod owned;
mod rayon_unstable;
mod rdst;
mod skipsort;
mod std_stable;
mod std_unstable;
#[cfg(feature = "tlx")]
mod tlx;

/// A sort that can be measured.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// What it is called on a command line and in records.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// True if the answer is the first rows only.
    pub partial: bool,
    /// Makes a job of the keys, or `None` where the sort does not apply.
    pub prepare: for<'k> fn(&[&'k [u8]]) -> Option<BoxedJob<'k>>,
}

/// A job on keys that live for `'k`.
pub type BoxedJob<'k> = Box<dyn Job<'k> + 'k>;

/// Keys ready to be sorted once.
pub trait Job<'k> {
    /// Sorts; this is what is timed.
    fn run(&mut self);
    /// The keys in the order they are now in.
    fn answer(&self) -> Vec<&'k [u8]>;
}

/// Our own first, then by name.
pub const RIVALS: &[Rival] = &[
    skipsort::SORT,
    skipsort::SCRATCH,
    skipsort::UNSTABLE,
    skipsort::ONE_BUFFER,
    skipsort::INDICES,
    owned::SKIPSORT,
    owned::SKIPSORT_RECORDS,
    skipsort::PARALLEL,
    skipsort::FIRST_PERCENT,
    skipsort::TOP_10,
    #[cfg(feature = "arrow")]
    skipsort::ARROW,
    alphasort::RIVAL,
    #[cfg(feature = "arrow")]
    arrow::RIVAL,
    #[cfg(feature = "boost")]
    boost_spreadsort::RIVAL,
    msd_cached_oracle::RIVAL,
    multikey_cached::RIVAL,
    orasort::RIVAL,
    rayon_unstable::RIVAL,
    rdst::RIVAL,
    std_stable::RIVAL,
    std_unstable::RIVAL,
    std_unstable::AGAIN,
    std_unstable::HEAP_10,
    owned::STD,
    owned::STD_RECORDS,
    #[cfg(feature = "tlx")]
    tlx::RIVAL,
];

/// The rival called `name`.
pub fn find(name: &str) -> Option<&'static Rival> {
    RIVALS.iter().find(|rival| rival.name == name)
}

/// A job that sorts a slice of slices in place.
pub(crate) struct InPlace<'k> {
    pub(crate) rows: Vec<&'k [u8]>,
    pub(crate) sort: fn(&mut [&'k [u8]]),
}

impl<'k> InPlace<'k> {
    pub(crate) fn job(rows: &[&'k [u8]], sort: fn(&mut [&'k [u8]])) -> Option<Box<dyn Job<'k> + 'k>> {
        Some(Box::new(InPlace { rows: rows.to_vec(), sort }))
    }
}

impl<'k> Job<'k> for InPlace<'k> {
    fn run(&mut self) {
        (self.sort)(&mut self.rows);
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        self.rows.clone()
    }
}

/// A job that leaves the rows where they are and gives an order of their numbers.
pub(crate) struct ToOrder<'k, F> {
    pub(crate) rows: Vec<&'k [u8]>,
    pub(crate) order: Vec<u32>,
    pub(crate) sort: F,
}

impl<'k, F: FnMut(&[&'k [u8]]) -> Vec<u32>> Job<'k> for ToOrder<'k, F> {
    fn run(&mut self) {
        self.order = (self.sort)(&self.rows);
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        self.order.iter().map(|&row| self.rows[row as usize]).collect()
    }
}
