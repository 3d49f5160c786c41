//! The standard library's stable `sort`: driftsort.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "std_stable",
    about: "slice::sort",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| rows.sort()),
};
