//! The guardian on real processes. Each test marks its processes with a duration of its own, so that tests that
//! run beside each other do not see each other's.

use super::*;

fn spec(folder: &Path, script: &str) -> GuardSpec {
    GuardSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into())],
        cwd: folder.into(),
        log_file: folder.join("log"),
        run_as: None,
        limit: None,
        fsync_delay: None,
    }
}

/// How many live processes have `word` as an argument.
fn count(word: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("proc").flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|arg| arg == word.as_bytes())).count()
}

fn until(mut holds: impl FnMut() -> bool) -> bool {
    (0..2_000).any(|_| {
        holds() || {
            std::thread::sleep(Duration::from_millis(5));
            false
        }
    })
}

#[test]
fn dropping_kills_children_and_daemons() {
    let folder = tempfile::tempdir().expect("folder");
    let script =
        "sleep 70001 & setsid sleep 70001 & (setsid sh -c 'sleep 70001 & sleep 70001' &) ; sleep 70001";
    let guarded = Guarded::spawn(&spec(folder.path(), script)).expect("spawn");
    assert!(until(|| count("70001") >= 5));
    drop(guarded);
    assert_eq!(count("70001"), 0);
}

#[test]
fn frozen_processes_die_too() {
    let folder = tempfile::tempdir().expect("folder");
    let mut guarded =
        Guarded::spawn(&spec(folder.path(), "setsid sleep 70002 & sleep 70002")).expect("spawn");
    assert!(until(|| count("70002") == 2));
    let frozen = signal::freeze_tree(guarded.server_pid());
    assert!(until(|| frozen.iter().all(|pid| signal::state(*pid) == Some('T'))));
    guarded.kill().expect("kill");
    assert_eq!(count("70002"), 0);
}

#[test]
fn a_program_reads_what_it_is_given() {
    let folder = tempfile::tempdir().expect("folder");
    let input = folder.path().join("input");
    std::fs::write(&input, "some words\n").expect("write");
    let spec = spec(folder.path(), "read line; echo \"got $line\"");
    let mut guarded = Guarded::spawn_reading(&spec, Some(&input)).expect("spawn");
    assert!(guarded.wait(Duration::from_secs(30)).expect("ends").success());
    assert_eq!(std::fs::read_to_string(folder.path().join("log")).expect("log"), "got some words\n");
    let missing = Guarded::spawn_reading(&spec, Some(&folder.path().join("missing")));
    assert_eq!(missing.expect_err("no input").exit_code(), 3);
}

#[test]
fn the_end_of_the_program_is_the_end_of_what_it_left() {
    let folder = tempfile::tempdir().expect("folder");
    let mut guarded = Guarded::spawn(&spec(folder.path(), "setsid sleep 70003 & exit 7")).expect("spawn");
    let status = guarded.wait(Duration::from_secs(30)).expect("ends");
    assert_eq!((status.code(), count("70003")), (Some(7), 0));
    assert_eq!(describe_exit(status), "exit status 7");
    assert!(!guarded.is_running());
}

#[test]
fn a_killed_program_says_so() {
    let folder = tempfile::tempdir().expect("folder");
    let mut guarded = Guarded::spawn(&spec(folder.path(), "exec sleep 70004")).expect("spawn");
    assert!(guarded.is_running());
    assert!(guarded.wait(Duration::ZERO).is_err());
    signal::send(guarded.server_pid(), libc::SIGKILL);
    let status = guarded.wait(Duration::from_secs(30)).expect("ends");
    assert_eq!(describe_exit(status), "killed by signal 9");
}

#[test]
fn what_was_let_go_lives_on_until_it_is_ended() {
    let folder = tempfile::tempdir().expect("folder");
    let guarded =
        Guarded::spawn(&spec(folder.path(), "setsid sleep 70005 & exec sleep 70005")).expect("spawn");
    let pid = guarded.detach().expect("detach");
    assert!(until(|| count("70005") == 2));
    signal::send(pid, libc::SIGTERM);
    assert!(until(|| count("70005") == 0));
}

#[test]
fn a_missing_program_is_a_fault() {
    let folder = tempfile::tempdir().expect("folder");
    let spec = GuardSpec { program: "/no/such/program".into(), ..spec(folder.path(), "") };
    let fault = Guarded::spawn(&spec).expect_err("refused");
    assert!(fault.what.starts_with("cannot start /no/such/program: No such file"), "{fault}");
}

