//! Gives the crate a checksum of its own and the model's sources, so that a judgement that is kept is used only by the rules that
//! made it, without a number that somebody has to remember to change.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let mut hash = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hash);
    // Alone, as a package, it has the model of its own version.
    for sources in ["src", "../model/src"].map(Path::new).into_iter().filter(|folder| folder.exists()) {
        println!("cargo::rerun-if-changed={}", sources.display());
        let mut files = Vec::new();
        list(sources, &mut files)?;
        files.sort();
        for file in files {
            file.strip_prefix(sources).unwrap_or(&file).hash(&mut hash);
            std::fs::read(&file)?.hash(&mut hash);
        }
    }
    println!("cargo::rustc-env=HUMDRUM_RULES={:016x}", hash.finish());
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
