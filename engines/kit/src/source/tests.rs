//! A made-up engine whose build is a script.

use std::fs;
use std::path::PathBuf;

use humdrum_contract::{Interrupt, Silent};
use humdrum_provision::building::Step;
use humdrum_provision::dirs;
use humdrum_provision::tools::Tool;

use super::*;
use make::Made;

mod patched;
mod reuse;
mod unfinished;

static RECIPE: Recipe = Recipe {
    switches: "with_",
    package: |release| format!("it-{release}"),
    release: |sources| sources.read("VERSION").map(|text| text.trim().to_owned()),
    made: &["it.o"],
    linked: &[],
    patches: &[],
    cost: Some(Cost { processor_minutes: 1, disk_mib: 1 }),
    resumes: false,
    tools: |_, flags| flags.switches.iter().map(|(name, _)| Tool::new(name, &format!("lib{name}"))).collect(),
    steps: |order| {
        let paths = [order.staged, order.prefix].map(|path| path.display().to_string());
        let switches = order.flags.switches.iter().map(|(name, _)| name.clone());
        let flags =
            order.compiler.flags(order.flags).into_iter().chain(switches).collect::<Vec<_>>().join(" ");
        let args = std::iter::once("build.sh".to_owned()).chain(paths).chain([flags]).collect();
        vec![Step { what: "compiling".into(), program: "sh".into(), args, env: Vec::new() }]
    },
};

/// A build whose script gets the launcher and the compiler in place of flags, and links `it`.
static LINKED: Recipe = Recipe {
    linked: &["it"],
    patches: &[],
    steps: |order| {
        let paths = [order.staged, order.prefix].map(|path| path.display().to_string());
        let compiler = format!("{} {}", order.launcher, order.compiler.cc);
        let args = std::iter::once("build.sh".to_owned()).chain(paths).chain([compiler]).collect();
        vec![Step { what: "compiling".into(), program: "sh".into(), args, env: Vec::new() }]
    },
    switches: "with_",
    package: RECIPE.package,
    release: RECIPE.release,
    made: &[],
    cost: RECIPE.cost,
    resumes: false,
    tools: |_, _| Vec::new(),
};

/// Installs its flags; each run leaves a mark in the sources' folder.
const SCRIPT: &str = "echo x >> $COUNT; mkdir -p $1$2/bin && echo \"$3\" > $1$2/bin/it && cat VERSION\n";

struct Bench {
    folder: tempfile::TempDir,
    dirs: Dirs,
}

impl Bench {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let cache = folder.path().join("cache");
        let dirs = Dirs {
            runs: cache.join("runs"),
            cache,
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        dirs::make_folder(&dirs::builds(&dirs)).expect("builds");
        let bench = Self { folder, dirs };
        fs::create_dir(bench.tree()).expect("tree");
        fs::write(bench.tree().join("VERSION"), "1.2\n").expect("write");
        bench.write(script);
        bench
    }

