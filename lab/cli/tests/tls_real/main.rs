//! Encrypted connections to real servers: what each mode accepts and refuses, what a refusal says to type next, what the
//! record and the report say, and that no output of any kind has the password.

#[path = "../common/mod.rs"]
mod common;
mod host;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Humdrum, processes, text_of};
use host::{SECRET, mysql_family, postgres};
use humdrum_model::LinkKind;

#[test]
#[ignore = "slow: starts a server several times"]
fn modes_of_postgres() {
    let mut host = postgres();
    let (ca, stranger) = (host.certificates.path("ca.pem"), host.certificates.path("stranger.pem"));
    let address = host.address.clone();
    let url = |user: &str, options: &str| format!("postgres://{user}:{SECRET}@{address}/postgres?{options}");
    let full = format!("sslmode=verify-full&sslrootcert={ca}");

    host.accepted(&url("plain", ""), Some("not checked"));
    host.accepted(&url("plain", "sslmode=disable"), None);
    host.accepted(&url("plain", "sslmode=allow"), None);
    host.accepted(&url("plain", "sslmode=prefer"), Some("TLS 1.3"));
    host.accepted(&url("plain", "sslmode=require"), Some("not checked"));
    host.accepted(&url("plain", &format!("sslmode=verify-ca&sslrootcert={ca}")), Some("authority"));
    host.accepted(&url("plain", &full), Some("certificate and name checked"));
    host.accepted(&url("plain", &format!("{full}&channel_binding=require")), Some("name checked"));
    host.accepted(&url("plain", &format!("{full}&channel_binding=disable")), Some("name checked"));
    host.accepted(&url("only_tls", "sslmode=allow"), Some("TLS 1.3"));
    host.accepted(&url("clear", "sslmode=require"), Some("TLS 1.3"));

    host.refused(&url("only_tls", "sslmode=disable"), ("28000", ""));
    host.refused(
        &url("plain", "sslmode=disable&channel_binding=require"),
        ("channel_binding", "sslmode=require"),
    );
    host.refused(&url("clear", "sslmode=prefer"), ("unencrypted", "sslmode=verify-full"));
    let unknown = ("signed by no authority", "sslrootcert=/path/of/ca.pem");
    host.refused(&url("plain", &format!("sslmode=verify-ca&sslrootcert={stranger}")), unknown);
    host.refused(&url("plain", "sslmode=verify-full"), unknown);
    let wrong = format!("postgres://plain:not{SECRET}@{address}/postgres?{full}");
    host.refused(&wrong, ("28P01", ""));

    host.choose("other");
    host.refused(&url("plain", &full), ("is for db.example", "sslmode=verify-ca"));
    host.accepted(&url("plain", &format!("sslmode=verify-ca&sslrootcert={ca}")), Some("authority"));
    // A server's certificate may be trusted by itself.
    let itself = format!("sslmode=verify-ca&sslrootcert={}", host.certificates.path("other.pem"));
    host.accepted(&url("plain", &itself), Some("authority"));
    host.choose("old");
    host.refused(&url("plain", &full), ("out of date since", "renew it"));
    host.accepted(&url("plain", "sslmode=require"), Some("not checked"));

    host.server.stop().expect("stopped");
    let conf = host.rig.run.path().join("server/data/postgresql.conf");
    let text = fs::read_to_string(&conf).expect("read").replace("ssl = on", "ssl = off");
    fs::write(&conf, text).expect("written");
    host.server.start().expect("started");
    host.refused(&url("plain", "sslmode=require"), ("offers no encryption", "ssl = on"));
    host.accepted(&url("plain", "sslmode=prefer"), None);
    host.refused(&url("plain", "channel_binding=require"), ("channel_binding", "sslmode=require"));
}

fn modes_of(engine: &str, version: &str) {
    let mut host = mysql_family(engine, version);
    let (ca, stranger) = (host.certificates.path("ca.pem"), host.certificates.path("stranger.pem"));
    let address = host.address.clone();
    let url = |user: &str, options: &str| format!("{engine}://{user}:{SECRET}@{address}?{options}");
    let identity = format!("ssl-mode=VERIFY_IDENTITY&ssl-ca={ca}");

    if engine == "mysql" {
        // The server has no password in its cache yet.
        host.refused(&url("lab", "ssl-mode=DISABLED"), ("others may read", "?ssl-mode=REQUIRED"));
    }
    host.accepted(&url("lab", ""), Some("not checked"));
    host.accepted(&url("lab", "ssl-mode=DISABLED"), None);
    host.accepted(&url("lab", "ssl-mode=PREFERRED"), Some("TLS 1."));
    host.accepted(&url("lab", "ssl-mode=REQUIRED"), Some("not checked"));
    host.accepted(&url("lab", &format!("ssl-mode=VERIFY_CA&ssl-ca={ca}")), Some("authority"));
    host.accepted(&url("lab", &identity), Some("certificate and name checked"));
    let by_name = url("lab", &identity).replace("127.0.0.1", "localhost");
    host.accepted(&by_name, Some("certificate and name checked"));
    host.accepted(&url("only_tls", "ssl-mode=REQUIRED"), Some("TLS 1."));

    host.refused(&url("only_tls", "ssl-mode=DISABLED"), ("Access denied", ""));
    let unknown = ("signed by no authority", "ssl-ca=/path/of/ca.pem");
    host.refused(&url("lab", &format!("ssl-mode=VERIFY_CA&ssl-ca={stranger}")), unknown);
    host.refused(&url("lab", "ssl-mode=VERIFY_IDENTITY"), unknown);
    host.refused(&format!("{engine}://lab:not{SECRET}@{address}?{identity}"), ("Access denied", ""));

    host.choose("other");
    host.refused(&url("lab", &identity), ("is for db.example", "ssl-mode=VERIFY_CA"));
    host.accepted(&url("lab", &format!("ssl-mode=VERIFY_CA&ssl-ca={ca}")), Some("authority"));
    host.choose("old");
    host.refused(&url("lab", &identity), ("out of date since", "renew it"));
}

