//! Builds that were interrupted or killed, and one that the disk has no room for.

use std::sync::Mutex;

use humdrum_contract::Update;

use super::*;

/// Interrupts at the first second of a command.
struct Stop(Interrupt, Mutex<bool>);

impl Progress for Stop {
    fn update(&self, update: Update<'_>) {
        if let Update::Part { unit: "s", .. } = update {
            self.0.set();
            *self.1.lock().expect("lock") = true;
        }
    }
}

#[test]
fn an_interrupted_or_killed_build_does_not_count() {
    let bench = Bench::new(&format!("{SCRIPT}sleep 600\n"));
    let stop = Stop(bench.dirs.interrupt.clone(), Mutex::new(false));
    let fault = make(&bench.wanted(&[]), &bench.dirs, &stop).map(drop).expect_err("interrupted");
    assert!(fault.exit_code() == 130 && *stop.1.lock().expect("lock"));
    assert!(!bench.kept().iter().any(|name| name.ends_with(".making")), "{:?}", bench.kept());

    // What a killed program leaves: a copy with objects, and half an installation.
    bench.write(SCRIPT);
    let dirs = Dirs { interrupt: Interrupt::new(), ..bench.dirs.clone() };
    let planned = plan(&bench.wanted(&[]), &dirs, &Silent).expect("plan");
    let left = planned.folder.with_extension("making").join("tree");
    fs::create_dir_all(&left).expect("left");
    fs::write(left.join("it.o"), "half").expect("left");
    fs::create_dir_all(planned.folder.join("bin")).expect("half of it");
    assert!(!plan(&bench.wanted(&[]), &dirs, &Silent).expect("plan").built);
    let made = make(&bench.wanted(&[]), &dirs, &Silent).expect("made");
    assert!(made.folder == planned.folder && made.folder.join("bin/it").is_file());
    assert!(!left.exists());
}

/// As `RECIPE`, and an interrupted build goes on.
static RESUMED: Recipe = Recipe { resumes: true, ..RECIPE };

#[test]
fn an_interrupted_build_goes_on_where_its_objects_can_be_trusted() {
    let script = format!("if [ -e half ]; then {SCRIPT}else touch half; sleep 600; fi\n");
    let bench = Bench::new(&script);
    let wanted = || check("it", &RESUMED, (&bench.tree(), None), &[]).expect("checked").0;
    let stop = Stop(bench.dirs.interrupt.clone(), Mutex::new(false));
    let fault = make(&wanted(), &bench.dirs, &stop).map(drop).expect_err("interrupted");
    assert!(fault.exit_code() == 130 && fault.hint.is_some_and(|hint| hint.contains("is kept")));

    let dirs = Dirs { interrupt: Interrupt::new(), ..bench.dirs.clone() };
    let begun = plan(&wanted(), &dirs, &Silent).expect("plan");
    assert!(begun.begun && !begun.built);
    let made = make(&wanted(), &dirs, &Silent).expect("made");
    assert!(made.folder.join("bin/it").is_file() && bench.runs() == 1);
    let told = made.facts.build.last().expect("told");
    assert!(told.contains("from where an interrupted build was"), "{told}");
    assert!(!bench.kept().iter().any(|name| name.ends_with(".making")), "{:?}", bench.kept());
    let after = plan(&wanted(), &dirs, &Silent).expect("plan");
    assert!(after.built && !after.begun);

    fs::write(bench.tree().join("build.sh"), "touch half; exit 1\n").expect("write");
    make(&wanted(), &dirs, &Silent).map(drop).expect_err("fails");
    assert!(!plan(&wanted(), &dirs, &Silent).expect("plan").begun, "a build that failed begins anew");
}

#[test]
fn a_disk_without_room_is_refused_before_anything_is_copied() {
    static LARGE: Recipe =
        Recipe { cost: Some(Cost { processor_minutes: 240, disk_mib: u32::MAX }), ..RECIPE };
    let bench = Bench::new(SCRIPT);
    let wanted = check("it", &LARGE, (&bench.tree(), None), &[]).expect("checked").0;
    let takes = plan(&wanted, &bench.dirs, &Silent).expect("plan").takes.expect("foretold");
    assert!(takes.disk_bytes == u64::from(u32::MAX) << 20 && takes.seconds <= 240 * 60);
    let fault = make(&wanted, &bench.dirs, &Silent).map(drop).expect_err("no room");
    assert!(fault.exit_code() == 3 && fault.to_string().contains("MiB are needed"), "{fault}");
    assert!(fault.hint.is_some_and(|hint| hint.contains("--builds")) && bench.runs() == 0);
    assert!(!bench.kept().iter().any(|name| name.ends_with(".making")), "{:?}", bench.kept());
}
