//! After the log-in: silence, statements that cannot be prepared, wrong parameters, noise.

use std::time::Duration;

use humdrum_contract::{Param, ParamType, SqlSession};
use humdrum_model::FaultKind;
use humdrum_mysql_session::connect;
use proptest::prelude::*;

use crate::peer::{OK, log_in, on_socket};

#[test]
fn silence_is_a_timeout_and_ends_the_session() {
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("5.7.22", "mysql_native_password", u32::MAX);
        peer.response();
        peer.say(OK);
        for _ in 0..2 {
            peer.sequence = 0;
            peer.hear();
            peer.say(OK);
        }
        let mut rest = Vec::new();
        peer.socket.read_to_end(&mut rest).expect("hears the end");
        rest
    });
    let mut session = connect(&target, Duration::from_millis(200)).expect("logs in");
    let fault = session.run_text("SELECT 1").expect_err("nobody answers");
    // The question for the serving thread was the first that nobody answered.
    assert!(fault.kind == FaultKind::Timeout || fault.what.contains("given up"), "{fault}");
    assert!(session.run_text("SELECT 1").expect_err("over").what.contains("given up"));
    drop(session);
    server.join().expect("server");
}

/// BEGIN cannot be prepared by most servers, and is sent as text instead.
#[test]
fn what_cannot_be_prepared_is_sent_as_text() {
    const NOT_PREPARED: &[u8] =
        b"\xff\x0f\x05#HY000This command is not supported in the prepared statement protocol yet";
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("5.7.22", "mysql_native_password", u32::MAX);
        peer.response();
        peer.say(OK);
        let mut said = Vec::new();
        loop {
            peer.sequence = 0;
            let command = peer.hear();
            match command[0] {
                1 => return said,
                0x16 if command.ends_with(b"BEGIN") || command.ends_with(b"?") => peer.say(NOT_PREPARED),
                _ => peer.say(OK),
            }
            said.push(command);
        }
    });
    let mut session = log_in(&target).expect("logs in");
    let begin = session.prepare("BEGIN", &[]).expect("is kept as text");
    session.run(begin, &[]).expect("runs");
    assert_eq!(session.run_checked(begin, &[]).expect("runs").rows, 0);
    let fault = session.prepare("SIGNAL ?", &[ParamType::Int]).expect_err("has a parameter");
    assert!(fault.to_string().contains("preparing `SIGNAL ?`: ERROR 1295"), "{fault}");
    drop(session);
    let said = server.join().expect("server");
    assert_eq!(said.iter().filter(|command| command.as_slice() == b"\x03BEGIN").count(), 2);
}

/// Two round trips: one to prepare, one to run. Nothing answers the message that closes it.
#[test]
fn a_statement_may_be_prepared_and_closed_each_time() {
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("8.0.33", "mysql_native_password", u32::MAX);
        peer.response();
        peer.say(OK);
        let (mut said, mut id) = (Vec::new(), 6);
        loop {
            peer.sequence = 0;
            let command = peer.hear();
            match command[0] {
                1 => return said,
                0x16 if command.ends_with(b"BEGIN") => {
                    peer.say(b"\xff\x0f\x05#HY000This command is not supported");
                }
                0x16 => {
                    id += 1;
                    peer.say(&[0, id, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
                    peer.say(b"\x03def\0\0\0\x01?\0\x0c\x3f\0\0\0\0\0\xfd\0\0\0\0\0");
                }
                0x17 if id == 9 => peer.say(b"\xff\x10\x04#HY000no"),
                0x19 => {}
                _ => peer.say(OK),
            }
            if (0x16..=0x19).contains(&command[0]) {
                said.push((command[0], command[1]));
            }
        }
    });
    let mut session = log_in(&target).expect("logs in");
    let each = session.prepare_each_time("DO ?", &[ParamType::Inferred]).expect("is kept");
    session.run(each, &[Param::Long(1)]).expect("runs");
    session.run_checked(each, &[Param::Long(1)]).expect("runs");
    session.fetch(each, &[Param::Long(1)]).expect_err("fails, and is closed");
    let begin = session.prepare_each_time("BEGIN", &[]).expect("is kept");
    session.run(begin, &[]).expect("runs as text");
    session.run(begin, &[]).expect("runs as text");
    drop(session);
    let ids = [7, 8, 9].map(|id| [(0x16, b'D'), (0x17, id), (0x19, id)]);
    assert_eq!(server.join().expect("server"), [&ids.concat()[..], &[(0x16, b'B')]].concat());
}

#[test]
fn a_statement_must_have_the_parameters_it_was_declared_with() {
    let (_folder, target, server) = on_socket(|peer| {
        peer.greet("5.7.22", "mysql_native_password", u32::MAX);
        peer.response();
        peer.say(OK);
        loop {
            peer.sequence = 0;
            match peer.hear()[0] {
                1 => return,
                0x16 => {
                    peer.say(&[0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
                    peer.say(b"\x03def\0\0\0\x01?\0\x0c\x3f\0\0\0\0\0\xfd\0\0\0\0\0");
                    peer.say(b"\x03def\0\0\0\x01?\0\x0c\x3f\0\0\0\0\0\xfd\0\0\0\0\0");
                }
                _ => peer.say(OK),
            }
        }
    });
    let mut session = log_in(&target).expect("logs in");
    let fault = session.prepare("DO ? + ?", &[ParamType::Int]).expect_err("two");
    assert_eq!((fault.kind, fault.exit_code()), (FaultKind::Usage, 2));
    let sum = session.prepare("DO ? + ?", &[ParamType::Int; 2]).expect("prepares");
    assert_eq!(session.run(sum, &[Param::Int(1), Param::Int(2)]).expect("runs"), 0);
    drop(session);
    server.join().expect("server");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A server may send anything: the client ends with a fault, or a session, and never panics or hangs.
    #[test]
    fn any_server_is_survived(
        greets: bool,
        noise in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
    ) {
        let (_folder, target, server) = on_socket(move |peer| {
            if greets {
                peer.greet("8.0.33", "caching_sha2_password", u32::MAX);
            }
            for (payload, sequence) in noise.iter().zip(1u8..) {
                let length = (payload.len() as u32).to_le_bytes();
                let packet = [&length[..3], &[sequence], payload].concat();
                // The client may have had enough.
                if peer.socket.write_all(&packet).is_err() {
                    return;
                }
            }
        });
        if let Ok(mut session) = log_in(&target) {
            let _ = session.query("SELECT 1");
            let _ = session.prepare("SELECT 1", &[]);
            let _ = session.run_text_checked("SELECT 1");
        }
        server.join().expect("server");
    }
}
