//! Logging in: capabilities, character set, account, and authentication.
//!
//! ```text
//!   server   greeting                OK                        the guess was right
//!                                    switch: plugin, salt      another plugin: prove it again
//!                                    more: 3, OK               caching_sha2: the server had the hash
//!                                    more: 4                   it had not: it wants the password itself
//!   client            response                 proof                    password
//! ```
//!
//! With encryption the client answers the greeting with the first half of its response, and sends the whole of it once
//! both have agreed on keys.

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_transport::{Encryption, Endpoint, Wish};

use crate::auth::{Plugin, zero_ended};
use crate::cursor::Cursor;
use crate::greeting::{Greeting, capabilities as can};
use crate::reply::{ServerError, marks};
use crate::target::Target;
use crate::wire::{HEADER_BYTES, Wire};

/// The largest packet that we would send: the protocol's own limit of what can be asked.
const PACKET_BYTES_MAX: u32 = 1 << 30;

/// What `caching_sha2_password` has to say.
mod sha2_words {
    pub const ACCEPTED: u8 = 3;
    pub const SEND_PASSWORD: u8 = 4;
}

/// A server that still asks after so many packets never stops.
const ROUNDS_MAX: usize = 8;

/// Logs in; afterwards the wire knows what shape results have.
pub(crate) fn log_in(wire: &mut Wire, target: &Target, encryption: Option<&Encryption>) -> Outcome<Greeting> {
    let greeting = Greeting::read(wire.next()?)?;
    let plugin = Plugin::named(&greeting.plugin).filter(|plugin| *plugin != Plugin::Clear);
    let mut talk =
        Talk { wire, target, plugin: plugin.unwrap_or(Plugin::Native), salt: greeting.salt.clone() };
    let mut agreed = wanted(target) & greeting.capabilities | can::LONG_PASSWORD;
    if let (Some(encryption), Endpoint::Tcp(host, port)) = (encryption, &target.endpoint) {
        if greeting.capabilities & can::SSL != 0 {
            agreed |= can::SSL;
            talk.encrypt(agreed, (host, *port), encryption)?;
        } else if encryption.wish == Wish::Always {
            return Err(encryption.not_offered());
        }
    }
    talk.respond(agreed)?;
    talk.until_accepted().map_err(|fault| place(fault, target))?;
    wire.short_results = agreed & can::DEPRECATE_EOF != 0;
    Ok(greeting)
}

fn wanted(target: &Target) -> u32 {
    let database = if target.database.is_empty() { 0 } else { can::CONNECT_WITH_DB };
    can::LONG_FLAG
        | can::LOCAL_FILES
        | can::PROTOCOL_41
        | can::TRANSACTIONS
        | can::SECURE_CONNECTION
        | can::MULTI_STATEMENTS
        | can::MULTI_RESULTS
        | can::PLUGIN_AUTH
        | can::DEPRECATE_EOF
        | database
}

fn place(fault: Fault, target: &Target) -> Fault {
    let at = match &target.endpoint {
        Endpoint::Unix(path) => path.display().to_string(),
        Endpoint::Tcp(host, port) => format!("{host}:{port}"),
    };
    fault.at(format!("logging in as {} at {at}", target.user))
}

struct Talk<'a> {
    wire: &'a mut Wire,
    target: &'a Target,
    plugin: Plugin,
    salt: Vec<u8>,
}

