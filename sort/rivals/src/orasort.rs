//! The `orasort` crate: another implementation of common prefix skipping, byte by byte.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "orasort",
    about: "the orasort crate, in place",
    partial: false,
    prepare: |rows| InPlace::job(rows, orasort::orasort_mut),
};
