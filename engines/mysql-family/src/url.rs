//! `mysql://user:password@host:port`, or `?socket=/path/of/the/socket`.

use humdrum_contract::Outcome;
use humdrum_engine_kit::Login;
use humdrum_model::Fault;
use humdrum_provision::server_url;
use humdrum_transport::Endpoint;

const PORT: u16 = 3306;

/// Reads the URL of a running server of the engine `name`. The schema in it, if any, is where the first log-in begins.
///
/// # Errors
/// Usage.
pub(crate) fn parse(name: &str, url: &str) -> Outcome<Login> {
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
    let mut socket = None;
    for (key, value) in parts.options {
        match (key.as_str(), value.as_str()) {
            ("socket", path) if path.starts_with('/') => socket = Some(server_url::socket(path.into())?),
            ("socket", _) => return Err(malformed("the socket is not an absolute path".into())),
            ("ssl-mode" | "sslmode", "DISABLED" | "PREFERRED" | "disabled" | "preferred") => {}
            ("ssl-mode" | "sslmode", _) => {
                return Err(malformed("encrypted connections are not supported here".into()));
            }
            (other, _) => return Err(malformed(format!("the option `{other}` is not known"))),
        }
    }
    let host = if parts.host.is_empty() { "localhost".to_owned() } else { parts.host };
    let endpoint = socket.map_or_else(|| Endpoint::Tcp(host, parts.port.unwrap_or(PORT)), Endpoint::Unix);
    let password = if parts.password.is_empty() {
        std::env::var("MYSQL_PWD").unwrap_or_default()
    } else {
        parts.password
    };
    Ok(Login { endpoint, user: parts.user, password, database: parts.path, schema: None, client: Vec::new() })
}
