//! Servers with encryption, certificates for them, and what a connection to one must end with.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use humdrum_contract::{Connection, Dirs, Interrupt, Server, Silent};
use humdrum_engine_kit::testing::{PATIENCE, Rig, SIZING};
use humdrum_model::{Fault, Link, LinkKind, Place, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::{self, RunFolder};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};

/// In no other text.
pub const SECRET: &str = "correcthorsebattery";
/// Of an address of this host that no other server listens at: the socket's name has the usual port in it.
const POSTGRES: (&str, u16) = ("127.0.0.77", 5432);

/// Certificates in a folder that the server's user can read.
pub struct Certificates(PathBuf);

impl Certificates {
    /// `good`, `other` (another name) and `old` (out of date) of one authority `ca`; `stranger` is another authority. For clients:
    /// `certified` and `twofold`, called so, `late` (out of date) and, of the other authority, `foreign`.
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
        let stranger = authority("stranger");
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
        for (name, role, until, issuer) in [
            ("certified", "certified", 2090, &ca),
            ("twofold", "twofold", 2090, &ca),
            ("late", "certified", 2020, &ca),
            ("foreign", "certified", 2090, &stranger),
        ] {
            let mut params = CertificateParams::new(Vec::new()).expect("names");
            params.distinguished_name.push(DnType::CommonName, role);
            params.not_before = date_time_ymd(2019, 1, 1);
            params.not_after = date_time_ymd(until, 1, 1);
            let key = KeyPair::generate().expect("key");
            let made = params.signed_by(&key, issuer).expect("signed");
            fs::write(folder.join(format!("{name}.pem")), made.pem()).expect("written");
            fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).expect("written");
        }
        let made = Self(folder);
        made.choose("good", dirs);
        made
    }

    pub fn path(&self, name: &str) -> String {
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
pub struct Host {
    pub rig: Rig,
    pub server: Box<dyn Server>,
    pub certificates: Certificates,
    /// Host and port.
    pub address: String,
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

    pub fn choose(&mut self, certificate: &str) {
        self.server.stop().expect("stopped");
        self.certificates.choose(certificate, &self.rig.dirs);
        self.server.start().expect("started");
    }

    /// How the server is reached, or why it is not.
    pub fn link(&self, url: &str) -> Result<Link, Fault> {
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

    pub fn accepted(&self, url: &str, wanted: Option<&str>) {
        let link = self.link(url).unwrap_or_else(|fault| panic!("{url}: {fault} {:?}", fault.hint));
        assert_eq!(link.kind, LinkKind::Loopback, "{url}");
        assert!(link.round_trips > 0 && link.round_trip_ns_p50 > 0, "{url}: {link:?}");
        match (wanted, link.encryption) {
            (None, None) => {}
            (Some(wanted), Some(found)) if found.contains(wanted) => {}
            (wanted, found) => panic!("{url}: {found:?}, and wanted {wanted:?}"),
        }
    }

    pub fn refused(&self, url: &str, (what, hint): (&str, &str)) {
        let fault = self.link(url).expect_err(url);
        let said = format!("{fault} [{}]", fault.hint.as_deref().unwrap_or_default());
        println!("{}\n    {said}", url.replace(SECRET, "…"));
        assert!(said.contains(what) && said.contains(hint), "{url}: {said}");
        assert!(!said.contains(SECRET), "{said}");
    }
}

pub fn postgres() -> Host {
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
                "listen_addresses = '{}'\nssl = on\nssl_cert_file = '{certificate}'\nssl_key_file = '{key}'\n\
                 ssl_ca_file = '{}'\n",
                POSTGRES.0,
                certificates.path("ca.pem")
            ),
        );
        append(
            "pg_hba.conf",
            "hostssl all only_tls 127.0.0.0/8 scram-sha-256\nhostnossl all only_tls 127.0.0.0/8 reject\n\
             hostssl all clear 127.0.0.0/8 password\nhostssl all certified 127.0.0.0/8 cert\n\
             hostssl all twofold 127.0.0.0/8 scram-sha-256 clientcert=verify-full\nhost all plain 127.0.0.0/8 scram-sha-256\n",
        );
    };
    let role = |name: &str| format!("CREATE ROLE {name} LOGIN SUPERUSER PASSWORD '{SECRET}'");
    let accounts = [
        role("plain"),
        role("only_tls"),
        role("clear"),
        role("certified"),
        role("twofold"),
        "CREATE DATABASE second".to_owned(),
    ];
    Host::start("postgres", "17.7", POSTGRES, &[POSTGRES.0], configure, &accounts)
}

pub fn mysql_family(engine: &str, version: &str) -> Host {
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
        format!("CREATE USER 'certified'@'%' IDENTIFIED {with}BY '{SECRET}' REQUIRE X509"),
        "GRANT ALL ON *.* TO 'certified'@'%'".to_owned(),
        format!("CREATE USER 'named'@'%' IDENTIFIED {with}BY '{SECRET}' REQUIRE SUBJECT '/CN=certified'"),
        "GRANT ALL ON *.* TO 'named'@'%'".to_owned(),
    ];
    Host::start(engine, version, ("127.0.0.1", port), &["localhost", "127.0.0.1"], configure, &accounts)
}
