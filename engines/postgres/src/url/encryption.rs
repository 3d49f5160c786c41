//! `sslmode` and what belongs to it, with libpq's meanings.

use std::path::{Path, PathBuf};

use humdrum_transport::{Binding, Check, Encryption, Identity, Roots, Spelling, Wish};

/// How users of Postgres write what they ask of encryption.
static SPELLING: Spelling = Spelling {
    never: "sslmode=disable",
    if_offered: "sslmode=prefer",
    unchecked: "sslmode=require",
    authority: "sslmode=verify-ca",
    root_file: "sslrootcert",
    identity: "sslcert=/path/of/client.crt&sslkey=/path/of/client.key",
    server_setting: "ssl = on, ssl_cert_file, ssl_key_file",
};

const MODES: &str = "disable, allow, prefer, require, verify-ca or verify-full";

/// What the user asks of encryption; `value` has the options of the URL and the variables that stand for them.
///
/// # Errors
/// Why the options cannot be acted on.
pub(super) fn read(
    value: &dyn Fn(&str) -> Option<String>,
    home: Option<&Path>,
) -> Result<Encryption, String> {
    let of_home = |name: &str| Some(home?.join(".postgresql").join(name)).filter(|path| path.is_file());
    let root = value("sslrootcert");
    let system = root.as_deref() == Some("system");
    let usual = if system { "verify-full" } else { "prefer" };
    let mode = value("sslmode").unwrap_or_else(|| usual.to_owned());
    if system && mode != "verify-full" {
        return Err(format!(
            "sslrootcert=system goes with sslmode=verify-full alone, and not with {mode}: many authorities are trusted"
        ));
    }
    let file = match root {
        Some(_) if system => None,
        Some(file) => Some(PathBuf::from(file)),
        None => of_home("root.crt"),
    };
    let (wish, check) = match mode.as_str() {
        "disable" => (Wish::Never, Check::Nothing),
        "allow" => (Wish::IfPlainIsRefused, Check::Nothing),
        "prefer" => (Wish::IfOffered, Check::Nothing),
        // As in libpq: with a file of authorities it checks them.
        "require" if file.is_some() => (Wish::Always, Check::Authority),
        "require" => (Wish::Always, Check::Nothing),
        "verify-ca" if file.is_some() => (Wish::Always, Check::Authority),
        "verify-ca" => {
            return Err(
                "sslmode=verify-ca needs the authority's certificate: sslrootcert=/path/of/ca.pem".into()
            );
        }
        "verify-full" => (Wish::Always, Check::Name),
        other => return Err(format!("sslmode is {MODES}, and not `{other}`")),
    };
    let roots = match file {
        Some(file) if check != Check::Nothing => Roots::File(readable("sslrootcert", file)?),
        _ => Roots::System,
    };
    let binding = match value("channel_binding").as_deref() {
        None | Some("prefer") => Binding::IfOffered,
        Some("disable") => Binding::Never,
        Some("require") => Binding::Always,
        Some(other) => {
            return Err(format!("channel_binding is disable, prefer or require, and not `{other}`"));
        }
    };
    let certificate = value("sslcert").map(PathBuf::from);
    let key = value("sslkey").map(PathBuf::from);
    let own = || Some((of_home("postgresql.crt")?, of_home("postgresql.key")?));
    let identity = match (certificate, key) {
        _ if wish == Wish::Never => None,
        (Some(certificate), Some(key)) => Some((readable("sslcert", certificate)?, readable("sslkey", key)?)),
        (None, None) => own(),
        _ => return Err("sslcert and sslkey are given together".into()),
    };
    let identity = identity.map(|(certificate, key)| Identity { certificate, key });
    Ok(Encryption { wish, check, roots, identity, binding, spelling: &SPELLING })
}

fn readable(option: &str, path: PathBuf) -> Result<PathBuf, String> {
    match std::fs::File::open(&path) {
        Ok(_) => Ok(path),
        Err(error) => Err(format!("{option}={} cannot be read: {error}", path.display())),
    }
}
