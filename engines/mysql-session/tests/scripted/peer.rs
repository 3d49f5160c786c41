//! A scripted server: the test decides its messages, and it checks the numbers of packets.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::thread::JoinHandle;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_mysql_session::{CharacterSet, Endpoint, Session, Target, connect};
use tempfile::TempDir;

pub const SALT: &[u8; 20] = b"abcdefghijklmnopqrst";
pub const OTHER_SALT: &[u8; 20] = b"tsrqponmlkjihgfedcba";
pub const OK: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
pub const LATIN1_SWEDISH_CI: u8 = 8;
pub const DEPRECATE_EOF: u32 = 1 << 24;
pub const SSL: u32 = 1 << 11;

pub trait Socket: Read + Write + Send {}
impl<T: Read + Write + Send> Socket for T {}

/// The server's side of a connection.
pub struct Peer {
    pub socket: Box<dyn Socket>,
    pub sequence: u8,
}

/// What a client sent to log in.
#[derive(Debug)]
pub struct Response {
    pub capabilities: u32,
    pub collation: u8,
    pub user: String,
    pub proof: Vec<u8>,
    /// Schema and plugin.
    pub rest: Vec<u8>,
}

impl Peer {
    pub fn say(&mut self, payload: &[u8]) {
        let length = (payload.len() as u32).to_le_bytes();
        let packet = [&length[..3], &[self.sequence], payload].concat();
        self.socket.write_all(&packet).expect("client listens");
        self.sequence = self.sequence.wrapping_add(1);
    }

    /// The next packet, whose number must follow ours.
    pub fn hear(&mut self) -> Vec<u8> {
        let mut header = [0; 4];
        self.socket.read_exact(&mut header).expect("client speaks");
        assert_eq!(header[3], self.sequence, "packets are numbered through");
        self.sequence = self.sequence.wrapping_add(1);
        let mut payload = vec![0; u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize];
        self.socket.read_exact(&mut payload).expect("client speaks");
        payload
    }

    pub fn greet(&mut self, version: &str, plugin: &str, capabilities: u32) {
        let [a, b, c, d] = capabilities.to_le_bytes();
        let mut packet = vec![10];
        packet.extend_from_slice(version.as_bytes());
        packet.extend_from_slice(&[0, 7, 0, 0, 0]);
        packet.extend_from_slice(&SALT[..8]);
        packet.extend_from_slice(&[0, a, b, LATIN1_SWEDISH_CI, 2, 0, c, d, 21]);
        packet.extend_from_slice(&[0; 10]);
        packet.extend_from_slice(&SALT[8..]);
        packet.push(0);
        packet.extend_from_slice(plugin.as_bytes());
        packet.push(0);
        self.say(&packet);
    }

    pub fn response(&mut self) -> Response {
        let packet = self.hear();
        let number = |at: usize| u32::from_le_bytes(packet[at..at + 4].try_into().expect("four bytes"));
        let user_end = 32 + packet[32..].iter().position(|byte| *byte == 0).expect("an end");
        let proof_start = user_end + 2;
        let proof_end = proof_start + usize::from(packet[user_end + 1]);
        Response {
            capabilities: number(0),
            collation: packet[8],
            user: String::from_utf8(packet[32..user_end].to_vec()).expect("ascii"),
            proof: packet[proof_start..proof_end].to_vec(),
            rest: packet[proof_end..].to_vec(),
        }
    }

    /// Says yes to everything until the client says goodbye; returns the commands.
    pub fn agree(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            self.sequence = 0;
            let command = self.hear();
            if command[0] == 1 {
                return said;
            }
            said.push(String::from_utf8_lossy(&command[1..]).into_owned());
            self.say(OK);
        }
    }

    pub fn accept(&mut self) -> Vec<String> {
        self.say(OK);
        self.agree()
    }
}

pub fn on_socket<T: Send + 'static>(
    script: impl FnOnce(&mut Peer) -> T + Send + 'static,
) -> (TempDir, Target, JoinHandle<T>) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).expect("binds");
    let server = std::thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a client");
        script(&mut Peer { socket: Box::new(socket), sequence: 0 })
    });
    (folder, target(Endpoint::Unix(path)), server)
}

pub fn target(endpoint: Endpoint) -> Target {
    Target {
        endpoint,
        user: "lab".into(),
        password: "secret".into(),
        database: String::new(),
        encryption: None,
        character_set: CharacterSet::LATIN1,
        is_ours: false,
    }
}

pub fn log_in(target: &Target) -> Outcome<Session> {
    connect(target, Duration::from_secs(10))
}
