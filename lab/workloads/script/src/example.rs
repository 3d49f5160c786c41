//! The example that `humdrum suite new` writes.

/// Its files by name, with `NAME` in place of the workload's name.
const FILES: [(&str, &str); 7] = [
    ("workload.toml", include_str!("../example/workload.toml")),
    ("schema.sql", include_str!("../example/schema.sql")),
    ("load.sql", include_str!("../example/load.sql")),
    ("browse.sql", include_str!("../example/browse.sql")),
    ("best-sellers.sql", include_str!("../example/best-sellers.sql")),
    ("checkout.sql", include_str!("../example/checkout.sql")),
    ("totals.sql", include_str!("../example/totals.sql")),
];

/// The files of an example of this name.
pub fn example(name: &str) -> Vec<(&'static str, String)> {
    FILES.iter().map(|(file, text)| (*file, text.replace("NAME", name))).collect()
}
