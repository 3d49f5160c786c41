//! Downloads one file over HTTP in several attempts; each continues where the previous one broke off.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use humdrum_contract::{Interrupt, Outcome, Progress, Update};
use humdrum_model::Fault;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::artifact::Artifact;

/// Bytes between two looks at Ctrl-C.
const CHUNK_BYTES: usize = 64 * 1024;
/// No checksum file is longer; the release file of a Debian suite is some 200 kB.
const SMALL_BYTES: u64 = 1 << 20;

/// How long to keep trying.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Attempts without a single byte of progress.
    pub attempts: u32,
    /// Pause after the first failure; doubles with each further one.
    pub pause: Duration,
    /// Silence after which a connection counts as broken.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { attempts: 5, pause: Duration::from_millis(500), silence: Duration::from_secs(10) }
    }
}

pub(super) struct Transfer<'a> {
    pub artifact: &'a Artifact,
    pub part: &'a Path,
    pub interrupt: &'a Interrupt,
    pub progress: &'a dyn Progress,
    pub patience: Patience,
}

/// How an attempt failed.
enum Broken {
    /// May succeed next time; says whether any byte came.
    Passing { why: String, advanced: bool },
    /// Will not.
    Final(Fault),
}

impl Transfer<'_> {
    /// Downloads into `part` until it is whole.
    pub(super) fn run(&self) -> Outcome<()> {
        let agent = agent(self.patience);
        let mut failures = 0;
        loop {
            self.interrupt.check()?;
            let (why, advanced) = match self.attempt(&agent) {
                Ok(()) => return Ok(()),
                Err(Broken::Final(fault)) => return Err(fault),
                Err(Broken::Passing { why, advanced }) => (why, advanced),
            };
            failures = if advanced { 1 } else { failures + 1 };
            if failures >= self.patience.attempts {
                return Err(unreachable_fault(&self.artifact.name, &self.artifact.url, &why));
            }
            self.progress.update(Update::Note(&format!("{}: {why}; trying again", self.artifact.name)));
            pause(self.patience.pause * 2_u32.pow(failures - 1), self.interrupt)?;
        }
    }

    fn attempt(&self, agent: &Agent) -> Result<(), Broken> {
        let mut file = self.open_part()?;
        let have = file.metadata().map(|meta| meta.len()).map_err(|error| self.disk(&error))?;
        let mut request = agent.get(&self.artifact.url);
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let response = request.call().map_err(|error| passing(&error, false))?;
        let from = match response.status() {
            StatusCode::PARTIAL_CONTENT if starts_at(&response, have) => have,
            StatusCode::OK => 0,
            // Nothing after what we have: it is whole, or of another file; its checksum will tell.
            StatusCode::RANGE_NOT_SATISFIABLE if ends_at(&response, have) => return Ok(()),
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                file.set_len(0).map_err(|error| self.disk(&error))?;
                return Err(Broken::Passing {
                    why: "the server cannot go on from there".into(),
                    advanced: false,
                });
            }
            status => return Err(self.refused(status)),
        };
        file.set_len(from).map_err(|error| self.disk(&error))?;
        file.seek(SeekFrom::Start(from)).map_err(|error| self.disk(&error))?;
        self.copy(response, &mut file, from, have)
    }

    /// From `from` on. Only what lies beyond `had`, which an earlier attempt left, is an advance: a server that begins anew
    /// each time and breaks off is not tried for ever.
    fn copy(&self, response: Response<Body>, file: &mut File, from: u64, had: u64) -> Result<(), Broken> {
        let total = response.body().content_length().map(|length| length + from);
        let mut reader = response.into_body().into_reader();
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut done = from;
        loop {
            self.interrupt.check().map_err(Broken::Final)?;
            let read = reader.read(&mut chunk).map_err(|error| passing(&error, done > had))?;
            if read == 0 {
                break;
            }
            file.write_all(&chunk[..read]).map_err(|error| self.disk(&error))?;
            done += read as u64;
            let what = &self.artifact.name;
            self.progress.update(Update::Part { what, done, total, unit: "bytes" });
        }
        match total {
            Some(total) if done < total => Err(Broken::Passing {
                why: format!("broke off after {done} of {total} bytes"),
                advanced: done > had,
            }),
            _ => file.sync_all().map_err(|error| self.disk(&error)),
        }
    }

    fn open_part(&self) -> Result<File, Broken> {
        let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(self.part);
        opened.map_err(|error| self.disk(&error))
    }

    fn refused(&self, status: StatusCode) -> Broken {
        if is_passing(status) {
            return Broken::Passing { why: format!("the server says {status}"), advanced: false };
        }
        let fault = Fault::environment(format!("cannot fetch {}: {status}", self.artifact.url));
        Broken::Final(
            fault.hint(
                "is what HUMDRUM_MAVEN_REPOSITORY, ~/.m2/settings.xml or HUMDRUM_DEBIAN_MIRROR names a whole mirror?",
            ),
        )
    }

    fn disk(&self, error: &std::io::Error) -> Broken {
        let fault = Fault::environment(format!("cannot write {}: {error}", self.part.display()));
        Broken::Final(fault.hint("`humdrum clean`, or HUMDRUM_CACHE on a disk with room"))
    }
}

