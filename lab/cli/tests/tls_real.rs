//! Encrypted connections to real servers: what each mode accepts and refuses, what a refusal says to type next, what the
//! record and the report say, and that no output of any kind has the password.

mod common;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use common::{Humdrum, text_of};
use humdrum_contract::{Connection, Dirs, Interrupt, Server, Silent};
use humdrum_engine_kit::testing::{PATIENCE, Rig, SIZING};
use humdrum_model::{Fault, Link, LinkKind, Place, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::{self, RunFolder};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};

/// In no other text.
const SECRET: &str = "correcthorsebattery";
/// Of an address of this host that no other server listens at: the socket's name has the usual port in it.
const POSTGRES: (&str, u16) = ("127.0.0.77", 5432);

/// Certificates in a folder that the server's user can read.
struct Certificates(PathBuf);

impl Certificates {
    /// `good`, `other` (another name) and `old` (out of date) of one authority `ca`; `stranger` is another authority.
    fn make(folder: PathBuf, dirs: &Dirs, names: &[&str]) -> Self {
        fs::create_dir_all(&folder).expect("made");
        let authority = |name: &str| {
            let mut params = CertificateParams::new(Vec::new()).expect("names");
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let key = KeyPair::generate().expect("key");
            let made = params.self_signed(&key).expect("signed");
            fs::write(folder.join(format!("{name}.pem")), made.pem()).expect("written");
            Issuer::new(params, key)
        };
        let ca = authority("ca");
        authority("stranger");
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        for (name, names, until) in [
            ("good", names.clone(), 2090),
            ("other", vec!["db.example".to_owned()], 2090),
            ("old", names, 2020),
        ] {
            let mut params = CertificateParams::new(names).expect("names");
            params.not_before = date_time_ymd(2019, 1, 1);
            params.not_after = date_time_ymd(until, 1, 1);
            let key = KeyPair::generate().expect("key");
            let made = params.signed_by(&key, &ca).expect("signed");
            fs::write(folder.join(format!("{name}.pem")), made.pem()).expect("written");
            fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).expect("written");
        }
        let made = Self(folder);
        made.choose("good", dirs);
        made
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Makes this one the server's.
    fn choose(&self, name: &str, dirs: &Dirs) {
        for ending in ["pem", "key"] {
            let server = self.0.join(format!("server.{ending}"));
            fs::copy(self.0.join(format!("{name}.{ending}")), &server).expect("copied");
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&server, fs::Permissions::from_mode(0o600)).expect("mode");
            run_folder::give(&server, dirs.run_as).expect("given");
        }
    }
}

/// A server with encryption, and how it is reached.
struct Host {
    rig: Rig,
    server: Box<dyn Server>,
    certificates: Certificates,
    address: String,
}

impl Host {
    /// `configure` gets the server's folder, the certificates and the port.
    fn start(
        engine: &str,
        version: &str,
        (host, port): (&str, u16),
        names: &[&str],
        configure: impl Fn(&Path, &Certificates, u16),
        accounts: &[String],
    ) -> Self {
        let engine = humdrum_engines::table().into_iter().find(|one| one.name() == engine);
        let dirs = dirs::find(&Surroundings::read(), true, &Interrupt::new()).expect("folders");
        let run = RunFolder::new(&dirs).expect("run folder");
        let rig = Rig { engine: engine.expect("an engine"), dirs, run, sizing: SIZING };
        let home = rig.run.home("server").expect("home");
        let certificates = Certificates::make(rig.run.path().join("certificates"), &rig.dirs, names);
        run_folder::give(&certificates.0, rig.dirs.run_as).expect("given");
        let mut server = rig.install(version, &[]).create(&home, &rig.sizing).expect("made");
        configure(&home, &certificates, port);
        server.start().unwrap_or_else(|fault| panic!("{fault} {:?}", fault.log_tail));
        let mut session = server.connect(PATIENCE).and_then(Connection::into_sql).expect("a session");
        for sql in accounts {
            session.query(sql).expect(sql);
        }
        Self { rig, server, certificates, address: format!("{host}:{port}") }
    }

    fn choose(&mut self, certificate: &str) {
        self.server.stop().expect("stopped");
        self.certificates.choose(certificate, &self.rig.dirs);
        self.server.start().expect("started");
    }

    /// How the server is reached, or why it is not.
    fn link(&self, url: &str) -> Result<Link, Fault> {
        let engine = self.rig.engine.name();
        let subject = Subject {
            label: "it".into(),
            engine: engine.into(),
            place: Place::External(url.into()),
            settings: Vec::new(),
        };
        let installed = self.rig.engine.install(&subject, &self.rig.dirs, &Silent)?;
        let mut server = installed.create(Path::new("/nowhere"), &SIZING)?;
        server.start()?;
        Ok(server.facts()?.link.expect("a link"))
    }

    fn accepted(&self, url: &str, wanted: Option<&str>) {
        let link = self.link(url).unwrap_or_else(|fault| panic!("{url}: {fault} {:?}", fault.hint));
        assert_eq!(link.kind, LinkKind::Loopback, "{url}");
        assert!(link.round_trips > 0 && link.round_trip_ns_p50 > 0, "{url}: {link:?}");
        match (wanted, link.encryption) {
            (None, None) => {}
            (Some(wanted), Some(found)) if found.contains(wanted) => {}
            (wanted, found) => panic!("{url}: {found:?}, and wanted {wanted:?}"),
        }
    }