/// The environment is what was given, and nothing else.
#[test]
fn output_goes_to_the_log() {
    let folder = tempfile::tempdir().expect("folder");
    let mut spec = spec(folder.path(), "echo \"$MARK:$HOME\"");
    spec.env.push(("MARK".into(), "here".into()));
    let mut guarded = Guarded::spawn(&spec).expect("spawn");
    assert!(guarded.wait(Duration::from_secs(30)).expect("ends").success());
    assert_eq!(std::fs::read_to_string(&spec.log_file).expect("log"), "here:\n");
}

/// Not a test by itself: what the next one runs in a process of its own, to be killed.
#[test]
#[ignore = "is run by killing_us_kills_what_we_guard"]
fn helper_that_waits_to_be_killed() {
    let folder = PathBuf::from(std::env::var_os("HUMDRUM_TEST_FOLDER").expect("run by another test"));
    let script = "setsid sleep 70006 & sleep 70006";
    let one = Guarded::spawn(&spec(&folder, script)).expect("spawn");
    let two = Guarded::spawn(&spec(&folder, script)).expect("spawn");
    assert!(until(|| count("70006") == 4));
    signal::freeze_tree(two.server_pid());
    std::fs::write(folder.join("ready"), "").expect("ready");
    std::thread::sleep(Duration::from_secs(600));
    drop((one, two));
}

#[test]
fn killing_us_kills_what_we_guard() {
    let folder = tempfile::tempdir().expect("folder");
    let mut helper = Command::new(std::env::current_exe().expect("self"))
        .args(["--ignored", "--exact", "guardian::tests::helper_that_waits_to_be_killed"])
        .env("HUMDRUM_TEST_FOLDER", folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("helper");
    assert!(until(|| folder.path().join("ready").exists()));
    assert_eq!(count("70006"), 4);
    helper.kill().expect("kill");
    helper.wait().expect("wait");
    assert!(until(|| count("70006") == 0));
}

/// Hosts that let nobody limit memory are none to test on.
fn limited(folder: &Path, script: &str, bytes: u64) -> Option<GuardSpec> {
    cgroup::check().ok()?;
    let data = folder.join("data");
    std::fs::create_dir_all(&data).expect("folder");
    Some(GuardSpec { limit: Some(Limit { bytes, data }), ..spec(folder, script) })
}

/// The folder of the cgroup of the latest start.
fn cgroup_of(folder: &Path) -> PathBuf {
    let events = std::fs::read_to_string(folder.join("memory-cgroup")).expect("note");
    Path::new(&events).parent().expect("a cgroup").to_path_buf()
}

#[test]
fn a_limited_program_is_in_its_cgroup_from_the_start_and_leaves_none() {
    let folder = tempfile::tempdir().expect("folder");
    let script = "cat /proc/self/cgroup > before; sleep 70011 & sleep 70011";
    let Some(spec) = limited(folder.path(), script, 64 << 20) else { return };
    let mut guarded = Guarded::spawn(&spec).expect("spawn");
    let cgroup = cgroup_of(folder.path());
    assert!(until(|| count("70011") == 2));
    let name = cgroup.file_name().expect("name").to_string_lossy().into_owned();
    assert!(std::fs::read_to_string(folder.path().join("before")).expect("read").contains(&name));
    let limits =
        ["memory.max", "memory.limit_in_bytes"].map(|file| std::fs::read_to_string(cgroup.join(file)));
    assert!(limits.iter().flatten().any(|bytes| bytes.trim() == "67108864"), "{limits:?}");
    let procs = std::fs::read_to_string(cgroup.join("cgroup.procs")).expect("processes");
    assert!(procs.lines().any(|pid| pid == guarded.server_pid().to_string()), "{procs}");
    assert!(
        !procs.lines().any(|pid| pid == guarded.guardian.id().to_string()),
        "the guardian must outlive the limit"
    );
    guarded.kill().expect("kill");
    assert!(!cgroup.exists());
    assert_eq!(cgroup::killed(folder.path(), spec.limit.as_ref()), None);
}

#[test]
fn a_program_that_needs_more_is_killed_and_the_reason_is_kept() {
    let folder = tempfile::tempdir().expect("folder");
    // A shell doubles a string until it has too much.
    let script = "a=aaaaaaaaaaaaaaaa; while :; do a=$a$a; done";
    let Some(spec) = limited(folder.path(), script, 64 << 20) else { return };
    let mut guarded = Guarded::spawn(&spec).expect("spawn");
    let status = guarded.wait(Duration::from_secs(60)).expect("ends");
    assert_eq!(describe_exit(status), "killed by signal 9");
    let why = cgroup::killed(folder.path(), spec.limit.as_ref());
    assert_eq!(why.as_deref(), Some("killed: out of its memory limit of 64M"));
    assert!(!cgroup_of(folder.path()).exists());
    let calm = GuardSpec { args: vec!["-c".into(), "exit 0".into()], ..spec.clone() };
    Guarded::spawn(&calm).expect("spawn").wait(Duration::from_secs(60)).expect("ends");
    assert_eq!(cgroup::killed(folder.path(), spec.limit.as_ref()), None, "a start counts anew");
}

#[test]
fn a_program_that_cannot_be_executed_leaves_no_cgroup() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(spec) = limited(folder.path(), "", 64 << 20) else { return };
    assert!(Guarded::spawn(&GuardSpec { program: "/no/such/program".into(), ..spec }).is_err());
    let cgroup = cgroup_of(folder.path());
    assert!(until(|| !cgroup.exists()));
}

