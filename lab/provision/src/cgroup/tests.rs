//! Both versions of the file system, as folders of plain files.

use super::*;

/// A folder with these files.
fn fake(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("root");
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(path, text).expect("file");
    }
    root
}

fn parents(root: &Path, own: &str) -> Vec<PathBuf> {
    let found = Hierarchy::candidates(root, own);
    found.iter().map(|one| one.parent.strip_prefix(root).expect("below").to_path_buf()).collect()
}

#[test]
fn version_2_is_the_nearest_above_that_hands_the_controller_on() {
    let root = fake(&[
        ("cgroup.controllers", "cpu io memory pids\n"),
        ("cgroup.subtree_control", "cpu memory\n"),
        ("user/cgroup.subtree_control", "memory pids\n"),
        ("user/app/cgroup.subtree_control", "pids\n"),
        ("user/app/shell/cgroup.subtree_control", ""),
    ]);
    assert_eq!(parents(root.path(), "0::/user/app/shell\n"), [Path::new("user"), Path::new("")]);
    assert_eq!(parents(root.path(), "0::/../elsewhere\n"), [Path::new("")]);
    let hierarchy = &Hierarchy::candidates(root.path(), "0::/user/app\n")[0];
    let cgroup = hierarchy.make(1 << 30).expect("made");
    let read = |name: &str| fs::read_to_string(cgroup.folder.join(name)).expect(name);
    assert_eq!((read("memory.max"), read("memory.swap.max")), ("1073741824".into(), "0".into()));
    assert!(
        cgroup.folder.starts_with(root.path().join("user")) && cgroup.events().ends_with("memory.events")
    );
}

#[test]
fn version_1_is_used_where_version_2_lacks_the_controller() {
    let own = "5:devices:/\n4:memory:/mine\n0::/\n";
    let root = fake(&[
        ("unified/cgroup.controllers", "\n"),
        ("memory/memory.limit_in_bytes", "1"),
        ("memory/mine/memory.limit_in_bytes", "1"),
    ]);
    assert_eq!(parents(root.path(), own), [Path::new("memory/mine")]);
    assert_eq!(parents(root.path(), "4:memory:/elsewhere"), [Path::new("memory")]);
    assert_eq!(parents(root.path(), ""), [Path::new("memory")]);
    let cgroup = Hierarchy::candidates(root.path(), own)[0].make(256 << 20).expect("made");
    let read = |name: &str| fs::read_to_string(cgroup.folder.join(name)).expect(name);
    assert_eq!(read("memory.limit_in_bytes"), "268435456");
    assert_eq!(read("memory.memsw.limit_in_bytes"), "268435456");
    assert!(cgroup.events().ends_with("memory.oom_control"));
}

#[test]
fn a_host_without_the_controller_says_what_was_tried() {
    let empty = fake(&[]);
    let tried = Hierarchy::usable(empty.path(), "").expect_err("nothing there");
    let fault = refusal(&tried);
    assert!(fault.exit_code() == 2 && fault.what.contains("no memory controller"), "{fault}");
    // A folder of files is no cgroup: no process can be moved into what is made in it.
    let root = fake(&[("cgroup.controllers", "memory"), ("cgroup.subtree_control", "memory")]);
    fs::create_dir(root.path().join("sealed")).expect("folder");
    fs::remove_file(root.path().join("cgroup.subtree_control")).expect("removed");
    assert_eq!(Hierarchy::usable(root.path(), "0::/sealed"), Err(Vec::new()));
    let gone = Hierarchy { version: Version::Two, parent: root.path().join("gone") };
    assert!(gone.make(1).is_err());
    let fault = refusal(&["/sys/fs/cgroup/user: Permission denied".into()]);
    assert!(fault.what.contains("/sys/fs/cgroup/user: Permission denied"), "{fault}");
    assert!(fault.hint.is_some_and(|hint| hint.contains("systemd-run")));
}

#[test]
fn what_a_process_that_has_ended_left_is_removed() {
    let root = fake(&[("memory/memory.limit_in_bytes", "1")]);
    let hierarchy = &Hierarchy::candidates(root.path(), "")[0];
    let ours = new_name();
    let pid = std::process::id();
    let names = [&ours, "humdrum-4294967295-1-0", &format!("humdrum-{pid}-1-0"), "humdrum-x", "other-1-1-0"];
    for name in names {
        fs::create_dir(hierarchy.parent.join(name)).expect("made");
    }
    let mut gone = hierarchy.remove_left();
    gone.sort();
    let mut left = [1, 2].map(|index: usize| hierarchy.parent.join(names[index]));
    left.sort();
    assert_eq!(gone, left);
    assert!(hierarchy.parent.join(&ours).exists() && hierarchy.parent.join("other-1-1-0").exists());
}

#[test]
fn kills_are_counted_while_it_runs_and_after() {
    let home = fake(&[("live", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")]);
    let limit = Limit { bytes: 1 << 30, data: home.path().into() };
    let killed = || killed(home.path(), Some(&limit));
    assert_eq!(killed(), None);
    fs::write(home.path().join(LIVE), home.path().join("live").as_os_str().as_encoded_bytes()).expect("note");
    let why = Some("killed: out of its memory limit of 1G".to_owned());
    assert_eq!(killed(), why);
    fs::remove_file(home.path().join("live")).expect("the cgroup is gone");
    assert_eq!(killed(), None);
    fs::write(ended_note(home.path()), "low 0\nhigh 0\nmax 9\noom 3\noom_kill 1\noom_group_kill 0\n")
        .expect("note");
    assert_eq!(killed(), why);
    fs::write(ended_note(home.path()), "max 9\noom 3\noom_kill 0\noom_group_kill 0\n").expect("note");
    assert_eq!(killed(), None);
    assert_eq!(super::killed(home.path(), None), None);
}