    fn write(&self, script: &str) {
        let count = self.folder.path().join("count");
        let script = script.replace("$COUNT", &count.display().to_string());
        fs::write(self.tree().join("build.sh"), script).expect("write");
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    /// How often the script ran.
    fn runs(&self) -> usize {
        fs::read_to_string(self.folder.path().join("count")).map_or(0, |text| text.lines().count())
    }

    fn wanted(&self, settings: &[(&str, &str)]) -> Wanted {
        let value =
            |(key, value): &(&str, &str)| Setting::Value { key: (*key).into(), value: (*value).into() };
        let settings: Vec<Setting> = settings.iter().map(value).collect();
        check("it", &RECIPE, (&self.tree(), None), &settings).expect("checked").0
    }

    fn make(&self, settings: &[(&str, &str)]) -> Outcome<Made> {
        make(&self.wanted(settings), &self.dirs, &Silent)
    }

    /// Names in the folder of builds.
    fn kept(&self) -> Vec<String> {
        let entries = fs::read_dir(dirs::builds(&self.dirs)).expect("builds").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[test]
fn a_build_is_made_once_and_differs_by_all_that_goes_into_it() {
    let bench = Bench::new(SCRIPT);
    let first = bench.make(&[]).expect("made");
    let plain = "-O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer\n";
    assert_eq!(fs::read_to_string(first.folder.join("bin/it")).expect("installed"), plain);
    assert_eq!(first.facts.version, "1.2");
    assert!(
        first.facts.origin.starts_with("sources, built here: ")
            && first.facts.build[0].starts_with("compiled by ")
            && first.facts.build[1].contains("-O2")
    );
    assert_eq!(bench.make(&[]).expect("found").folder, first.folder);
    assert_eq!(bench.runs(), 1);

    let fast = bench.make(&[("opt", "-O3")]).expect("made");
    fs::write(bench.tree().join("more.c"), "int more;\n").expect("write");
    let more = bench.make(&[]).expect("made");
    let patch = bench.folder.path().join("it.patch");
    fs::write(&patch, "--- a/VERSION\n+++ b/VERSION\n@@ -1 +1,2 @@\n 1.2\n+patched\n").expect("write");
    let patch = patch.display().to_string();
    let patched = bench.make(&[("patch", &patch)]).expect("made");
    assert_eq!(bench.runs(), 4);
    let mut folders = [&first, &fast, &more, &patched].map(|made| made.folder.clone());
    folders.sort();
    assert!(folders.windows(2).all(|pair| pair[0] != pair[1]), "{folders:?}");
    assert!(fs::read_to_string(patched.folder.with_extension("log")).expect("log").contains("patched"));
    assert!(!fs::read_to_string(bench.tree().join("VERSION")).expect("kept").contains("patched"));
    fs::remove_file(bench.tree().join("more.c")).expect("remove");
    assert_eq!(bench.make(&[]).expect("found").folder, first.folder, "the content counts, not the time");
}

#[test]
fn a_plan_says_what_will_be_done_and_what_is_there() {
    let bench = Bench::new(SCRIPT);
    let before = plan(&bench.wanted(&[]), &bench.dirs, &Silent).expect("plan");
    assert!(!before.built && before.missing.is_empty() && before.name == "it 1.2");
    assert!(before.commands[0].starts_with("sh build.sh STAGED PREFIX '-O2 "), "{:?}", before.commands);
    assert_eq!(bench.runs(), 0);
    let made = bench.make(&[]).expect("made");
    let after = plan(&bench.wanted(&[]), &bench.dirs, &Silent).expect("plan");
    assert!(after.built && after.folder == made.folder && after.hash == made.checksum);
    let lacks = plan(&bench.wanted(&[("with_no-such", "on")]), &bench.dirs, &Silent).expect("plan");
    assert_eq!(lacks.missing, [Tool::new("with_no-such", "libwith_no-such")]);
    let fault = bench.make(&[("with_no-such", "on")]).map(drop).expect_err("lacks a tool");
    assert!(fault.exit_code() == 2 && fault.what.contains("with_no-such"), "{fault}");
}

#[test]
fn of_two_at_once_one_builds_and_the_other_finds_it() {
    let bench = Bench::new(&format!("sleep 0.2; {SCRIPT}"));
    let both = std::thread::scope(|scope| {
        let two = [0, 1].map(|_| scope.spawn(|| bench.make(&[]).expect("made").folder));
        two.map(|one| one.join().expect("joins"))
    });
    assert_eq!(both[0], both[1]);
    assert_eq!(bench.runs(), 1);
}

#[test]
fn a_failed_build_leaves_its_log_alone_and_is_tried_again() {
    let bench = Bench::new("echo x >> $COUNT; echo 'it.c:3: error: no' >&2; exit 1\n");
    for times in [1, 2] {
        let fault = bench.make(&[]).map(drop).expect_err("fails");
        assert!(
            fault.what.contains("while compiling (exit status 1)") && fault.what.contains("it.c:3"),
            "{fault}"
        );
        let log = PathBuf::from(fault.hint.expect("hint").split([' ', ';']).nth(4).expect("the log"));
        assert!(fs::read_to_string(&log).expect("kept").contains("it.c:3: error: no"));
        assert_eq!(bench.runs(), times);
        let kept = bench.kept();
        assert!(kept.len() == 2 && kept.iter().all(|name| name.ends_with(".lock") || name.ends_with(".log")));
    }
    bench.write("true\n");
    let fault = bench.make(&[]).map(drop).expect_err("installs nothing");
    assert!(fault.what.contains("installed nothing"), "{fault}");
}

#[test]
fn sources_that_cannot_be_built_are_refused() {
    let bench = Bench::new(SCRIPT);
    let refused = |path: &Path, revision: Option<&str>, settings: &[Setting]| {
        let fault = check("it", &RECIPE, (path, revision), settings).map(drop).expect_err("refused");
        assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{fault}");
        fault.what
    };
    assert!(refused(Path::new(PACKAGE), None, &[]).contains("none is named"));
    assert!(refused(bench.folder.path(), None, &[]).contains("are no sources of it"));
    assert!(refused(&bench.tree(), Some("v1"), &[]).contains("no repository"));
    let lto = Setting::Value { key: "lto".into(), value: "on".into() };
    assert!(refused(&bench.tree(), None, &[lto]).contains("no value of lto"));
    fs::write(bench.tree().join("it.o"), "").expect("write");
    assert!(refused(&bench.tree(), None, &[]).contains("hold a build already (it.o is there)"));
}
