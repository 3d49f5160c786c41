//! `mysql://user:password@host:port`, or `?socket=/path/of/the/socket`. A password that the URL lacks is looked for in
//! `MYSQL_PWD` and then in `~/.my.cnf`; options of encryption in that file too.

use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_engine_kit::{Login, private_file};
use humdrum_model::Fault;
use humdrum_mysql_session::SPELLING;
use humdrum_provision::server_url;
use humdrum_transport::{Binding, Check, Encryption, Endpoint, Identity, Roots, Wish};

use crate::client_file::{self, Options};

const PORT: u16 = 3306;

/// Options of encryption, in a URL and in the file.
const ENCRYPTION: [&str; 4] = ["ssl-ca", "ssl-cert", "ssl-key", "ssl-mode"];

/// What is known beside the URL.
struct Around<'a> {
    /// `MYSQL_PWD`; `None` if it is empty or not set.
    password: Option<String>,
    /// The user's own folder.
    home: Option<&'a Path>,
}

/// Reads the URL of a running server of the engine `name`. The schema in it, if any, is where the first log-in begins.
///
/// # Errors
/// Usage.
pub(crate) fn parse(name: &str, url: &str) -> Outcome<Login> {
    let password = std::env::var("MYSQL_PWD").ok().filter(|password| !password.is_empty());
    read(name, url, Around { password, home: private_file::home().as_deref() })
}

fn read(name: &str, url: &str, around: Around<'_>) -> Outcome<Login> {
    let malformed = |why: String| {
        let shown = server_url::without_password(url);
        Fault::usage(format!("{shown} is not the URL of a {name} server: {why}")).hint(format!(
            "write {name}://user:password@host:3306, or {name}://user@localhost?socket=/path/of/the/socket"
        ))
    };
    let parts = server_url::parse(url).map_err(|wrong| malformed(wrong.to_string()))?;
    if !["mysql", "mariadb"].contains(&parts.scheme.as_str()) {
        return Err(malformed(format!("it does not begin with {name}://")));
    }
    if parts.user.is_empty() {
        return Err(malformed("it names no user".into()));
    }
    let (mut options, note) =
        around.home.map_or_else(Default::default, |home| client_file::read(&home.join(".my.cnf")));
    options.retain(|name, _| name == "password" || ENCRYPTION.contains(&name.as_str()));
    let mut socket = None;
    for (key, value) in parts.options {
        match (key.as_str(), value.as_str()) {
            ("socket", path) if path.starts_with('/') => socket = Some(server_url::socket(path.into())?),
            ("socket", _) => return Err(malformed("the socket is not an absolute path".into())),
            ("sslmode", _) => drop(options.insert("ssl-mode".into(), value)),
            (known, _) if ENCRYPTION.contains(&known) => drop(options.insert(key, value)),
            (other, _) => {
                let known = ENCRYPTION.join(", ");
                let why = format!("the option `{other}` is not known (known are socket, {known})");
                return Err(malformed(why));
            }
        }
    }
    let host = if parts.host.is_empty() { "localhost".to_owned() } else { parts.host };
    let endpoint = socket.map_or_else(|| Endpoint::Tcp(host, parts.port.unwrap_or(PORT)), Endpoint::Unix);
    let encryption = match endpoint {
        Endpoint::Unix(_) => None,
        Endpoint::Tcp(..) => Some(encryption(&options).map_err(malformed)?),
    };
    let typed = Some(parts.password).filter(|password| !password.is_empty());
    let password = typed.or(around.password).or_else(|| options.remove("password"));
    Ok(Login {
        is_ours: false,
        endpoint,
        user: parts.user,
        // A file that was left out matters to those who have no other password.
        notes: note.filter(|_| password.is_none()).into_iter().collect(),
        password: password.unwrap_or_default(),
        database: parts.path,
        schema: None,
        encryption,
        socket: None,
        client: Vec::new(),
    })
}

