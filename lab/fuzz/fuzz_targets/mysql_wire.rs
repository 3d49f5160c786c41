//! Packets of a MySQL server. An even first byte puts a log-in in front of the rest.
#![no_main]

use std::time::Duration;

use humdrum_fuzz::{Peer, use_session};
use humdrum_mysql_session::{CharacterSet, Target, connect};
use humdrum_transport::Endpoint;
use libfuzzer_sys::fuzz_target;

/// A greeting of 8.0.33, and OK for the log-in and for three statements.
const LOGGED_IN: &[u8] = b"\x4a\0\0\0\x0a8.0.33\0\x07\0\0\0abcdefgh\0\xff\xff\x08\x02\0\xff\xff\x15\0\0\0\0\0\0\0\0\0\0ijklmnopqrst\0\
caching_sha2_password\0\x07\0\0\x02\0\0\0\x02\0\0\0\x07\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\x01\0\0\0\x02\0\0\0";

fuzz_target!(|input: &[u8]| {
    let [choice, rest @ ..] = input else { return };
    let peer = Peer::get();
    peer.say([if choice % 2 == 0 { LOGGED_IN } else { &[] }, rest].concat());
    let target = Target {
        endpoint: Endpoint::Unix(peer.socket.clone()),
        user: "lab".into(),
        password: "secret".into(),
        database: String::new(),
        encryption: None,
        character_set: CharacterSet::LATIN1,
        is_ours: false,
    };
    if let Ok(mut session) = connect(&target, Duration::from_secs(10)) {
        use_session(&mut session);
    }
});
