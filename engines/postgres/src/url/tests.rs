//! What is read of URLs, variables and files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use humdrum_engine_kit::SCHEMA;
use humdrum_transport::{Check, Identity, Roots, Wish};

use super::*;

fn plain(url: &str) -> Outcome<Login> {
    read(url, &Around { variable: &|_| None, home: None })
}

#[test]
fn reads_what_libpq_reads() {
    let target = plain("postgres://me:p%40ss@db.example:6000/bench?sslmode=disable").expect("tcp");
    assert_eq!(target.endpoint, Endpoint::Tcp("db.example".into(), 6000));
    assert_eq!(
        (target.user.as_str(), target.password.as_str(), target.database.as_str()),
        ("me", "p@ss", "bench")
    );
    let target = plain("postgresql://me@/?host=/run/pg&port=5433").expect("unix");
    assert_eq!(target.endpoint, Endpoint::Unix("/run/pg/.s.PGSQL.5433".into()));
    assert_eq!((target.database.as_str(), &target.encryption), ("me", &None));
    assert_eq!(plain("postgres://[::1]:1").expect("v6").endpoint, Endpoint::Tcp("::1".into(), 1));
    let kept = Login { schema: Some(SCHEMA), ..target };
    let options = crate::postgres::target(&kept).options;
    assert_eq!(options, [("search_path".to_owned(), "humdrum".to_owned())]);
    let target = plain("postgres://h?user=u&password=p&dbname=d").expect("as options");
    assert_eq!((&*target.user, &*target.password, &*target.database), ("u", "p", "d"));
}

#[test]
fn malformed_ones_are_usage_and_hide_the_password() {
    for url in [
        "mysql://h",
        "postgres://h:port/",
        "postgres://h/?x",
        "postgres://h/%zz",
        "postgres://h?sslmode=verify-ca",
        "postgres://h?sslmode=strong",
        "postgres://h?sslmode=require&sslrootcert=system",
        "postgres://h?sslmode=verify-full&sslrootcert=/nowhere/ca.pem",
        "postgres://h?sslcert=/nowhere/client.pem",
        "postgres://h?channel_binding=yes",
        "postgres://h?a=b",
    ] {
        let fault = plain(url).map(|_| ()).expect_err(url);
        assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{url}");
    }
    let fault = plain("postgres://me:secret@h:port/db").map(|_| ()).expect_err("port");
    assert!(!fault.what.contains("secret") && fault.what.contains("me:…@h"), "{fault}");
    let fault = plain("postgres://me@h/db?password=secret&a=b").map(|_| ()).expect_err("option");
    assert!(!fault.what.contains("secret") && fault.what.contains("password=…"), "{fault}");
}

#[test]
fn modes_of_encryption_are_libpqs() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("ca.pem");
    fs::write(&file, "").expect("written");
    let with_file = format!("&sslrootcert={}", file.display());
    let asked = |options: &str| {
        let encryption = plain(&format!("postgres://h?{options}")).expect(options).encryption.expect("tcp");
        (encryption.wish, encryption.check, encryption.roots)
    };
    assert_eq!(asked(""), (Wish::IfOffered, Check::Nothing, Roots::System));
    assert_eq!(asked("sslmode=disable"), (Wish::Never, Check::Nothing, Roots::System));
    assert_eq!(asked("sslmode=allow"), (Wish::IfPlainIsRefused, Check::Nothing, Roots::System));
    assert_eq!(asked("sslmode=prefer"), asked(""));
    assert_eq!(asked("sslmode=require"), (Wish::Always, Check::Nothing, Roots::System));
    let authority = (Wish::Always, Check::Authority, Roots::File(file.clone()));
    assert_eq!(asked(&format!("sslmode=require{with_file}")), authority);
    assert_eq!(asked(&format!("sslmode=verify-ca{with_file}")), authority);
    let full = (Wish::Always, Check::Name, Roots::File(file.clone()));
    assert_eq!(asked(&format!("sslmode=verify-full{with_file}")), full);
    assert_eq!(asked("sslmode=verify-full"), (Wish::Always, Check::Name, Roots::System));
    assert_eq!(asked("sslrootcert=system"), asked("sslmode=verify-full"));
}

#[test]
fn the_url_goes_before_variables_and_these_before_files() {
    let folder = tempfile::tempdir().expect("folder");
    let pass = folder.path().join(".pgpass");
    fs::write(&pass, "h:5432:postgres:postgres:of-the-file\n").expect("written");
    let mode = |mode| fs::set_permissions(&pass, fs::Permissions::from_mode(mode)).expect("mode");
    mode(0o600);
    let home = Some(folder.path());
    let variable = |name: &str| (name == "PGPASSWORD").then(|| "of-the-variable".to_owned());
    let password = |url: &str, variable: &dyn Fn(&str) -> Option<String>| {
        read(url, &Around { variable, home }).expect("read").password
    };
    assert_eq!(password("postgres://postgres:of-the-url@h", &variable), "of-the-url");
    assert_eq!(password("postgres://h", &variable), "of-the-variable");
    assert_eq!(password("postgres://h", &|_| None), "of-the-file");
    assert_eq!(password("postgres://elsewhere", &|_| None), "");
    mode(0o644);
    let left_out = read("postgres://h", &Around { variable: &|_| None, home }).expect("read");
    assert_eq!((left_out.password.as_str(), left_out.notes.len()), ("", 1));
    assert!(left_out.notes[0].contains("chmod 0600"), "{:?}", left_out.notes);

    let config = folder.path().join(".postgresql");
    fs::create_dir(&config).expect("made");
    for name in ["root.crt", "postgresql.crt", "postgresql.key"] {
        fs::write(config.join(name), "").expect("written");
    }
    let variable = |name: &str| (name == "PGSSLMODE").then(|| "verify-full".to_owned());
    let asked = |url: &str| read(url, &Around { variable: &variable, home }).expect("read").encryption;
    let encryption = asked("postgres://h").expect("tcp");
    assert_eq!((encryption.check, encryption.roots), (Check::Name, Roots::File(config.join("root.crt"))));
    let (certificate, key) = (config.join("postgresql.crt"), config.join("postgresql.key"));
    assert_eq!(encryption.identity, Some(Identity { certificate, key }));
    let encryption = asked("postgres://h?sslmode=disable").expect("tcp");
    assert_eq!((encryption.wish, encryption.identity), (Wish::Never, None));
}
