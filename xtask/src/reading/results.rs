//! Results of the fake engine for both programs to read: a comparison, two shards, releases by name, a bisect and an upgrade.

use std::fs;
use std::path::Path;

use super::compared::said;

/// Both subjects of most results.
const SUBJECTS: &str =
    "a=fake@1.0+noise=5%+session_noise=0.3% b=fake@1.0+noise=5%+session_noise=0.3%+slowdown=3%";

/// A workload for the upgrade.
const SHOP: [(&str, &str); 3] = [
    ("workload.toml", "name = \"shop\"\n[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\n"),
    ("schema.sql", "CREATE TABLE products (id INTEGER, k INTEGER, name TEXT);\n"),
    ("browse.sql", "\\set id random(1, 1000)\nSELECT name FROM products WHERE id = :id;\n"),
];

/// Makes the folders `run`, `s1`, `s2`, `releases`, `search` and `up` by the whole program.
pub fn make(whole: &Path, folder: &Path) -> Result<(), String> {
    let shop = folder.join("shop");
    let cannot = |error: std::io::Error| format!("{}: {error}", shop.display());
    fs::create_dir_all(&shop).map_err(cannot)?;
    SHOP.iter().try_for_each(|(name, text)| fs::write(shop.join(name), text)).map_err(cannot)?;
    let scan = "--tests scan --scale tiny --sessions 6 --budget 60s --quiet";
    for line in [
        format!(
            "compare {SUBJECTS} --tests scan,hot-points --scale tiny --sessions 9 --budget 60s --out run"
        ),
        // Later intervals are made with what this one left in the host's history.
        format!("compare {SUBJECTS} {scan} --out s1 --shard 1/2"),
        format!("compare {SUBJECTS} {scan} --out s2 --shard 2/2"),
        format!("compare fake@1.0 fake@1.1 fake@2.0 {scan} --out releases"),
        "bisect fake@1.0 fake@2.1 --tests hot-points --scale tiny --out search --quiet".to_owned(),
        "upgrade fake@1.0 --to fake@1.1+work=20% --suite ./shop --out up --quiet".to_owned(),
    ] {
        let answer = said(whole, folder, &line)?;
        // A regression is a result.
        if !matches!(answer.code, Some(0 | 1)) {
            return Err(format!("humdrum {line}\n{}", String::from_utf8_lossy(&answer.stderr)));
        }
    }
    Ok(())
}
