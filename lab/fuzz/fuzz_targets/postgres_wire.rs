//! Messages of a Postgres server. An even first byte puts a log-in in front of the rest.
#![no_main]

use std::time::Duration;

use humdrum_fuzz::{Peer, use_session};
use humdrum_postgres_session::{Target, connect};
use humdrum_transport::Endpoint;
use libfuzzer_sys::fuzz_target;

const LOGGED_IN: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

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
        options: Vec::new(),
        is_ours: false,
    };
    if let Ok(mut session) = connect(&target, Duration::from_secs(10)) {
        use_session(&mut session);
    }
});