#[test]
#[ignore = "slow: starts a server several times"]
fn modes_of_mysql() {
    modes_of("mysql", "8.0.33");
}

#[test]
#[ignore = "slow: starts a server several times"]
fn modes_of_mariadb() {
    modes_of("mariadb", "10.11.5");
}

/// Certificates of the client: instead of a password, and beside it.
#[test]
#[ignore = "slow: starts a server"]
fn client_certificates_of_postgres() {
    let host = postgres();
    let (ca, address) = (host.certificates.path("ca.pem"), host.address.clone());
    let url = |user: &str, certificate: &str| {
        let [pem, key] = ["pem", "key"].map(|end| host.certificates.path(&format!("{certificate}.{end}")));
        let own = if certificate.is_empty() { String::new() } else { format!("&sslcert={pem}&sslkey={key}") };
        format!("postgres://{user}@{address}/postgres?sslmode=verify-full&sslrootcert={ca}{own}")
    };
    let with = |url: String, password: &str| url.replacen('@', &format!(":{password}@"), 1);
    host.accepted(&url("certified", "certified"), Some("name checked"));
    host.accepted(&with(url("twofold", "twofold"), SECRET), Some("name checked"));
    host.accepted(&with(url("plain", "certified"), SECRET), Some("name checked"));

    let hint = "sslcert=/path/of/client.crt&sslkey=/path/of/client.key";
    host.refused(&url("certified", ""), ("valid client certificate", hint));
    host.refused(&url("certified", "twofold"), ("certificate authentication failed", hint));
    host.refused(&with(url("twofold", ""), SECRET), ("valid client certificate", hint));
    // Postgres tells this as a wrong password, and the reason to its log alone.
    host.refused(&with(url("twofold", "certified"), SECRET), ("28P01", ""));
    host.refused(&with(url("twofold", "twofold"), &format!("not{SECRET}")), ("28P01", ""));
    host.refused(&url("certified", "foreign"), ("refuses the certificate", hint));
    host.refused(&url("certified", "late"), ("refuses the certificate", hint));
}

fn client_certificates_of(engine: &str, version: &str) {
    let host = mysql_family(engine, version);
    let (ca, address) = (host.certificates.path("ca.pem"), host.address.clone());
    let url = |user: &str, certificate: &str| {
        let [pem, key] = ["pem", "key"].map(|end| host.certificates.path(&format!("{certificate}.{end}")));
        let own =
            if certificate.is_empty() { String::new() } else { format!("&ssl-cert={pem}&ssl-key={key}") };
        format!("{engine}://{user}:{SECRET}@{address}?ssl-mode=VERIFY_IDENTITY&ssl-ca={ca}{own}")
    };
    host.accepted(&url("certified", "certified"), Some("name checked"));
    host.accepted(&url("certified", "twofold"), Some("name checked"));
    host.accepted(&url("named", "certified"), Some("name checked"));
    host.accepted(&url("lab", "certified"), Some("name checked"));
    host.refused(&url("certified", ""), ("Access denied", ""));
    host.refused(&url("named", "twofold"), ("Access denied", ""));
    host.refused(
        &url("certified", "certified").replace(SECRET, &format!("not{SECRET}")),
        ("Access denied", ""),
    );
    let hint = "ssl-cert=/path/of/client-cert.pem&ssl-key=/path/of/client-key.pem";
    host.refused(&url("certified", "foreign"), ("refuses the certificate", hint));
    host.refused(&url("certified", "late"), ("refuses the certificate", hint));
}

#[test]
#[ignore = "slow: starts a server"]
fn client_certificates_of_mysql() {
    client_certificates_of("mysql", "8.0.33");
}

#[test]
#[ignore = "slow: starts a server"]
fn client_certificates_of_mariadb() {
    client_certificates_of("mariadb", "10.11.5");
}

