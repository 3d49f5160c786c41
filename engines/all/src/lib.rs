//! The table of engines. A new engine is one folder beside this one, its line in this crate's `Cargo.toml`, and one
//! line here.

use humdrum_contract::Engine;

/// All engines, alphabetical.
pub fn table() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(humdrum_engine_datafusion::Datafusion),
        Box::new(humdrum_engine_duckdb::Duckdb::default()),
        Box::new(humdrum_engine_fake::Fake),
        Box::new(humdrum_engine_fake::FakeKv),
        Box::new(humdrum_engine_mariadb::ENGINE),
        Box::new(humdrum_engine_mysql::ENGINE),
        Box::new(humdrum_engine_postgres::ENGINE),
        Box::new(humdrum_engine_rocksdb::Rocksdb::default()),
        Box::new(humdrum_engine_sorts::Sorts),
    ]
}

/// Plays the worker of an engine that is a library, if this process was started as one; to be called by a program
/// before anything else. `None`: it was not, go on.
pub fn play_worker() -> Option<std::process::ExitCode> {
    let library = humdrum_engine_duckdb::play_worker().or_else(humdrum_engine_rocksdb::play_worker);
    library.or_else(humdrum_engine_sorts::play_worker)
}