/// A small text; `None` where the server says there is none.
pub(super) fn small_text(url: &str, interrupt: &Interrupt, patience: Patience) -> Outcome<Option<String>> {
    let agent = agent(patience);
    let mut failures = 0;
    loop {
        interrupt.check()?;
        let why = match agent.get(url).call() {
            Ok(response) if response.status() == StatusCode::OK => {
                let mut body = response.into_body();
                match body.with_config().limit(SMALL_BYTES).read_to_string() {
                    Ok(text) => return Ok(Some(text)),
                    Err(error) => error.to_string(),
                }
            }
            Ok(response) if !is_passing(response.status()) => return Ok(None),
            Ok(response) => format!("the server says {}", response.status()),
            Err(error) => error.to_string(),
        };
        failures += 1;
        if failures >= patience.attempts {
            return Err(unreachable_fault(url.rsplit('/').next().unwrap_or(url), url, &why));
        }
        pause(patience.pause * 2_u32.pow(failures - 1), interrupt)?;
    }
}

fn agent(patience: Patience) -> Agent {
    // The host's own certificates: a company's mirror or proxy is signed by the company.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .timeout_resolve(Some(patience.silence))
        .timeout_connect(Some(patience.silence))
        .timeout_recv_response(Some(patience.silence * 3))
        .timeout_per_read(Some(patience.silence))
        .user_agent(concat!("humdrum/", env!("CARGO_PKG_VERSION")))
        // A file's bytes are wanted as they are kept there.
        .accept_encoding("identity");
    config.build().new_agent()
}

fn starts_at(response: &Response<Body>, offset: u64) -> bool {
    content_range(response).is_some_and(|range| range.starts_with(&format!("bytes {offset}-")))
}

fn ends_at(response: &Response<Body>, length: u64) -> bool {
    content_range(response).is_some_and(|range| range == format!("bytes */{length}"))
}

fn content_range(response: &Response<Body>) -> Option<&str> {
    response.headers().get(header::CONTENT_RANGE)?.to_str().ok()
}

fn is_passing(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

fn passing(error: &dyn std::error::Error, advanced: bool) -> Broken {
    Broken::Passing { why: error.to_string(), advanced }
}

fn unreachable_fault(what: &str, url: &str, why: &str) -> Fault {
    Fault::environment(format!("cannot fetch {what} from {url}: {why}")).hint(
        "check the network. A mirror can be named by HUMDRUM_MAVEN_REPOSITORY or HUMDRUM_DEBIAN_MIRROR, a \
         proxy by HTTPS_PROXY",
    )
}

/// Sleeps, and wakes for Ctrl-C.
fn pause(length: Duration, interrupt: &Interrupt) -> Outcome<()> {
    let end = std::time::Instant::now() + length;
    while let Some(left) = end.checked_duration_since(std::time::Instant::now()) {
        interrupt.check()?;
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
    interrupt.check()
}
