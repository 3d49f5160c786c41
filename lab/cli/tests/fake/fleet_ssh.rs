//! `humdrum fleet ssh` on the fake engine, with a script in the place of ssh that gives each host a home of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;

use crate::common::{Humdrum, field, text_of};
use crate::fleet::PLAN;

/// Skips options as ssh reads them. A host with a file `down` in its home cannot be reached.
const SSH: &str = "\
#!/bin/sh
port=22
while :; do
    case $1 in
    -o) shift 2 ;;
    -p) port=$2; shift 2 ;;
    *) break ;;
    esac
done
HOME=${0%/bin/ssh}/homes/$1-$port
export HOME
echo \"$*\" >> \"${0%/ssh}/calls\"
[ -e \"$HOME/down\" ] && { echo \"ssh: connect to host $1 port $port: Connection refused\" >&2; exit 255; }
mkdir -p \"$HOME\" && cd && shift && exec sh -c \"$*\"
";

/// A folder with a plan, three hosts, and their ssh.
fn here() -> Humdrum {
    let humdrum = Humdrum::new();
    fs::write(humdrum.path("plan.toml"), PLAN).expect("written");
    fs::write(humdrum.path("hosts"), "# ours\nme@one\nme@two:2222\n\nthree # slow\n").expect("written");
    fs::create_dir(humdrum.path("bin")).expect("made");
    program(&humdrum, "bin/ssh", SSH);
    // The far side's program. `die` in a home kills its work once, as it begins a shard, and `slow` holds it.
    let real = env!("CARGO_BIN_EXE_humdrum");
    let far = format!(
        "#!/bin/sh\ncase \"$*\" in *'fleet shard'*)\n    [ -e ~/die ] && rm ~/die && kill -9 -$(cat pid)\n    [ -e ~/slow ] && sleep 600 ;;\nesac\n\
         exec {real} \"$@\"\n"
    );
    program(&humdrum, "far-humdrum", &far);
    humdrum
}

fn program(humdrum: &Humdrum, name: &str, text: &str) {
    fs::write(humdrum.path(name), text).expect("written");
    fs::set_permissions(humdrum.path(name), fs::Permissions::from_mode(0o755)).expect("set");
}

fn run(humdrum: &Humdrum, args: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", humdrum.path("bin").display());
    humdrum.private(args).env("PATH", path).output().expect("humdrum starts")
}

/// What is printed and complained, of a call with this exit code.
fn exits(humdrum: &Humdrum, code: i32, args: &[&str]) -> String {
    let output = run(humdrum, args);
    let told = text_of(&output.stdout) + &text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
    told
}

const START: [&str; 8] = ["fleet", "ssh", "hosts", "plan.toml", "--program", "far-humdrum", "--out", "f"];

fn start(humdrum: &Humdrum, code: i32, more: &[&str]) -> String {
    exits(humdrum, code, &[&START[..], more].concat())
}

/// The home of a host.
fn home(humdrum: &Humdrum, name: &str) -> PathBuf {
    let home = humdrum.path("homes").join(name);
    fs::create_dir_all(&home).expect("made");
    home
}

#[test]
fn hosts_measure_their_shards_and_send_them() {
    let humdrum = here();
    let told = start(&humdrum, 0, &[]);
    for expected in ["me@one started", "me@two:2222 started", "three started", "humdrum fleet status"] {
        assert!(told.contains(expected), "{told}");
    }
    exits(&humdrum, 1, &["fleet", "fetch", "f", "--wait", "--quiet"]);
    let told = exits(&humdrum, 0, &["fleet", "status", "f"]);
    for expected in [
        "shard 2    finished   3 of 3 sessions      on me@two:2222",
        "3 of 3 shards are finished",
        "f/merged/report.html",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    let summary = humdrum.summary("f/merged");
    assert!(field(&summary, "sessions").iter().all(|(_, sessions)| sessions == 9), "{summary:#}");
    for log in ["shard-1", "shard-2", "shard-3", "host-1"] {
        assert!(humdrum.path(&format!("f/logs/{log}.log")).exists(), "{log}");
    }
    // A shard over ssh is its shard by hand.
    exits(&humdrum, 1, &["merge", "f/shards/3", "f/shards/1", "f/shards/2", "-o", "by-hand", "--quiet"]);
    let bytes = |out: &str| fs::read(humdrum.path(out).join("summary.json")).expect("read");
    assert!(bytes("f/merged") == bytes("by-hand"));

    // Its shard is measured; the process that measured it may take a moment to end.
    let mut told = String::new();
    for _ in 0..100 {
        told = exits(&humdrum, 0, &["fleet", "resume", "f"]);
        if !told.contains("runs already") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(told.contains("me@one is finished"), "{told}");
    assert!(exits(&humdrum, 2, &["fleet", "shard", "f", "1"]).contains("measured by its hosts"));
    assert!(
        exits(&humdrum, 0, &["fleet", "cancel", "f", "--remove"])
            .contains("three ended; its folder is removed")
    );
    assert_eq!(fs::read_dir(home(&humdrum, "three-22").join("humdrum-fleet")).expect("read").count(), 0);
    // What was fetched stays.
    assert!(exits(&humdrum, 1, &["fleet", "fetch", "f"]).contains("has nothing of this fleet"));
}

#[test]
fn a_host_that_was_down_and_one_that_was_killed_go_on() {
    let humdrum = here();
    fs::write(home(&humdrum, "me@one-22").join("down"), "").expect("written");
    fs::write(home(&humdrum, "me@two-2222").join("die"), "").expect("written");
    let told = start(&humdrum, 3, &[]);
    for expected in ["me@one cannot be reached: ssh: connect to host", "1 of 3 hosts failed", "fleet resume"]
    {
        assert!(told.contains(expected), "{told}");
    }
    // The first host is missing, and the second one was killed; the third counts.
    exits(&humdrum, 1, &["fleet", "fetch", "f", "--wait", "--quiet"]);
    let told = exits(&humdrum, 0, &["fleet", "status", "f"]);
    for expected in [
        "shard 1    not begun",
        "stopped on me@two:2222: humdrum fleet resume f",
        "1 of 3 shards are finished",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    fs::remove_file(home(&humdrum, "me@one-22").join("down")).expect("removed");
    let told = exits(&humdrum, 0, &["fleet", "resume", "f"]);
    for expected in ["me@one started", "me@two:2222 started again", "three is finished"] {
        assert!(told.contains(expected), "{told}");
    }
    exits(&humdrum, 1, &["fleet", "fetch", "f", "--wait", "--quiet"]);
    let summary = humdrum.summary("f/merged");
    assert!(field(&summary, "sessions").iter().all(|(_, sessions)| sessions == 9), "{summary:#}");
    // A host that is down later loses nothing of what it sent.
    fs::write(home(&humdrum, "three-22").join("down"), "").expect("written");
    assert!(exits(&humdrum, 0, &["fleet", "status", "f"]).contains("3 of 3 shards are finished"));
    assert!(exits(&humdrum, 1, &["fleet", "fetch", "f"]).contains("three cannot be reached"));
}

#[test]
fn work_that_is_cancelled_ends_and_goes_on_later() {
    let humdrum = here();
    fs::write(humdrum.path("hosts"), "one\n").expect("written");
    let slow = home(&humdrum, "one-22").join("slow");
    fs::write(&slow, "").expect("written");
    start(&humdrum, 0, &[]);
    assert!(
        exits(&humdrum, 0, &["fleet", "status", "f"])
            .contains("not begun                       running on one")
    );
    assert!(exits(&humdrum, 0, &["fleet", "resume", "f"]).contains("one runs already"));
    assert!(exits(&humdrum, 0, &["fleet", "cancel", "f"]).contains("one ended"));
    assert!(exits(&humdrum, 0, &["fleet", "status", "f"]).contains("stopped on one"));
    fs::remove_file(slow).expect("removed");
    assert!(exits(&humdrum, 0, &["fleet", "resume", "f"]).contains("one started again"));
    exits(&humdrum, 1, &["fleet", "fetch", "f", "--wait", "--quiet"]);
    assert!(exits(&humdrum, 0, &["fleet", "cancel", "f"]).contains("one ended"));
}

#[test]
fn a_dry_run_prints_every_command_and_calls_none() {
    let humdrum = here();
    let told = start(&humdrum, 0, &["--per-host", "2", "--dry-run", "--ssh", "ssh -J jump", "--with", "bin"]);
    for expected in [
        "#!/bin/sh",
        "# me@two:2222: shards 2, 5\ntar -C ",
        "| ssh -J jump -o BatchMode=yes",
        "-p 2222 me@two 'sh -c '\\''mkdir -p humdrum-fleet/f-",
        "setsid nohup ./work.sh 3 6",
        "# humdrum fleet fetch",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(!humdrum.path("f").exists() && !humdrum.path("bin/calls").exists());
}

#[test]
fn what_cannot_be_started_is_refused_and_leaves_nothing() {
    let humdrum = here();
    for (more, expected) in [
        (&["--per-host", "4"][..], "has no 12 shards"),
        (&["--far", "a b"], "--far `a b` has signs"),
        (&["--ssh", " "], "--ssh is empty"),
        (&["--with", "../x"], "--with ../x is no file or folder below"),
        (&["--archive", "nothing.tar"], "cannot copy nothing.tar"),
        (&["--program", "nothing"], "cannot be used multiple times"),
    ] {
        let complaint = start(&humdrum, 2, more);
        assert!(complaint.contains(expected), "{complaint}");
        assert!(!humdrum.path("f").exists(), "{more:?}");
    }
    for (text, expected) in
        [("one\n-oProxyCommand=id\n", "line 2"), ("", "has no host"), ("one\none\n", "a second time")]
    {
        fs::write(humdrum.path("hosts"), text).expect("written");
        assert!(start(&humdrum, 2, &[]).contains(expected), "{text}");
    }
    assert!(!humdrum.path("bin/calls").exists());

    // No host can be reached: no fleet.
    fs::write(humdrum.path("hosts"), "one\n").expect("written");
    fs::write(home(&humdrum, "one-22").join("down"), "").expect("written");
    assert!(start(&humdrum, 3, &[]).contains("ssh one must connect without a question"));
    assert!(!humdrum.path("f").exists());

    // A program that the host cannot run.
    fs::remove_file(home(&humdrum, "one-22").join("down")).expect("removed");
    program(&humdrum, "far-humdrum", "#!/bin/sh\necho version GLIBC_2.99 not found >&2\nexit 1\n");
    let told = start(&humdrum, 3, &[]);
    assert!(
        told.contains("does not run the program: version GLIBC_2.99 not found") && told.contains("--program"),
        "{told}"
    );
}

#[test]
fn hosts_without_network_unpack_an_archive_and_get_what_the_plan_names() {
    let humdrum = here();
    exits(&humdrum, 0, &["pack", "plan.toml"]);
    fs::create_dir(humdrum.path("queries")).expect("made");
    fs::write(humdrum.path("queries/orders.sql"), "select 1").expect("written");
    start(&humdrum, 0, &["--archive", "builds.tar", "--with", "queries"]);
    exits(&humdrum, 1, &["fleet", "fetch", "f", "--wait", "--quiet"]);
    let log = fs::read_to_string(humdrum.path("f/logs/host-1.log")).expect("read");
    assert!(log.contains("are here already"), "{log}");
    let folder = fs::read_dir(home(&humdrum, "me@one-22").join("humdrum-fleet")).expect("read").next();
    assert!(folder.expect("one").expect("read").path().join("queries/orders.sql").exists());
    // Without Slurm, or with one that is not set up.
    let refused = run(&humdrum, &["fleet", "slurm", "plan.toml", "--hosts", "3", "--out", "s"]);
    let told = text_of(&refused.stderr);
    assert!(matches!(refused.status.code(), Some(2 | 3)) && told.contains("sbatch"), "{told}");
    exits(&humdrum, 0, &["fleet", "slurm", "plan.toml", "--hosts", "3", "--out", "s", "--no-submit"]);
    for verb in ["resume", "cancel"] {
        assert!(exits(&humdrum, 2, &["fleet", verb, "s"]).contains("was not started over ssh"));
    }
    assert!(exits(&humdrum, 2, &["fleet", "fetch", "s", "--wait"]).contains("--wait is for fleets over ssh"));
}
