//! Logging in: capabilities, character set, account, and authentication.
//!
//! ```text
//!   server   greeting                OK                        the guess was right
//!                                    switch: plugin, salt      another plugin: prove it again
//!                                    more: 3, OK               caching_sha2: the server had the hash
//!                                    more: 4                   it had not: it wants the password itself
//!   client            response                 proof                    password
//! ```

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_transport::Endpoint;

use crate::auth::{Plugin, xor, zero_ended};
use crate::cursor::Cursor;
use crate::greeting::{Greeting, capabilities as can};
use crate::oaep;
use crate::reply::{ServerError, marks};
use crate::target::Target;
use crate::wire::{HEADER_BYTES, Wire};

/// The largest packet that we would send: the protocol's own limit of what can be asked.
const PACKET_BYTES_MAX: u32 = 1 << 30;

/// What `caching_sha2_password` has to say.
mod sha2_words {
    pub const ACCEPTED: u8 = 3;
    pub const SEND_PASSWORD: u8 = 4;
    /// Ours: asks for the key to encrypt the password with.
    pub const SEND_KEY: u8 = 2;
}

/// A server that still asks after so many packets never stops.
const ROUNDS_MAX: usize = 8;

/// Logs in; afterwards the wire knows what shape results have.
pub(crate) fn log_in(wire: &mut Wire, target: &Target) -> Outcome<Greeting> {
    let greeting = Greeting::read(wire.next()?)?;
    let plugin = Plugin::named(&greeting.plugin).filter(|plugin| *plugin != Plugin::Clear);
    let mut talk =
        Talk { wire, target, plugin: plugin.unwrap_or(Plugin::Native), salt: greeting.salt.clone() };
    let agreed = wanted(target) & greeting.capabilities | can::LONG_PASSWORD;
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
    fn respond(&mut self, agreed: u32) -> Outcome<()> {
        let proof = self.prove();
        let mut out = vec![0; HEADER_BYTES];
        out.extend_from_slice(&agreed.to_le_bytes());
        out.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
        out.push(self.target.character_set.number());
        out.extend_from_slice(&[0; 23]);
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
        if self.plugin == Plugin::Clear && !self.wire.socket().is_private() {
            let what = "the server wants the password unencrypted, and the connection is not a Unix socket";
            return Err(refused(what).hint(OTHER_ACCOUNT));
        }
        self.salt = rest.rest().to_vec();
        let proof = self.prove();
        self.say(&proof)
    }

    fn go_on(&mut self, word: Option<u8>) -> Outcome<()> {
        match word {
            Some(sha2_words::ACCEPTED) => Ok(()),
            Some(sha2_words::SEND_PASSWORD) if self.wire.socket().is_private() => {
                self.say(&zero_ended(self.target.password.as_bytes()))
            }
            Some(sha2_words::SEND_PASSWORD) if self.wire.socket().is_local() => self.send_encrypted(),
            Some(sha2_words::SEND_PASSWORD) => {
                let what = "the server does not have this account's password in its cache, and asks for it over \
                            a network where others may answer in its name";
                Err(refused(what).hint(SEED_CACHE))
            }
            other => Err(refused(&format!("caching_sha2_password went on with {other:?}"))),
        }
    }

    /// Sends the password encrypted with the key that the other side sent: only on this host, where no third
    /// party can send one.
    fn send_encrypted(&mut self) -> Outcome<()> {
        self.say(&[sha2_words::SEND_KEY])?;
        let packet = self.wire.next()?;
        if packet.first() != Some(&marks::MORE_AUTHENTICATION) {
            return Err(refused("the server has no key to encrypt the password with").hint(SEED_CACHE));
        }
        let key = oaep::PublicKey::read(&packet[1..])?;
        let salt = &self.salt[..self.salt.len().min(20)];
        let masked =
            xor(&zero_ended(self.target.password.as_bytes()), if salt.is_empty() { &[0] } else { salt });
        let encrypted = key.encrypt(&masked)?;
        self.say(&encrypted)
    }

    fn say(&mut self, words: &[u8]) -> Outcome<()> {
        self.wire.answer(&mut [&[0; HEADER_BYTES], words].concat())
    }
}

const OTHER_ACCOUNT: &str = "use an account identified with mysql_native_password or caching_sha2_password";
const SEED_CACHE: &str = "log in to this account once with the server's own client (mysql -h … -u … -p) so that \
                          the server has the password in its cache, or use an account without one";

fn refused(why: &str) -> Fault {
    Fault::crash(format!("cannot log in: {why}"))
}