/// Milliseconds from the program's start to its end.
fn ms_of(folder: &Path, script: &str, delay: Option<Duration>) -> u128 {
    let begun = Instant::now();
    let spec = GuardSpec { fsync_delay: delay, ..spec(folder, script) };
    let ended = Guarded::spawn(&spec).expect("spawn").wait(Duration::from_secs(20)).expect("ends");
    assert_eq!(describe_exit(ended), "exit status 0");
    begun.elapsed().as_millis()
}

#[test]
fn syncs_are_held_back_and_those_of_children_too() {
    check_fsync_delay().expect("this host can");
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("one"), "1").expect("written");
    let delay = Some(Duration::from_secs(1));
    // `sync -d` calls fdatasync, `sync` fsync, `sync -f` syncfs; the shell's child does.
    let three = "sync -d one && sync one && sync -f one";
    let (without, with) = (ms_of(folder.path(), three, None), ms_of(folder.path(), three, delay));
    assert!(with >= 3_000, "{with} ms");
    // Each once: twice would be six seconds.
    assert!(with < without + 6_000, "{with} ms, and {without} ms without a delay");
    // Ends long before such a delay has passed.
    ms_of(folder.path(), "cat one > two && mv two three", Some(Duration::from_secs(600)));
}

/// Calls of many processes are held side by side, and not one after the other.
#[test]
fn each_sync_waits_for_its_own_delay_alone() {
    let folder = tempfile::tempdir().expect("folder");
    let many = "for i in 1 2 3 4 5 6 7 8; do : > f$i; sync -d f$i & done; wait";
    let ms = ms_of(folder.path(), many, Some(Duration::from_secs(1)));
    // One after the other they would take eight seconds.
    assert!((1_000..8_000).contains(&ms), "{ms} ms");
}

#[test]
fn a_program_that_is_killed_while_its_sync_is_held_leaves_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let script = ": > one; sync -d one & sleep 70009";
    let spec = GuardSpec { fsync_delay: Some(Duration::from_secs(600)), ..spec(folder.path(), script) };
    let mut guarded = Guarded::spawn(&spec).expect("spawn");
    assert!(until(|| count("70009") == 1 && count("-d") >= 1));
    guarded.kill().expect("kill");
    assert_eq!(count("70009"), 0);
}

#[test]
fn a_program_that_cannot_be_executed_is_told_with_a_delay_too() {
    let folder = tempfile::tempdir().expect("folder");
    let program = "/no/such/program".into();
    let spec = GuardSpec { program, fsync_delay: Some(Duration::from_millis(1)), ..spec(folder.path(), "") };
    let fault = Guarded::spawn(&spec).unwrap_err();
    assert!(fault.what.contains("cannot start /no/such/program"), "{fault}");
}
