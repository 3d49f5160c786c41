//! Every step of the kv suite on real libraries at a tiny scale, in the reference's order and configurations: the same
//! operations give the same answers and leave the same store on every release. After each step every key is looked up,
//! and the whole store is read: every byte, the order of keys, how many there are.
//!
//! By default two releases and `byrx`; `HUMDRUM_KV_SUITE` names releases, with commas between them, or `all` of the
//! catalogue, and has them go through `byrx`, `iobuf` and `iodir`.

use std::time::Duration;

use humdrum_contract::{
    Answer, Batch, Client, Connection, Dirs, Engine, HostClock, Interrupt, KvBatch, KvOperation, KvStore,
    Operation, Outcome, Seat, Server, Silent, Sizing, Workload,
};
use humdrum_engine_rocksdb::{Launch, Rocksdb, play_worker_by_environment};
use humdrum_model::{Contents, Fault, FaultKind, Scale, TestInfo};
use humdrum_plan::parse_subject;
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;
use humdrum_workload_kv::Kv;

const DEFAULT: &str = "10.2.1,10.10.1";
const CONFIGURATIONS: [&str; 3] = ["byrx", "iobuf", "iodir"];
const PATIENCE: Duration = Duration::from_secs(120);
const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 8 };
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;
const KEYS: u64 = 20_000;
/// Each step's operations come in so many portions of so many, as slices would.
const PORTIONS: u64 = 3;
const PORTION: u64 = 1500;
/// Of these, so many are checked by themselves.
const CHECKED: u64 = 5;

/// Not a test: what the workers of the other one run.
#[test]
fn plays_the_worker() {
    play_worker_by_environment();
}

fn scale() -> Scale {
    Scale { name: "custom".into(), rows: KEYS, tables: 1, clients: 1, more: Default::default() }
}

/// What one step gave and left behind.
#[derive(Debug, PartialEq)]
struct Entry {
    step: String,
    answer: Answer,
    contents: Option<Contents>,
}

#[test]
fn every_step_gives_the_same_on_every_release() {
    let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    let wanted = std::env::var("HUMDRUM_KV_SUITE").ok();
    let args = ["plays_the_worker", "--exact", "--nocapture", "--test-threads=2"].map(Into::into).to_vec();
    let engine = Rocksdb { launch: Launch { program: "/proc/self/exe".into(), args } };
    let releases: Vec<String> = match wanted.as_deref() {
        Some("all") => engine.releases(&dirs).into_iter().map(|release| release.version).collect(),
        named => named.unwrap_or(DEFAULT).split(',').map(|release| release.trim().to_owned()).collect(),
    };
    assert!(releases.len() > 1, "one release has nobody to differ from");
    let configurations = if wanted.is_some() { &CONFIGURATIONS[..] } else { &CONFIGURATIONS[..1] };
    let mut complaints = Vec::new();
    for configuration in configurations {
        let mut first: Option<Vec<Entry>> = None;
        for release in &releases {
            let subject = format!("rocksdb@{release}+{configuration}+sixteenth");
            match (transcript(&engine, &subject, &dirs), &first) {
                (Err(fault), _) => complaints
                    .push(format!("{subject}: {fault}: {}", fault.log_tail.clone().unwrap_or_default())),
                (Ok(found), None) => first = Some(found),
                (Ok(found), Some(expected)) => {
                    let differ = expected.iter().zip(&found).filter(|(expected, found)| expected != found);
                    complaints.extend(differ.map(|(expected, found)| {
                        format!("{subject} gives {found:?} where {} gives {expected:?}", releases[0])
                    }));
                    println!("{subject}: {} steps as on {}", found.len(), releases[0]);
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Lives one store's life through all steps.
fn transcript(engine: &Rocksdb, subject: &str, dirs: &Dirs) -> Outcome<Vec<Entry>> {
    let run = RunFolder::new(dirs)?;
    let build = engine.install(&parse_subject(subject)?, dirs, &Silent)?;
    let mut server = build.create(&run.home("server")?, &SIZING)?;
    server.start()?;
    let loaded = Kv.load(&mut *server, &scale(), 1, &Silent, &dirs.interrupt)?;
    assert_eq!(loaded.rows, KEYS);
    let steps = Kv.tests(false);
    assert_eq!(steps.len(), 10);
    let entries =
        steps.iter().map(|step| entry(&*server, step).map_err(|fault| server.explain(fault.at(&*step.name))));
    let entries = entries.collect::<Outcome<Vec<_>>>()?;
    server.stop()?;
    Ok(entries)
}

fn entry(server: &dyn Server, step: &TestInfo) -> Outcome<Entry> {
    let scale = scale();
    let seat = Seat { test: &step.name, scale: &scale, number: 0, compat: false };
    let mut client = Kv.client(&seat, server.connect(PATIENCE)?, None)?;
    let mut sum = Answer::default();
    for number in 0..CHECKED {
        let answer = client.operate_checked(operation(step, number))?;
        sum.rows += answer.rows;
        sum.checksum = sum.checksum.wrapping_add(answer.checksum);
    }
    for portion in 0..PORTIONS {
        sum.rows += portion_of(&mut *client, step, CHECKED + portion * PORTION)?;
    }
    drop(client);
    let contents = settling(server, &scale)?;
    Ok(Entry { step: step.name.clone(), answer: sum, contents })
}

fn operation(step: &TestInfo, number: u64) -> Operation {
    let name = step.name.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    Operation { seed: name.wrapping_add(SEED_STEP.wrapping_mul(number)), number }
}

fn portion_of(client: &mut dyn Client, step: &TestInfo, first: u64) -> Outcome<u64> {
    let batch = Batch { first: operation(step, first), seed_step: SEED_STEP, count: PORTION };
    let mut counted = 0;
    let done = client.operate_batch(&batch, &mut |_, count| counted += count)?;
    assert_eq!(counted, PORTION, "every operation of {} is in its latencies", step.name);
    Ok(done.rows)
}

/// Pays the debt, then reads every key and the whole store.
fn settling(server: &dyn Server, scale: &Scale) -> Outcome<Option<Contents>> {
    let mut steward = server.connect(PATIENCE)?;
    Kv.post_write(&mut steward, None, scale, &HostClock::new(), &Interrupt::new())?;
    let contents = Kv.contents(&mut steward, None, scale)?;
    all_keys_are_found(&mut steward)?;
    Ok(contents)
}

fn all_keys_are_found(steward: &mut Connection) -> Outcome<()> {
    let all = KvBatch {
        store: KvStore::Main,
        operation: KvOperation::GetNext,
        first_number: 0,
        first_seed: 0,
        seed_step: 0,
        count: KEYS,
        span: KEYS,
        checked: true,
        writer_bytes_per_second: 0,
    };
    let found = steward.kv()?.run(&all, &mut |_, _| {})?.rows;
    if found == KEYS {
        return Ok(());
    }
    Err(Fault::new(FaultKind::WrongAnswer, format!("{found} keys are found of {KEYS}")))
}
