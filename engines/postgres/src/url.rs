//! `postgres://user:password@host:port/database`, or `?host=/folder/of/the/socket`, as libpq reads it.

use std::path::PathBuf;

use humdrum_contract::Outcome;
use humdrum_engine_kit::Login;
use humdrum_model::Fault;
use humdrum_provision::server_url::{self, without_password};

use humdrum_transport::Endpoint;

/// Reads the URL of a running server.
///
/// # Errors
/// Usage.
pub(crate) fn parse(url: &str) -> Outcome<Login> {
    let malformed = |why: &str| {
        Fault::usage(format!("{} is not the URL of a postgres server: {why}", without_password(url))).hint(
            "write postgres://user@host:5432/database, or postgres://user@/database?host=/socket/folder",
        )
    };
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(malformed("it does not begin with postgres://"));
    }
    let url = server_url::parse(url).map_err(|wrong| malformed(&wrong.to_string()))?;
    let (mut host, mut port) = (url.host, url.port.unwrap_or(5432));
    for (key, value) in url.options {
        match key.as_str() {
            "host" => host = value,
            "port" => port = value.parse().map_err(|_| malformed("the port is not a number"))?,
            "sslmode" if matches!(value.as_str(), "disable" | "allow" | "prefer") => {}
            "sslmode" => return Err(malformed("encrypted connections are not supported here")),
            other => return Err(malformed(&format!("the option `{other}` is not known"))),
        }
    }
    let user = if url.user.is_empty() { "postgres".to_owned() } else { url.user };
    let database = if url.path.is_empty() { user.clone() } else { url.path };
    let password =
        if url.password.is_empty() { std::env::var("PGPASSWORD").unwrap_or_default() } else { url.password };
    Ok(Login { endpoint: endpoint(&host, port)?, user, password, database, schema: None, client: Vec::new() })
}

fn endpoint(host: &str, port: u16) -> Outcome<Endpoint> {
    Ok(match host {
        "" => Endpoint::Tcp("localhost".into(), port),
        path if path.starts_with('/') => {
            Endpoint::Unix(server_url::socket(PathBuf::from(path).join(format!(".s.PGSQL.{port}")))?)
        }
        name => Endpoint::Tcp(name.to_owned(), port),
    })
}

#[cfg(test)]
mod tests {
    use humdrum_engine_kit::SCHEMA;

    use super::*;

    #[test]
    fn reads_what_libpq_reads() {
        let target = parse("postgres://me:p%40ss@db.example:6000/bench?sslmode=disable").expect("tcp");
        assert_eq!(target.endpoint, Endpoint::Tcp("db.example".into(), 6000));
        assert_eq!(
            (target.user.as_str(), target.password.as_str(), target.database.as_str()),
            ("me", "p@ss", "bench")
        );
        let target = parse("postgresql://me@/?host=/run/pg&port=5433").expect("unix");
        assert_eq!(target.endpoint, Endpoint::Unix("/run/pg/.s.PGSQL.5433".into()));
        assert_eq!(target.database, "me");
        assert_eq!(parse("postgres://[::1]:1").expect("v6").endpoint, Endpoint::Tcp("::1".into(), 1));
        let kept = Login { schema: Some(SCHEMA), ..target };
        let options = crate::postgres::target(&kept).options;
        assert_eq!(options, [("search_path".to_owned(), "humdrum".to_owned())]);
    }

    #[test]
    fn malformed_ones_are_usage_and_hide_the_password() {
        for url in [
            "mysql://h",
            "postgres://h:port/",
            "postgres://h/?x",
            "postgres://h/%zz",
            "postgres://h?sslmode=require",
            "postgres://h?a=b",
        ] {
            let fault = parse(url).map(|_| ()).expect_err(url);
            assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{url}");
        }
        let fault = parse("postgres://me:secret@h:port/db").map(|_| ()).expect_err("port");
        assert!(!fault.what.contains("secret") && fault.what.contains("me:…@h"), "{fault}");
    }
}