    fn refused(&self, url: &str, (what, hint): (&str, &str)) {
        let fault = self.link(url).expect_err(url);
        let said = format!("{fault} [{}]", fault.hint.as_deref().unwrap_or_default());
        println!("{}\n    {said}", url.replace(SECRET, "…"));
        assert!(said.contains(what) && said.contains(hint), "{url}: {said}");
        assert!(!said.contains(SECRET), "{said}");
    }
}

fn postgres() -> Host {
    let configure = |home: &Path, certificates: &Certificates, _port: u16| {
        let data = home.join("data");
        let append = |name: &str, more: &str| {
            let path = data.join(name);
            let text = fs::read_to_string(&path).expect("read");
            let whole = if name == "pg_hba.conf" { format!("{more}{text}") } else { format!("{text}{more}") };
            fs::write(path, whole).expect("written");
        };
        let (certificate, key) = (certificates.path("server.pem"), certificates.path("server.key"));
        append(
            "postgresql.conf",
            &format!(
                "listen_addresses = '{}'\nssl = on\nssl_cert_file = '{certificate}'\nssl_key_file = '{key}'\n",
                POSTGRES.0
            ),
        );
        append(
            "pg_hba.conf",
            "hostssl all only_tls 127.0.0.0/8 scram-sha-256\nhostnossl all only_tls 127.0.0.0/8 reject\n\
             hostssl all clear 127.0.0.0/8 password\nhost all plain 127.0.0.0/8 scram-sha-256\n",
        );
    };
    let accounts = ["plain", "only_tls", "clear"]
        .map(|role| format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD '{SECRET}'"));
    Host::start("postgres", "17.7", POSTGRES, &[POSTGRES.0], configure, &accounts)
}

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

fn mysql_family(engine: &str, version: &str) -> Host {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = listener.local_addr().expect("address").port();
    drop(listener);
    let configure = |home: &Path, certificates: &Certificates, port: u16| {
        let path = home.join("my.cnf");
        let text = fs::read_to_string(&path).expect("read");
        let (ca, certificate) = (certificates.path("ca.pem"), certificates.path("server.pem"));
        let key = certificates.path("server.key");
        let more = format!(
            "\n[mysqld]\nskip_networking=0\nbind_address=127.0.0.1\nport={port}\nssl_ca={ca}\nssl_cert={certificate}\n\
             ssl_key={key}\n"
        );
        fs::write(path, text + &more).expect("written");
    };
    let with = if engine == "mysql" { "WITH caching_sha2_password " } else { "" };
    let accounts = [
        format!("CREATE USER 'lab'@'%' IDENTIFIED {with}BY '{SECRET}'"),
        "GRANT ALL ON *.* TO 'lab'@'%'".to_owned(),
        format!("CREATE USER 'only_tls'@'%' IDENTIFIED {with}BY '{SECRET}' REQUIRE SSL"),
        "GRANT ALL ON *.* TO 'only_tls'@'%'".to_owned(),
    ];
    Host::start(engine, version, ("127.0.0.1", port), &["localhost", "127.0.0.1"], configure, &accounts)
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

/// All bytes below a folder that hold the password.
fn files_with_secret(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("read") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            files_with_secret(&path, found);
        } else if has_secret(&fs::read(&path).unwrap_or_default()) {
            found.push(path);
        }
    }
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

/// A comparison of two URLs, one with its password typed and one with it in PGPASSWORD: the report tells of round trips and
/// encryption, and the password is in no file, no output, and no title in the list of processes.
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
        format!("b=postgres@postgres://plain@{}/postgres?sslmode=disable&password={SECRET}", host.address);
    let args = ["compare", &typed, &option, "--allow-external", "--tests", "point-query", "--scale", "tiny"];
    let more = ["--budget", "30s", "--out", "out", "--on-busy", "warn", "-v"];
    let mut command = humdrum.command(&[&args[..], &more[..]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
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
    let output = child.wait_with_output().expect("ends");
    let (out, err) = (text_of(&output.stdout), text_of(&output.stderr));
    assert!(matches!(output.status.code(), Some(0 | 1)), "{err}");
    assert!(hidden && shown.contains("plain:xxxx") && shown.contains("password=xxxx"), "{shown}");
    assert!(!titles.iter().any(|title| has_secret(title)), "a title has the password");
    assert!(!has_secret(out.as_bytes()) && !has_secret(err.as_bytes()), "{out}{err}");

    let link = humdrum.results("out").subjects[0].link.clone().expect("a link");
    assert_eq!(link.kind, LinkKind::Loopback);
    let report = humdrum.exits(0, &["report", "out"]);
    let text = text_of(&report.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("over TCP on this host: a round trip takes"), "{text}");
    assert!(text.contains("encryption is part of what they differ by"), "{text}");
    for format in ["json", "html", "md", "tsv"] {
        humdrum.exits(0, &["report", "out", "--format", format, "--out", &format!("report.{format}")]);
    }
    let mut found = Vec::new();
    files_with_secret(humdrum.folder(), &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());

    let wrong = typed.replace(SECRET, &format!("{SECRET}2"));
    let refused =
        humdrum.run(&["compare", &wrong, &option, "--allow-external", "--budget", "30s", "--out", "bad"]);
    let said = text_of(&refused.stderr);
    assert!(said.contains("password authentication failed") && !said.contains(SECRET), "{said}");
    files_with_secret(humdrum.folder(), &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());
}
