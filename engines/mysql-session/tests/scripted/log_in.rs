//! Logging in: each method of authentication, checked as a server checks it, and refusals.

use std::io::Read;
use std::net::TcpListener;

use humdrum_model::FaultKind;
use humdrum_mysql_session::Endpoint;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use crate::peer::{DEPRECATE_EOF, LATIN1_SWEDISH_CI, OTHER_SALT, Peer, SALT, SSL, log_in, on_socket, target};

/// As a server that keeps SHA1(SHA1(p)) checks it.
fn is_native_proof(proof: &[u8], salt: &[u8]) -> bool {
    let kept = Sha1::digest(Sha1::digest(b"secret"));
    let mask = Sha1::new().chain_update(salt).chain_update(kept).finalize();
    let once: Vec<u8> = proof.iter().zip(mask).map(|(left, right)| left ^ right).collect();
    Sha1::digest(once) == kept
}

fn is_sha256_proof(proof: &[u8], salt: &[u8]) -> bool {
    let kept = Sha256::digest(Sha256::digest(b"secret"));
    let mask = Sha256::new().chain_update(kept).chain_update(salt).finalize();
    let once: Vec<u8> = proof.iter().zip(mask).map(|(left, right)| left ^ right).collect();
    Sha256::digest(once) == kept
}

fn switch(plugin: &str) -> Vec<u8> {
    [&[0xfe], plugin.as_bytes(), &[0], OTHER_SALT, &[0]].concat()
}

#[test]
fn native_passwords_and_the_character_set() {
    let (_folder, mut target, server) = on_socket(|peer| {
        peer.greet("5.5.34", "mysql_native_password", !DEPRECATE_EOF);
        let response = peer.response();
        (response, peer.accept())
    });
    target.database = "bench".into();
    let session = log_in(&target).expect("logs in");
    assert_eq!((session.server_version(), session.is_mariadb()), ("5.5.34", false));
    drop(session);
    let (response, said) = server.join().expect("server");
    assert!(is_native_proof(&response.proof, SALT));
    assert_eq!((response.user.as_str(), response.collation), ("lab", LATIN1_SWEDISH_CI));
    assert_eq!(response.rest, b"bench\0mysql_native_password\0");
    assert_eq!(response.capabilities & DEPRECATE_EOF, 0, "only what the server offers");
    assert_eq!(said[0], "SET NAMES latin1 COLLATE latin1_swedish_ci");
    assert!(!said.iter().any(|sql| sql.contains("stats_expiry")), "5.5 does not know it: {said:?}");
}

#[test]
fn an_account_may_have_another_plugin_than_the_server() {
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("8.0.33", "caching_sha2_password", u32::MAX);
        let response = peer.response();
        peer.say(&switch("mysql_native_password"));
        let proof = peer.hear();
        (response, proof, peer.accept())
    });
    drop(log_in(&target).expect("logs in"));
    let (response, proof, said) = server.join().expect("server");
    assert!(is_sha256_proof(&response.proof, SALT) && is_native_proof(&proof, OTHER_SALT));
    assert!(said.iter().any(|sql| sql.contains("stats_expiry")), "{said:?}");
}

#[test]
fn the_hash_may_be_in_the_servers_cache() {
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("9.7.0", "caching_sha2_password", u32::MAX);
        let proof = peer.response().proof;
        peer.say(&[1, 3]);
        peer.accept();
        proof
    });
    drop(log_in(&target).expect("logs in"));
    assert!(is_sha256_proof(&server.join().expect("server"), SALT));
}

#[test]
fn over_a_unix_socket_the_password_itself_may_be_sent() {
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("8.0.12", "caching_sha2_password", u32::MAX);
        peer.response();
        peer.say(&[1, 4]);
        let password = peer.hear();
        peer.accept();
        password
    });
    drop(log_in(&target).expect("logs in"));
    assert_eq!(server.join().expect("server"), b"secret\0");
}

/// No one else may answer in the server's name, and no one may read along.
#[test]
fn over_tcp_the_password_itself_is_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = listener.local_addr().expect("address").port();
    let server = std::thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a client");
        let mut peer = Peer { socket: Box::new(socket), sequence: 0 };
        peer.greet("8.4.0", "caching_sha2_password", !SSL);
        peer.response();
        peer.say(&[1, 4]);
        let mut more = Vec::new();
        peer.socket.read_to_end(&mut more).map(|_| more)
    });
    let fault = log_in(&target(Endpoint::Tcp("127.0.0.1".into(), port))).expect_err("refused");
    assert!(fault.what.contains("over a connection that others may read"), "{fault}");
    assert!(fault.hint.is_some_and(|hint| hint.contains("?ssl-mode=REQUIRED")));
    assert_eq!(server.join().expect("server").expect("hung up"), b"");
}

#[test]
fn empty_passwords() {
    for (plugin, proof) in [("mysql_native_password", &[][..]), ("caching_sha2_password", &[0])] {
        let (_folder, mut target, server) = on_socket(move |peer| {
            peer.greet("8.0.33", plugin, u32::MAX);
            let response = peer.response();
            peer.accept();
            response.proof
        });
        target.password.clear();
        drop(log_in(&target).expect("logs in"));
        assert_eq!(server.join().expect("server"), proof);
    }
}

/// What a server that does not let us in leads to.
fn refusal(script: impl FnOnce(&mut Peer) + Send + 'static) -> humdrum_model::Fault {
    let (_folder, target, server) = on_socket(script);
    let fault = log_in(&target).expect_err("refused");
    server.join().expect("server");
    assert_eq!(fault.kind, FaultKind::Crash, "{fault}");
    fault
}

#[test]
fn refusals_say_why() {
    let denied = refusal(|peer| {
        peer.greet("8.0.33", "caching_sha2_password", u32::MAX);
        peer.response();
        peer.say(b"\xff\x15\x04#28000Access denied for user 'lab'@'localhost'");
    });
    assert!(denied.to_string().contains("ERROR 1045 (28000): Access denied for user 'lab'"), "{denied}");
    assert!(denied.to_string().contains("logging in as lab at "), "{denied}");

    let unknown = refusal(|peer| {
        peer.greet("11.4.5-MariaDB", "mysql_native_password", u32::MAX);
        peer.response();
        peer.say(&switch("client_ed25519"));
    });
    assert!(unknown.what.contains("plugin client_ed25519 is not supported here"), "{unknown}");
    assert!(unknown.hint.is_some_and(|hint| hint.contains("mysql_native_password")));

    let ancient = refusal(|peer| {
        peer.greet("5.5.34", "mysql_native_password", u32::MAX);
        peer.response();
        peer.say(&[0xfe]);
    });
    assert!(ancient.what.contains("before MySQL 4.1"), "{ancient}");

    let full = refusal(|peer| peer.say(b"\xff\x10\x04Too many connections"));
    assert!(full.what.contains("ERROR 1040"), "{full}");

    let endless = refusal(|peer| {
        peer.greet("8.0.33", "caching_sha2_password", u32::MAX);
        peer.response();
        (0..8).for_each(|_| peer.say(&[1, 3]));
    });
    assert!(endless.what.contains("never stopped"), "{endless}");

    let gone = refusal(|peer| peer.greet("8.0.33", "caching_sha2_password", u32::MAX));
    assert!(gone.what.contains("connection"), "{gone}");
}
