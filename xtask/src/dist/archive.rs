//! Archives whose bytes depend on their entries alone.

use std::io::Write;

/// A file of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where, without a leading `/`.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: u32,
}

impl Entry {
    /// A file that all may read.
    pub fn file(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes, mode: 0o644 }
    }

    /// A file that all may run.
    pub fn program(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes, mode: 0o755 }
    }
}

/// A tar with these entries in the order of their paths, each after its folders; packed by xz.
pub fn tar_xz(mut entries: Vec<Entry>, epoch: u64) -> Result<Vec<u8>, String> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut tar = tar::Builder::new(Vec::new());
    let mut made = std::collections::BTreeSet::new();
    for entry in &entries {
        for (slash, _) in entry.path.match_indices('/') {
            let folder = &entry.path[..=slash];
            if folder != "./" && made.insert(folder.to_owned()) {
                add(&mut tar, folder, &[], 0o755, tar::EntryType::Directory, epoch)?;
            }
        }
        add(&mut tar, &entry.path, &entry.bytes, entry.mode, tar::EntryType::Regular, epoch)?;
    }
    let tar = tar.into_inner().map_err(|error| error.to_string())?;
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(6))
        .map_err(|error| error.to_string())?;
    xz.write_all(&tar).and_then(|()| xz.finish()).map_err(|error| error.to_string())
}

fn add(
    tar: &mut tar::Builder<Vec<u8>>,
    path: &str,
    bytes: &[u8],
    mode: u32,
    kind: tar::EntryType,
    epoch: u64,
) -> Result<(), String> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_mtime(epoch);
    header.set_uid(0);
    header.set_gid(0);
    tar.append_data(&mut header, path, bytes).map_err(|error| format!("{path}: {error}"))
}

/// An archive in the format of ar, which a Debian package is.
pub fn ar(members: &[(&str, &[u8])], epoch: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        out.extend(
            format!("{name:<16}{epoch:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, "100644", bytes.len()).bytes(),
        );
        out.extend(*bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

/// Packed by gzip, without a time or a name.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut gz = flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::best());
    gz.write_all(bytes).and_then(|()| gz.finish()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_entries_does_not_matter_and_folders_come_first() {
        let entry = |path: &str| Entry::file(path, path.as_bytes().to_vec());
        let forth = tar_xz(vec![entry("a/b/c"), entry("a/d")], 1000).unwrap();
        assert_eq!(forth, tar_xz(vec![entry("a/d"), entry("a/b/c")], 1000).unwrap());
        let tar = lzma_rust2::XzReader::new(forth.as_slice(), false);
        let mut tar = tar::Archive::new(tar);
        let seen: Vec<_> = tar
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                (entry.path().unwrap().display().to_string(), entry.header().mtime().unwrap())
            })
            .collect();
        let expected = ["a/", "a/b/", "a/b/c", "a/d"].map(|path| (path.to_owned(), 1000));
        assert_eq!(seen, expected);
    }

    #[test]
    fn members_of_ar_begin_at_even_places() {
        let ar = ar(&[("one", b"x"), ("two", b"yy")], 7);
        assert_eq!(ar.len(), 8 + 60 + 2 + 60 + 2);
        assert_eq!(&ar[8..30], b"one             7     ");
        assert_eq!(&ar[66..70], b"`\nx\n");
    }
}
