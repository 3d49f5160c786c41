//! A Debian package, made here rather than by Debian's tools, so that any host can make it and it has the same bytes each time.

use humdrum_provision::checksum::sha256_of_bytes;

use super::Release;
use super::archive::{Entry, ar, gzip, tar_xz};

/// Its file's name, and the package.
pub fn package(
    release: &Release,
    target: &str,
    program: &[u8],
    manual: &[Entry],
) -> Result<(String, Vec<u8>), String> {
    let architecture = if target.starts_with("aarch64") { "arm64" } else { "amd64" };
    // Two packages of one architecture: which one is static is in the version, where Debian has such marks.
    let version = if target.ends_with("musl") {
        format!("{}+static", release.version)
    } else {
        release.version.clone()
    };
    let data = data(release, program, manual)?;
    let control = control(&version, architecture, program, &data);
    let sums: String = data
        .iter()
        .map(|entry| format!("{}  {}\n", sha256_of_bytes(&entry.bytes), entry.path.trim_start_matches("./")))
        .collect();
    let control =
        vec![Entry::file("./control", control.into_bytes()), Entry::file("./sha256sums", sums.into_bytes())];
    let (control, data) = (tar_xz(control, release.epoch)?, tar_xz(data, release.epoch)?);
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.xz", &control), ("data.tar.xz", &data)];
    Ok((format!("humdrum_{version}_{architecture}.deb"), ar(&members, release.epoch)))
}

/// The files, where Debian has them.
fn data(release: &Release, program: &[u8], manual: &[Entry]) -> Result<Vec<Entry>, String> {
    let mut entries = vec![Entry::program("./usr/bin/humdrum", program.to_vec())];
    for entry in manual {
        entries.push(if entry.path.starts_with("man/") {
            Entry::file(&format!("./usr/share/{}.gz", entry.path), gzip(&entry.bytes)?)
        } else {
            Entry::file(&format!("./usr/share/{}", entry.path), entry.bytes.clone())
        });
    }
    let read =
        |name: &str| std::fs::read(release.root.join(name)).map_err(|error| format!("{name}: {error}"));
    let mut licence = b"humdrum is licensed under MIT or Apache-2.0, at your choice. On Debian systems the text of the latter\n\
        is in /usr/share/common-licenses/Apache-2.0. The former:\n\n"
        .to_vec();
    licence.extend(read("LICENSE-MIT")?);
    entries.push(Entry::file("./usr/share/doc/humdrum/copyright", licence));
    entries.push(Entry::file("./usr/share/doc/humdrum/changelog.gz", gzip(&read("CHANGELOG.md")?)?));
    Ok(entries)
}

fn control(version: &str, architecture: &str, program: &[u8], data: &[Entry]) -> String {
    let kilobytes: usize = data.iter().map(|entry| entry.bytes.len().div_ceil(1024)).sum();
    let needs = glibc(program).map_or_else(String::new, |(major, minor)| {
        format!("Depends: libc6 (>= {major}.{minor}), libgcc-s1\n")
    });
    format!(
        "Package: humdrum\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: humdrum's authors <humdrum@localhost>\n\
         Installed-Size: {kilobytes}\n{needs}Recommends: ca-certificates\nSuggests: gdb, linux-perf, openssh-client\n\
         Section: database\nPriority: optional\n\
         Description: finds performance regressions in databases\n \
         Runs small benchmarks on two or more releases of a database side by side on one\n \
         host, and tells with intervals which tests became slower or faster.\n"
    )
}

/// The newest version of glibc whose symbols a program names; `None` for a static one.
fn glibc(program: &[u8]) -> Option<(u32, u32)> {
    let mark = b"GLIBC_";
    let found = program.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark);
    let versions = found.filter_map(|(at, _)| {
        let rest = &program[at + mark.len()..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(&rest[..end]).ok()?;
        let mut parts = text.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_needed() {
        assert_eq!(glibc(b"..GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE\0"), Some((2, 34)));
        assert_eq!(glibc(b"static"), None);
    }
}
