//! Commits that are built one after the other in one tree.

use super::*;

/// A repository whose build marks its tree, and the tree that it left; `steps` says what each build found there.
struct History {
    bench: Bench,
    dirs: Dirs,
}

impl History {
    fn new() -> Self {
        let bench = Bench::new("ls >> $COUNT; touch object; mkdir -p $1$2/bin && cp VERSION $1$2/bin/it\n");
        let dirs = Dirs { reuse_trees: true, ..bench.dirs.clone() };
        let history = Self { bench, dirs };
        history.git(&["init", "-q"]);
        history
    }

    fn git(&self, args: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(self.bench.tree()).args(["-c", "user.name=it", "-c", "user.email=it@it"]);
        assert!(git.args(args).status().expect("git").success(), "{args:?}");
    }

    fn commit(&self, release: &str) {
        fs::write(self.bench.tree().join("VERSION"), release).expect("write");
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", release]);
    }

    /// Commits this release, whose build fails if it is broken, and makes it.
    fn make(&self, release: &str) -> Outcome<Made> {
        self.commit(release);
        let wanted = check("it", &RECIPE, (&self.bench.tree(), Some("HEAD")), &[]).expect("checked").0;
        make(&wanted, &self.dirs, &Silent)
    }

    /// How many builds found an object.
    fn reused(&self) -> usize {
        let seen = fs::read_to_string(self.bench.folder.path().join("count")).expect("seen");
        seen.lines().filter(|line| *line == "object").count()
    }

    fn kept_tree(&self) -> PathBuf {
        let name = self.bench.kept().into_iter().find(|name| name.contains("-tree-") && !name.contains('.'));
        dirs::builds(&self.dirs).join(name.expect("a tree is kept"))
    }
}

#[test]
fn commits_are_built_in_one_tree() {
    let history = History::new();
    let first = history.make("1").expect("made");
    let second = history.make("2").expect("made");
    assert_eq!(history.reused(), 1);
    assert_ne!(first.folder, second.folder);
    assert_eq!(fs::read_to_string(second.folder.join("bin/it")).expect("installed"), "2");
    assert!(second.facts.build.iter().any(|remark| remark.ends_with("in a reused tree")));

    let plain = Dirs { reuse_trees: false, ..history.dirs.clone() };
    fs::remove_dir_all(&second.folder).expect("removed");
    let wanted = check("it", &RECIPE, (&history.bench.tree(), Some("HEAD")), &[]).expect("checked").0;
    let anew = make(&wanted, &plain, &Silent).expect("made");
    assert_eq!((history.reused(), anew.folder), (1, second.folder), "the same build, however it was made");
}

#[test]
fn what_fails_in_a_kept_tree_is_tried_in_a_new_one() {
    let history = History::new();
    history.make("1").expect("made");
    history
        .bench
        .write("ls >> $COUNT; if test -e object; then exit 1; fi; mkdir -p $1$2/bin && touch object\n");
    history.make("2").expect("the object was the reason");
    assert_eq!(history.reused(), 1);
    history.bench.write("ls >> $COUNT; touch object; exit 1\n");
    assert!(history.make("3").map(drop).expect_err("fails").what.contains("while compiling"));
    assert_eq!(history.reused(), 2);
    assert!(!history.bench.kept().iter().any(|name| name.ends_with(".making")), "{:?}", history.bench.kept());
    history.bench.write("ls >> $COUNT; mkdir -p $1$2/bin\n");
    history.make("4").expect("made");
    assert_eq!(history.reused(), 3, "a tree is kept after a failure of the sources");
}

#[test]
fn a_tree_that_was_left_in_the_middle_is_not_used() {
    let history = History::new();
    history.make("1").expect("made");
    fs::remove_file(history.kept_tree().join("whole")).expect("as a killed build leaves it");
    history.make("2").expect("made");
    assert_eq!(history.reused(), 0);
    history.make("3").expect("made");
    assert_eq!(history.reused(), 1);
}

/// Builds of one commit that differ in their layout share a tree, also where no other builds do; each is linked anew.
#[test]
fn layouts_are_linked_from_the_same_objects() {
    let script = "cd $PWD; for i in 1 2 3 4; do test -e f$i.o || { echo \"int f$i(void) { return $i; }\" > f$i.c; \
        $3 -c f$i.c; echo compiled >> $COUNT; }; done; test -e main.o || { echo 'int f1(void); int main(void) \
        { return f1() - 1; }' > main.c; $3 -c main.c; }; \
        test -e it || $3 -o it f1.o f2.o f3.o f4.o main.o && mkdir -p $1$2/bin && cp it $1$2/bin/it\n";
    let history = History::new();
    history.bench.write(script);
    history.commit("1");
    let made = |seed: &str, dirs: &Dirs| {
        let layout = [Setting::Value { key: "layout".into(), value: seed.into() }];
        let wanted = check("it", &LINKED, (&history.bench.tree(), Some("HEAD")), &layout).expect("checked").0;
        make(&wanted, dirs, &Silent).expect("made")
    };
    // 0 is the order of the build itself.
    made("0", &history.dirs);
    let dirs = Dirs { reuse_trees: false, ..history.dirs.clone() };
    let linked = |seed: &str| {
        let made = made(seed, &dirs);
        let remark = format!("linked in an order of its own, layout {seed}");
        assert!(made.facts.build.contains(&remark), "{:?}", made.facts.build);
        (made.folder.clone(), fs::read(made.folder.join("bin/it")).expect("a program"))
    };
    let [one, two] = ["1", "2"].map(linked);
    assert!(one.0 != two.0 && one.1 != two.1, "two layouts are two builds");
    for folder in [&one.0, &two.0] {
        let ran = std::process::Command::new(folder.join("bin/it")).status().expect("it runs");
        assert!(ran.success(), "the same program in another order");
    }
    let seen = fs::read_to_string(history.bench.folder.path().join("count")).expect("seen");
    assert_eq!(
        seen.lines().filter(|line| *line == "compiled").count(),
        8,
        "once for the build's own order, once for all layouts"
    );
}