impl Talk<'_> {
    fn encrypt(&mut self, agreed: u32, host: (&str, u16), encryption: &Encryption) -> Outcome<()> {
        let mut request = self.first_half(agreed);
        self.wire.answer(&mut request)?;
        self.wire.encrypt(host, encryption)
    }

    /// What a response and a request for encryption begin with, behind room for a header.
    fn first_half(&self, agreed: u32) -> Vec<u8> {
        let mut out = vec![0; HEADER_BYTES];
        out.extend_from_slice(&agreed.to_le_bytes());
        out.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
        out.push(self.target.character_set.number());
        out.extend_from_slice(&[0; 23]);
        out
    }

    fn respond(&mut self, agreed: u32) -> Outcome<()> {
        let proof = self.prove();
        let mut out = self.first_half(agreed);
        out.extend(zero_ended(self.target.user.as_bytes()));
        out.push(proof.len() as u8); // 32 bytes at most
        out.extend(proof);
        if agreed & can::CONNECT_WITH_DB != 0 {
            out.extend(zero_ended(self.target.database.as_bytes()));
        }
        if agreed & can::PLUGIN_AUTH != 0 {
            out.extend(zero_ended(self.plugin.name().as_bytes()));
        }
        self.wire.answer(&mut out)
    }

    fn prove(&self) -> Vec<u8> {
        self.plugin.prove(self.target.password.as_bytes(), &self.salt)
    }

    fn until_accepted(&mut self) -> Outcome<()> {
        for _ in 0..ROUNDS_MAX {
            let packet = self.wire.next()?.to_vec();
            match packet.first() {
                Some(&marks::OK) => return Ok(()),
                Some(&marks::ERROR) => return Err(refused(&ServerError::read(&packet).to_string())),
                Some(&marks::END) => self.switch(&packet[1..])?,
                Some(&marks::MORE_AUTHENTICATION) if self.plugin == Plugin::CachingSha2 => {
                    self.go_on(packet.get(1).copied())?;
                }
                other => return Err(refused(&format!("the server went on with {other:?}"))),
            }
        }
        Err(refused("the server never stopped asking"))
    }

    /// The account has another plugin than the server guessed.
    fn switch(&mut self, request: &[u8]) -> Outcome<()> {
        if request.is_empty() {
            return Err(refused("the account has a password from before MySQL 4.1").hint(OTHER_ACCOUNT));
        }
        let mut rest = Cursor::new(request);
        let name = String::from_utf8_lossy(rest.until_zero()).into_owned();
        let known = Plugin::named(&name);
        self.plugin = known
            .ok_or_else(|| refused(&format!("plugin {name} is not supported here")).hint(OTHER_ACCOUNT))?;
        if self.plugin == Plugin::Clear && !self.may_be_clear() {
            let what = "the server wants the password unencrypted, over a connection that others may read";
            return Err(refused(what).hint("write ?ssl-mode=VERIFY_IDENTITY, or use a Unix socket"));
        }
        self.salt = rest.rest().to_vec();
        let proof = self.prove();
        self.say(&proof)
    }

    fn go_on(&mut self, word: Option<u8>) -> Outcome<()> {
        match word {
            Some(sha2_words::ACCEPTED) => Ok(()),
            Some(sha2_words::SEND_PASSWORD) if self.is_safe() => {
                self.say(&zero_ended(self.target.password.as_bytes()))
            }
            Some(sha2_words::SEND_PASSWORD) => {
                let what = "the server does not have this account's password in its cache, and asks for it over a \
                            connection that others may read";
                Err(refused(what).hint(ENCRYPT))
            }
            other => Err(refused(&format!("caching_sha2_password went on with {other:?}"))),
        }
    }

    /// As the server's own clients see it: a Unix socket, or any encryption.
    fn is_safe(&self) -> bool {
        let socket = self.wire.socket();
        socket.is_private() || socket.encryption().is_some()
    }

    /// The server's own clients must be told to send a password like this: the user must have demanded encryption.
    fn may_be_clear(&self) -> bool {
        let encryption = self.target.encryption.as_ref();
        let demanded = encryption.is_some_and(|encryption| encryption.wish == Wish::Always);
        self.wire.socket().is_private() || demanded && self.is_safe()
    }

    fn say(&mut self, words: &[u8]) -> Outcome<()> {
        self.wire.answer(&mut [&[0; HEADER_BYTES], words].concat())
    }
}

const OTHER_ACCOUNT: &str = "use an account identified with mysql_native_password or caching_sha2_password";
const ENCRYPT: &str = "write ?ssl-mode=REQUIRED (or VERIFY_IDENTITY, if the server's certificate is signed by an \
                       authority), or use a Unix socket";

fn refused(why: &str) -> Fault {
    Fault::crash(format!("cannot log in: {why}"))
}
