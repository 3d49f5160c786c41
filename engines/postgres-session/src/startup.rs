//! Start-up and authentication: the cold path, through `postgres-protocol`. SCRAM-SHA-256 and MD5 are
//! supported; clear-text passwords only over a Unix socket, where no one else can listen.

use bytes::BytesMut;
use humdrum_contract::Outcome;
use humdrum_model::Fault;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::frontend;

use crate::message::{server_error, tags};
use crate::wire::Wire;
use crate::{Endpoint, Target};

/// Requests of the server during authentication (protocol documentation, "Authentication").
mod request {
    pub const OK: u32 = 0;
    pub const CLEAR_TEXT: u32 = 3;
    pub const MD5: u32 = 5;
    pub const SASL: u32 = 10;
    pub const SASL_CONTINUE: u32 = 11;
    pub const SASL_FINAL: u32 = 12;
}

/// Logs in; returns the process that serves the session, when it is on this host.
pub(super) fn log_in(wire: &mut Wire, target: &Target) -> Outcome<Option<u32>> {
    let mut parameters = vec![
        ("user", target.user.as_str()),
        ("database", target.database.as_str()),
        // Set explicitly, because a default that differs between releases passes for a regression.
        ("client_encoding", "UTF8"),
        ("application_name", "humdrum"),
    ];
    parameters.extend(target.options.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    send(wire, |out| frontend::startup_message(parameters, out))?;
    authenticate(wire, target)?;
    let mut process = None;
    wire.until_ready(|tag, body| {
        if tag == tags::BACKEND_KEY {
            process = body.first_chunk::<4>().map(|pid| u32::from_be_bytes(*pid));
        }
    })?;
    Ok(process.filter(|_| matches!(target.endpoint, Endpoint::Unix(_))))
}

fn authenticate(wire: &mut Wire, target: &Target) -> Outcome<()> {
    let password = target.password.as_bytes();
    let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
    loop {
        let (code, body) = next_request(wire)?;
        match code {
            request::OK => return Ok(()),
            request::CLEAR_TEXT if matches!(target.endpoint, Endpoint::Unix(_)) => {
                send(wire, |out| frontend::password_message(password, out))?;
            }
            request::MD5 => {
                let salt = *body.first_chunk::<4>().ok_or_else(|| refused("a salt is missing"))?;
                let hash = md5_hash(target.user.as_bytes(), password, salt);
                send(wire, |out| frontend::password_message(hash.as_bytes(), out))?;
            }
            request::SASL => {
                send(wire, |out| frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out))?;
            }
            request::SASL_CONTINUE => {
                scram.update(&body).map_err(|error| refused(&error.to_string()))?;
                send(wire, |out| frontend::sasl_response(scram.message(), out))?;
            }
            request::SASL_FINAL => scram.finish(&body).map_err(|error| refused(&error.to_string()))?,
            other => {
                let hint = "use scram-sha-256, md5 or trust for this role in pg_hba.conf";
                return Err(refused(&format!("method {other} is not supported here")).hint(hint));
            }
        }
    }
}

/// The next Authentication message: its code and what follows it.
fn next_request(wire: &mut Wire) -> Outcome<(u32, Vec<u8>)> {
    loop {
        let (tag, body) = wire.next()?;
        match tag {
            tags::AUTHENTICATION => {
                let (code, rest) =
                    body.split_first_chunk::<4>().ok_or_else(|| refused("an empty request"))?;
                return Ok((u32::from_be_bytes(*code), rest.to_vec()));
            }
            tags::ERROR => return Err(server_error(body)),
            _ => {}
        }
    }
}

fn send(wire: &mut Wire, build: impl FnOnce(&mut BytesMut) -> std::io::Result<()>) -> Outcome<()> {
    let mut out = BytesMut::new();
    build(&mut out).map_err(|error| refused(&error.to_string()))?;
    wire.send(&out)
}

fn refused(why: &str) -> Fault {
    Fault::crash(format!("cannot log in: {why}"))
}
