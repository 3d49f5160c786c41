//! The table of engines. A new engine is one folder beside this one, and one line here.

use humdrum_contract::Engine;

/// All engines, alphabetical.
pub fn table() -> Vec<Box<dyn Engine>> {
    vec![Box::new(humdrum_engine_fake::Fake), Box::new(humdrum_engine_postgres::Postgres)]
}
