//! A suite on a server of a few lines: pinned packages, a suite that has moved on, libraries that have.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use humdrum_contract::Interrupt;
use lzma_rust2::{XzOptions, XzWriter};

use super::*;

/// Files by their path; shared, so that a test can change them.
type Files = Arc<Mutex<HashMap<String, Vec<u8>>>>;

fn serve(files: &Files) -> Mirror {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let mirror = Mirror::new(&format!("http://{}/debian", listener.local_addr().expect("address")), None);
    let files = Arc::clone(files);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().expect("clone"));
            reader.read_line(&mut line).expect("request");
            reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
            let found = files.lock().expect("files").get(&path).cloned();
            let (status, body) = found.map_or((404, Vec::new()), |body| (200, body));
            let head =
                format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    mirror
}

/// A package of (path, content), all of them programs.
fn deb(contents: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, content) in contents {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o755);
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, path, content.as_bytes()).expect("append");
    }
    let data = tar.into_inner().expect("tar");
    let head = format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "data.tar", 0, 0, 0, 644, data.len());
    [b"!<arch>\n", head.as_bytes(), &data].concat()
}

/// What a suite serves: (package, version, what it needs, file).
fn publish(files: &Files, packages: &[(&str, &str, &str, Vec<u8>)]) -> Vec<Package> {
    let mut files = files.lock().expect("files");
    files.clear();
    let (mut index, mut listed) = (String::new(), Vec::new());
    for (name, version, needs, file) in packages {
        let (path, sha256) = (format!("pool/{name}_{version}.deb"), checksum::sha256_of_bytes(file));
        index.push_str(&format!(
            "Package: {name}\nVersion: {version}\nDepends: {needs}\nFilename: {path}\nSHA256: {sha256}\n\n"
        ));
        files.insert(format!("/debian/{path}"), file.clone());
        listed.push(Package { path, sha256 });
    }
    let mut xz = XzWriter::new(Vec::new(), XzOptions::default()).expect("xz");
    xz.write_all(index.as_bytes()).expect("compress");
    let xz = xz.finish().expect("xz");
    let release = format!(" {} 1 main/binary-amd64/Packages.xz\n", checksum::sha256_of_bytes(&xz));
    files.insert("/debian/dists/sid/InRelease".into(), release.into_bytes());
    files.insert("/debian/dists/sid/main/binary-amd64/Packages.xz".into(), xz);
    listed
}

/// The pretended loader starts nothing and succeeds; the pretended library tells its age.
fn packages(
    server: &'static str,
    library: &'static str,
) -> Vec<(&'static str, &'static str, &'static str, Vec<u8>)> {
    let loader = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
    let libc = deb(&[(loader, "#!/bin/sh\nexit 0\n"), ("usr/lib/x86_64-linux-gnu/libc.so.6", library)]);
    vec![
        ("libc6", library, "", libc),
        ("patchelf", "1-1", "libc6", deb(&[("usr/bin/patchelf", "it")])),
        (
            "serverd-core",
            server,
            "libc6, perl",
            deb(&[("./usr/sbin/serverd", server), ("usr/share/doc/x", "")]),
        ),
    ]
}

struct Rig {
    folder: tempfile::TempDir,
    files: Files,
    mirror: Mirror,
    pinned: Vec<Package>,
}

impl Rig {
    /// A suite with 9.7.4, pinned as it is.
    fn new() -> Self {
        let files = Files::default();
        let (folder, mirror) = (tempfile::tempdir().expect("folder"), serve(&files));
        let pinned = publish(&files, &packages("9.7.4-1", "2.40-1"));
        Self { folder, files, mirror, pinned }
    }

