//! Rayon's parallel unstable sort, on all threads of its pool (`RAYON_NUM_THREADS`).

use rayon::slice::ParallelSliceMut;

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "rayon_unstable",
    about: "rayon par_sort_unstable",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| rows.par_sort_unstable()),
};