/// `ssl-mode` and what belongs to it, with the meanings of MySQL's own client.
///
/// # Errors
/// Why the options cannot be acted on.
fn encryption(options: &Options) -> Result<Encryption, String> {
    let file = |name: &str| options.get(name).map(|path| readable(name, path)).transpose();
    let authority = options.contains_key("ssl-ca");
    let usual = if authority { "VERIFY_CA" } else { "PREFERRED" };
    let mode = options.get("ssl-mode").map_or(usual, String::as_str).to_uppercase();
    let (wish, check) = match mode.as_str() {
        "DISABLED" => (Wish::Never, Check::Nothing),
        "PREFERRED" => (Wish::IfOffered, Check::Nothing),
        "REQUIRED" => (Wish::Always, Check::Nothing),
        "VERIFY_CA" if authority => (Wish::Always, Check::Authority),
        "VERIFY_CA" => {
            return Err("ssl-mode=VERIFY_CA needs the authority's certificate: ssl-ca=/path/of/ca.pem".into());
        }
        "VERIFY_IDENTITY" => (Wish::Always, Check::Name),
        other => {
            let modes = "DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY";
            return Err(format!("ssl-mode is {modes}, and not `{other}`"));
        }
    };
    let roots = match check {
        Check::Nothing => Roots::System,
        Check::Authority | Check::Name => file("ssl-ca")?.map_or(Roots::System, Roots::File),
    };
    let identity = match wish {
        Wish::Never => None,
        _ => match (file("ssl-cert")?, file("ssl-key")?) {
            (Some(certificate), Some(key)) => Some(Identity { certificate, key }),
            (None, None) => None,
            _ => return Err("ssl-cert and ssl-key are given together".into()),
        },
    };
    Ok(Encryption { wish, check, roots, identity, binding: Binding::Never, spelling: &SPELLING })
}

fn readable(option: &str, path: &str) -> Result<PathBuf, String> {
    match std::fs::File::open(path) {
        Ok(_) => Ok(path.into()),
        Err(error) => Err(format!("{option}={path} cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn plain(url: &str) -> Outcome<Login> {
        read("mysql", url, Around { password: None, home: None })
    }

    #[test]
    fn modes_of_encryption_are_the_clients() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("ca.pem");
        fs::write(&file, "").expect("written");
        let with_file = format!("ssl-ca={}", file.display());
        let asked = |options: &str| {
            let encryption =
                plain(&format!("mysql://me@h?{options}")).expect(options).encryption.expect("tcp");
            (encryption.wish, encryption.check, encryption.roots)
        };
        let root = || Roots::File(file.clone());
        assert_eq!(asked(""), (Wish::IfOffered, Check::Nothing, Roots::System));
        assert_eq!(asked("ssl-mode=disabled"), (Wish::Never, Check::Nothing, Roots::System));
        assert_eq!(asked("sslmode=REQUIRED"), (Wish::Always, Check::Nothing, Roots::System));
        assert_eq!(asked(&with_file), (Wish::Always, Check::Authority, root()));
        assert_eq!(asked(&format!("ssl-mode=VERIFY_CA&{with_file}")), asked(&with_file));
        let identity = (Wish::Always, Check::Name, root());
        assert_eq!(asked(&format!("ssl-mode=VERIFY_IDENTITY&{with_file}")), identity);
        assert_eq!(asked("ssl-mode=VERIFY_IDENTITY"), (Wish::Always, Check::Name, Roots::System));
        let unix = plain("mysql://me@localhost?socket=/run/m.sock&ssl-mode=REQUIRED").expect("unix");
        assert_eq!(unix.encryption, None);
        for options in ["ssl-mode=VERIFY_CA", "ssl-mode=best", "ssl-cert=/nowhere", "ssl-ca=/nowhere", "a=b"]
        {
            let fault = plain(&format!("mysql://me:secret@h?{options}")).map(|_| ()).expect_err(options);
            assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
            assert!(!fault.what.contains("secret"), "{fault}");
        }
    }

    #[test]
    fn the_url_goes_before_the_variable_and_that_before_the_file() {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(
            folder.path().join(".my.cnf"),
            "[client]\npassword=of-the-file\nssl-mode=REQUIRED\nhost=x\n",
        )
        .expect("written");
        let of = |url: &str, password: Option<&str>| {
            let around = Around { password: password.map(str::to_owned), home: Some(folder.path()) };
            read("mysql", url, around).expect("read")
        };
        assert_eq!(of("mysql://me:of-the-url@h", Some("of-the-variable")).password, "of-the-url");
        assert_eq!(of("mysql://me@h", Some("of-the-variable")).password, "of-the-variable");
        let login = of("mysql://me@h", None);
        assert_eq!(login.password, "of-the-file");
        assert_eq!(login.endpoint, Endpoint::Tcp("h".into(), PORT), "the host is the URL's");
        assert_eq!(login.encryption.expect("tcp").wish, Wish::Always);
        let typed = of("mysql://me@h?ssl-mode=DISABLED", None);
        assert_eq!(typed.encryption.expect("tcp").wish, Wish::Never);
    }
}
