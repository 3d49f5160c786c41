//! How a recipe builds, without building.

use std::path::Path;

use humdrum_provision::building::Step;

use crate::source::{Compiler, Flags, Order, Recipe};

/// The commands of a recipe, as a shell would take them, for a build in `/builds/it` that is staged in `/staged`.
pub fn commands(recipe: &Recipe, release: &str, flags: &Flags, launcher: &str) -> Vec<String> {
    let compiler = Compiler { cc: flags.cc.clone(), version: String::new() };
    let (prefix, staged) = (Path::new("/builds/it"), Path::new("/staged"));
    let order = Order { release, flags, compiler: &compiler, launcher, prefix, staged };
    (recipe.steps)(&order).iter().map(Step::shown).collect()
}