/// Two names of one database, and a second run beside the first.
#[test]
#[ignore = "slow: starts a server"]
fn two_subjects_cannot_be_one_database() {
    let host = postgres();
    let humdrum = Humdrum::with_shared_builds();
    let address = &host.address;
    let one = format!("one=postgres@postgres://plain@{address}/second?sslmode=disable");
    let same = format!("same=postgres@postgres://plain@{address}/?dbname=second&sslmode=require");
    let args = ["compare", &one, &same, "--allow-external", "--tests", "point-query", "--scale", "tiny"];
    let mut command = humdrum.command(&[&args[..], &["--budget", "30s", "--out", "r"]].concat());
    let output = command.env("PGPASSWORD", SECRET).output().expect("runs");
    let said = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the schema `humdrum` of that database on 127.0.0.77:5432 is in use"), "{said}");
    assert!(said.contains("give each subject a database of its own"), "{said}");
}

/// All bytes below a folder that hold the password.
fn files_with_secret(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("read").map(|entry| entry.expect("entry").path());
    let within = |path: PathBuf| match path.is_dir() {
        true => files_with_secret(&path),
        false if has_secret(&fs::read(&path).unwrap_or_default()) => vec![path],
        false => Vec::new(),
    };
    paths.flat_map(within).collect()
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

/// Processes below one whose command line or environment has the password, until `ended`. They are copies of the program
/// (guardians) and servers.
fn processes_with_secret(root: u32, ended: &AtomicBool) -> Vec<String> {
    let (mut found, mut looked_at) = (BTreeSet::new(), BTreeSet::new());
    while !ended.load(Ordering::Relaxed) {
        let all = processes::descendants(root).into_iter().chain(processes::servers_of(root));
        for pid in all {
            looked_at.insert(pid);
            for file in ["cmdline", "environ"] {
                if has_secret(&fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default()) {
                    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
                    found.insert(format!("{file} of {}", name.trim()));
                }
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(looked_at.len() > 2, "a server and its guardian at least");
    found.into_iter().collect()
}

/// A comparison of two URLs, one with its password typed and one with it in an option, and PGPASSWORD set, beside a release: the
/// report tells of round trips and encryption, and the password is in no file, no output, no title in the list of processes,
/// and no environment of a process that the program has started.
#[test]
#[ignore = "slow: a comparison"]
fn passwords_are_in_no_output_and_round_trips_are_told() {
    let host = postgres();
    let humdrum = Humdrum::with_shared_builds();
    let ca = host.certificates.path("ca.pem");
    let typed = format!(
        "a=postgres@postgres://plain:{SECRET}@{}/postgres?sslmode=verify-full&sslrootcert={ca}",
        host.address
    );
    let option =
        format!("b=postgres@postgres://plain@{}/second?sslmode=disable&password={SECRET}", host.address);
    let args = ["compare", &typed, &option, "--allow-external", "--tests", "point-query", "--scale", "tiny"];
    let more = ["--budget", "30s", "--out", "out", "--on-busy", "warn", "-v", "postgres@17.7"];
    let mut command = humdrum.command(&[&args[..], &more[..]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("PGPASSWORD", SECRET);
    let child = command.spawn().expect("starts");
    let pid = child.id();
    // Until it has parsed its arguments they are as they were typed.
    let title = || fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let hidden = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !has_secret(&title())
    });
    let shown = text_of(&title());
    std::thread::sleep(Duration::from_secs(1));
    let all = fs::read_dir("/proc").expect("proc").flatten();
    let titles: Vec<Vec<u8>> = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok()).collect();
    let ended = AtomicBool::new(false);
    let (output, leaking) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| processes_with_secret(pid, &ended));
        let output = child.wait_with_output().expect("ends");
        ended.store(true, Ordering::Relaxed);
        (output, watch.join().expect("watched"))
    });
    assert_eq!(leaking, Vec::<String>::new());
    let (out, err) = (text_of(&output.stdout), text_of(&output.stderr));
    assert!(matches!(output.status.code(), Some(0 | 1)), "{err}");
    assert!(hidden && shown.contains("plain:xxxx") && shown.contains("password=xxxx"), "{shown}");
    assert!(!titles.iter().any(|title| has_secret(title)), "a title has the password");
    assert!(!has_secret(out.as_bytes()) && !has_secret(err.as_bytes()), "{out}{err}");

    let link = humdrum.results("out").subjects[0].link.clone().expect("a link");
    assert_eq!(link.kind, LinkKind::Loopback);
    let report = text_of(&humdrum.exits(0, &["report", "out"]).stdout);
    let text = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("over TCP on this host: a round trip takes"), "{text}");
    assert!(text.contains("encryption is part of what they differ by"), "{text}");
    for format in ["json", "html", "md", "tsv"] {
        humdrum.exits(0, &["report", "out", "--format", format, "--out", &format!("report.{format}")]);
    }
    assert_eq!(files_with_secret(humdrum.folder()), Vec::<PathBuf>::new());

    let wrong = typed.replace(SECRET, &format!("{SECRET}2"));
    let args = ["compare", &wrong, &option, "--allow-external", "--tests", "point-query", "--scale", "tiny"];
    let refused = humdrum.run(&[&args[..], &["--budget", "30s", "--out", "bad"]].concat());
    let said = text_of(&refused.stderr);
    assert!(said.contains("password authentication failed") && !said.contains(SECRET), "{said}");
    assert_eq!(files_with_secret(humdrum.folder()), Vec::<PathBuf>::new());
}
