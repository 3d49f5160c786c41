//! Compiles files to objects, several at a time, and links them. What was compiled before an interruption is kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use humdrum_contract::{Interrupt, Outcome, Progress, Update};
use humdrum_model::Fault;
use humdrum_provision::building::left;
use humdrum_provision::program;

use super::compiler::{Recipe, Unit};

/// Lines of what a compiler says that are shown.
const SAID_LINES: usize = 8;

/// Compiles all files into `folder`; the objects, in the files' order.
///
/// # Errors
/// Interrupted; environment, with what the compiler said of which file.
pub(super) fn objects(
    recipe: &Recipe,
    units: &[Unit],
    folder: &Path,
    what: &str,
    interrupt: &Interrupt,
    progress: &dyn Progress,
) -> Outcome<Vec<PathBuf>> {
    fs::create_dir_all(folder).map_err(|error| cannot("write to", folder, &error))?;
    let objects: Vec<PathBuf> =
        (0..units.len()).map(|number| folder.join(format!("{number:04}.o"))).collect();
    let missing: Vec<usize> = (0..units.len()).filter(|number| !objects[*number].exists()).collect();
    let (began, before) = (Instant::now(), units.len() - missing.len());
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(before));
    let trouble: Mutex<Option<Fault>> = Mutex::new(None);
    let keep = |fault| {
        trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
    };
    let stopped = || trouble.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    let work = || {
        while !stopped()
            && let Some(number) = missing.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let compiled =
                interrupt.check().and_then(|()| compile(recipe, &units[*number], &objects[*number]));
            if let Err(fault) = compiled {
                // Ctrl-C reaches compilers too: what they die of then is no fault of theirs.
                keep(interrupt.check().err().unwrap_or(fault));
                return;
            }
            // Told even where another file has failed meanwhile: this one need not be compiled again.
            let done = done.fetch_add(1, Ordering::Relaxed) as u64 + 1;
            let left = left(done - before as u64, missing.len() as u64, began.elapsed());
            let (what, total) = (format!("building {what}{left}"), Some(units.len() as u64));
            progress.update(Update::Part { what: &what, done, total, unit: "files" });
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    trouble.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(objects), Err)
}

/// Under another name until it is whole.
fn compile(recipe: &Recipe, unit: &Unit, object: &Path) -> Outcome<()> {
    let part = object.with_extension("part");
    run(recipe.command(unit, &part), &format!("compiling {}", unit.file.display()))?;
    fs::rename(&part, object).map_err(|error| cannot("write", object, &error))
}

/// Links objects into a shared library.
///
/// # Errors
/// Environment, with what the linker said.
pub(super) fn link(recipe: &Recipe, objects: &[PathBuf], library: &Path) -> Outcome<()> {
    debug_assert!(objects.iter().collect::<BTreeSet<_>>().len() == objects.len(), "each object once");
    let part = library.with_extension("part");
    run(recipe.link(objects, &part), "linking librocksdb.so")?;
    fs::rename(&part, library).map_err(|error| cannot("write", library, &error))
}

fn run(mut command: Command, what: &str) -> Outcome<()> {
    let output = program::output(&mut command);
    let output = output.map_err(|error| Fault::environment(format!("{what}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().take(SAID_LINES).collect();
    Err(Fault::environment(format!("{what} failed ({}): {}", output.status, said.join("\n")))
        .hint("try another compiler: +compiler=clang; what was compiled is kept"))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {what} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use humdrum_provision::tools;

    use super::*;

    /// Counts what was compiled.
    #[derive(Default)]
    struct Count(AtomicU64);

    impl Progress for Count {
        fn update(&self, update: Update<'_>) {
            assert!(matches!(update, Update::Part { unit: "files", total: Some(3), .. }));
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_compiler_that_ctrl_c_ended_is_an_interruption() {
        let folder = tempfile::tempdir().expect("folder");
        let script = folder.path().join("compiler");
        // Dies as of Ctrl-C, but not before it was told.
        let text =
            "#!/bin/sh\n: > \"$0.begun\"\nwhile [ ! -e \"$0.told\" ]; do sleep 0.01; done\nkill -INT $$\n";
        fs::write(&script, text).expect("write");
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("mode");
        let recipe = Recipe { program: script.display().to_string(), version: String::new(), lto: false };
        let unit = Unit { file: folder.path().join("one.cc"), include: Vec::new(), is_c: false };
        let (interrupt, objects_folder) = (Interrupt::new(), folder.path().join("objects"));
        let fault = std::thread::scope(|scope| {
            let build = scope.spawn(|| {
                objects(&recipe, &[unit], &objects_folder, "it", &interrupt, &humdrum_contract::Silent)
            });
            while !folder.path().join("compiler.begun").exists() && !build.is_finished() {
                std::thread::yield_now();
            }
            interrupt.set();
            fs::write(folder.path().join("compiler.told"), "").expect("write");
            build.join().expect("joins").expect_err("interrupted")
        });
        assert_eq!(fault.exit_code(), 130, "{fault}");
    }

    #[test]
    fn a_build_that_failed_goes_on_where_it_was() {
        if tools::find("g++").is_none() {
            return eprintln!("skipped: there is no g++ here");
        }
        let recipe = Recipe::new("g++", false);
        let folder = tempfile::tempdir().expect("folder");
        let unit = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::write(&file, text).expect("write");
            Unit { file, include: vec![folder.path().into()], is_c: name.ends_with(".c") }
        };
        fs::write(folder.path().join("one.h"), "int two();\n").expect("write");
        let mut units = vec![
            unit("one.cc", "#include \"one.h\"\nextern \"C\" uint64_t one() { return two(); }\n"),
            unit("c.c", "int class = 7;\n"),
            unit("two.cc", "int two() { return nothing; }\n"),
        ];
        let objects_folder = folder.path().join("objects");
        let (free, count) = (Interrupt::new(), Count::default());
        let build = |units: &[Unit]| objects(&recipe, units, &objects_folder, "it", &free, &count);
        let fault = build(&units).expect_err("one file is wrong");
        assert!(fault.what.contains("two.cc") && fault.what.contains("nothing"), "{fault}");
        let before = count.0.load(Ordering::Relaxed);
        units[2] = unit("two.cc", "int two() { return 2; }\n");
        let built = build(&units).expect("compiles");
        assert_eq!(count.0.load(Ordering::Relaxed), 3, "{before} of them before, none twice");
        let library = folder.path().join("lib.so");
        link(&recipe, &built, &library).expect("links");
        assert!(fs::read(&library).expect("read").starts_with(b"\x7fELF"));
        let stop = Interrupt::new();
        stop.set();
        fs::remove_file(&built[0]).expect("remove");
        let fault = objects(&recipe, &units, &objects_folder, "it", &stop, &count).expect_err("interrupted");
        assert_eq!(fault.exit_code(), 130);
    }
}