    fn get(&self, version: &str, pinned: &[Package]) -> Outcome<Provided> {
        let cache = self.folder.path().to_path_buf();
        let dirs = Dirs {
            runs: cache.join("runs"),
            cache,
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        crate::dirs::make_folder(&crate::dirs::downloads(&dirs)).expect("downloads");
        crate::dirs::make_folder(&crate::dirs::builds(&dirs)).expect("builds");
        let bundle = Bundle {
            name: &format!("server {version}"),
            suites: &["sid"],
            package: "serverd-core",
            version,
            suffix: "-debian",
            pinned: pinned.to_vec(),
            keep: |path| path == Path::new("usr/sbin/serverd"),
            programs: &["usr/sbin/serverd"],
        };
        get_from(&self.mirror, &bundle, &self.build(), &dirs, &humdrum_contract::Silent)
    }

    fn build(&self) -> PathBuf {
        self.folder.path().join("builds/server")
    }

    fn library(&self) -> String {
        let path = self.build().join("usr/lib/x86_64-linux-gnu/libc.so.6");
        std::fs::read_to_string(path).expect("library")
    }
}

#[test]
fn what_is_pinned_and_served_is_taken_as_it_is() {
    let rig = Rig::new();
    let first = rig.get("9.7.4", &rig.pinned).expect("served");
    assert_eq!(first.checked_by, "SHA-256 of the catalogue");
    assert_eq!(rig.library(), "2.40-1");
    assert!(rig.build().join("usr/sbin/serverd").is_file() && !rig.build().join("usr/share").exists());
    rig.files.lock().expect("files").clear();
    assert_eq!(rig.get("9.7.4", &rig.pinned).expect("kept"), first, "what was fetched is kept");
}

#[test]
fn a_suite_that_has_moved_on_says_to_what() {
    let rig = Rig::new();
    publish(&rig.files, &packages("9.7.5-1", "2.40-1"));
    let fault = rig.get("9.7.4", &rig.pinned).expect_err("gone");
    assert_eq!(fault.what, "server 9.7.4 is not served any more: Debian sid has moved on to 9.7.5");
    assert_eq!((fault.exit_code(), fault.hint.as_deref()), (2, Some("type server@9.7.5-debian")));
    assert!(!rig.build().exists());
    let moved = rig.get("9.7.5", &[]).expect("by the suite's index");
    assert_eq!(moved.checked_by, "SHA-256 of the registry's index, not pinned");
    assert_eq!(rig.get("9.7.6", &[]).expect_err("not yet").exit_code(), 2);
}

#[test]
fn libraries_that_have_moved_on_are_taken_as_they_are_now() {
    let rig = Rig::new();
    publish(&rig.files, &packages("9.7.4-1", "2.41-1"));
    let provided = rig.get("9.7.4", &rig.pinned).expect("the server itself is there");
    assert!(provided.checked_by.contains("not pinned"), "{provided:?}");
    assert_eq!(rig.library(), "2.41-1");
}

#[test]
fn a_package_that_is_not_what_was_pinned_is_refused() {
    let rig = Rig::new();
    let wrong = rig.pinned.iter().map(|package| Package { sha256: "0".repeat(64), ..package.clone() });
    let fault = rig.get("9.7.4", &wrong.collect::<Vec<_>>()).expect_err("another");
    assert!(fault.what.contains("not what was expected"), "{fault}");
    let pinned_server = |package: &Package| package.path.contains("serverd");
    let wrong = rig.pinned.iter().filter(|package| pinned_server(package));
    let wrong: Vec<Package> =
        wrong.map(|package| Package { sha256: "0".repeat(64), ..package.clone() }).collect();
    publish(&rig.files, &packages("9.7.4-1", "2.41-1"));
    let gone = Package { path: "pool/libc6_2.40-1.deb".into(), sha256: "1".repeat(64) };
    let fault =
        rig.get("9.7.4", &[vec![gone], wrong].concat()).expect_err("pins hold among what has moved on");
    assert!(fault.what.contains("not what was expected"), "{fault}");
}

#[test]
fn an_index_that_is_not_what_its_suite_says_is_refused() {
    let rig = Rig::new();
    let index = "/debian/dists/sid/main/binary-amd64/Packages.xz";
    rig.files.lock().expect("files").insert(index.into(), b"else".to_vec());
    assert!(rig.get("9.7.5", &[]).is_err_and(|fault| fault.exit_code() == 2));
    rig.files.lock().expect("files").clear();
    let fault = rig.get("9.7.5", &[]).expect_err("no suite");
    assert!(fault.what.contains("has no InRelease of sid"), "{fault}");
}
