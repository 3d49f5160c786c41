//! Start-up, encryption and authentication: the cold path, through `postgres-protocol`. SCRAM-SHA-256 and MD5 are
//! supported, SCRAM bound to an encrypted connection where the server offers it (SCRAM-SHA-256-PLUS). Clear-text passwords
//! are sent only over a Unix socket, where no one else can listen, and where the user demands encryption.

use bytes::BytesMut;
use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_transport::{Binding, Encryption, Wish};
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{
    ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};
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
    Ok(process.filter(|_| target.is_ours || matches!(target.endpoint, Endpoint::Unix(_))))
}

/// Asks for encryption, and agrees on keys.
pub(super) fn encrypt(wire: &mut Wire, endpoint: &Endpoint, encryption: &Encryption) -> Outcome<()> {
    let Endpoint::Tcp(host, port) = endpoint else { return Ok(()) };
    send(wire, |out| {
        frontend::ssl_request(out);
        Ok(())
    })?;
    match wire.lone_byte()? {
        b'S' => wire.encrypt((host, *port), encryption),
        b'N' if encryption.wish == Wish::IfOffered => Ok(()),
        b'N' => Err(encryption.not_offered()),
        // It is full, or has no memory; it says so in a way that no one can vouch for.
        tags::ERROR => Err(refused("the server answers the request for encryption with an error")),
        other => Err(refused(&format!("the server answers the request for encryption with byte {other}"))
            .hint("check host and port")),
    }
}

/// Whether a server that refuses this log-in may accept it with encryption, or without: pg_hba.conf tells the two apart
/// (invalid_authorization_specification).
pub(super) fn is_refusal(fault: &Fault) -> bool {
    fault.what.contains("[28000]")
}

fn authenticate(wire: &mut Wire, target: &Target) -> Outcome<()> {
    let password = target.password.as_bytes();
    let demanded = target.encryption.as_ref().is_some_and(|encryption| encryption.wish == Wish::Always);
    let socket = wire.socket();
    let may_be_clear = socket.is_private() || demanded && socket.encryption().is_some();
    let binding = target.encryption.as_ref().map_or(Binding::Never, |encryption| encryption.binding);
    let mut scram: Option<Scram> = None;
    loop {
        let (code, body) = next_request(wire).map_err(|fault| uncertified(fault, target))?;
        match (code, &mut scram) {
            (request::OK, Some(Scram { verified: false, .. })) => {
                return Err(refused("the server did not prove that it knows the password"));
            }
            (_, None) if binding == Binding::Always && code != request::SASL => return Err(unbound()),
            (request::OK, _) => return Ok(()),
            (request::CLEAR_TEXT, None) if may_be_clear => {
                send(wire, |out| frontend::password_message(password, out))?;
            }
            (request::CLEAR_TEXT, None) => {
                let what =
                    "the server wants the password unencrypted, over a connection that others may read";
                return Err(refused(what).hint("write ?sslmode=verify-full, or use a Unix socket"));
            }
            (request::MD5, None) => {
                let salt = *body.first_chunk::<4>().ok_or_else(|| refused("a salt is missing"))?;
                let hash = md5_hash(target.user.as_bytes(), password, salt);
                send(wire, |out| frontend::password_message(hash.as_bytes(), out))?;
            }
            (request::SASL, None) => {
                let begun = Scram::new(password, binding, wire.socket().end_point(), &body)?;
                send(wire, |out| {
                    frontend::sasl_initial_response(begun.mechanism, begun.exchange.message(), out)
                })?;
                scram = Some(begun);
            }
            (request::SASL_CONTINUE, Some(scram)) if !scram.verified => {
                scram.exchange.update(&body).map_err(|error| refused(&error.to_string()))?;
                send(wire, |out| frontend::sasl_response(scram.exchange.message(), out))?;
            }
            (request::SASL_FINAL, Some(scram)) => {
                scram.exchange.finish(&body).map_err(|error| refused(&error.to_string()))?;
                scram.verified = true;
            }
            (other, _) => {
                let hint = "use scram-sha-256, md5 or trust for this role in pg_hba.conf";
                return Err(refused(&format!("method {other} is not supported here")).hint(hint));
            }
        }
    }
}

/// What to type where the server asks for a certificate of the client.
fn uncertified(fault: Fault, target: &Target) -> Fault {
    match &target.encryption {
        Some(encryption) if fault.what.contains("certificate") => {
            let option = encryption.spelling.identity;
            fault.hint(format!("name a certificate that the server accepts for {}: {option}", target.user))
        }
        _ => fault,
    }
}

/// One exchange of SCRAM.
struct Scram {
    exchange: ScramSha256,
    mechanism: &'static str,
    /// The server has proven that it knows the password.
    verified: bool,
}

impl Scram {
    /// `offered` are the names of mechanisms, each with a zero behind it. `end_point` is the hash of the server's
    /// certificate, where there is one.
    fn new(password: &[u8], binding: Binding, end_point: Option<Vec<u8>>, offered: &[u8]) -> Outcome<Self> {
        let offers = |name: &str| offered.split(|byte| *byte == 0).any(|one| one == name.as_bytes());
        let (bound, channel) = match (binding, end_point) {
            (Binding::IfOffered | Binding::Always, Some(hash)) if offers(SCRAM_SHA_256_PLUS) => {
                (true, ChannelBinding::tls_server_end_point(hash))
            }
            (Binding::Always, _) => return Err(unbound()),
            // Says that we could: a server that offers it knows then that someone took its offer out.
            (Binding::IfOffered, Some(_)) => (false, ChannelBinding::unrequested()),
            _ => (false, ChannelBinding::unsupported()),
        };
        let mechanism = if bound { SCRAM_SHA_256_PLUS } else { SCRAM_SHA_256 };
        if !offers(mechanism) {
            return Err(refused("the server offers no SCRAM-SHA-256"));
        }
        Ok(Self { exchange: ScramSha256::new(password, channel), mechanism, verified: false })
    }
}

fn unbound() -> Fault {
    refused("channel_binding=require demands a password that is bound to an encrypted connection")
        .hint("it takes sslmode=require or stronger, and scram-sha-256 for this role in pg_hba.conf")
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
