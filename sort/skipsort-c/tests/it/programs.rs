//! Programs in C and C++, compiled with all warnings as errors and run under the address and the undefined-behaviour
//! sanitizer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-g"];
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
/// What rustc names as `native-static-libs`; the pkg-config file has the same.
const SYSTEM: [&str; 5] = ["-lpthread", "-ldl", "-lm", "-lrt", "-lutil"];

/// The system's compiler, if there is one.
pub fn compiler(name: &str) -> Option<String> {
    let found = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no compiler called {name}");
    }
    found.then(|| name.to_owned())
}

fn crate_path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

/// The library that cargo has built for this test.
pub fn library(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let library = test.with_file_name(name);
    assert!(library.exists(), "{} is missing", library.display());
    library
}

/// A program that has been compiled.
pub struct Program {
    folder: TempDir,
}

impl Program {
    /// Compiles a file of this crate against the static library.
    fn of_file(compiler: &str, file: &str, flags: &[&str]) -> Program {
        Program::compile(compiler, &crate_path(file), flags, TempDir::new().expect("a folder"))
    }

    /// Compiles a text.
    pub fn of_text(compiler: &str, text: &str, name: &str, flags: &[&str]) -> Program {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join(name);
        fs::write(&file, text).expect("the folder can be written");
        Program::compile(compiler, &file, flags, folder)
    }

    fn compile(compiler: &str, source: &Path, flags: &[&str], folder: TempDir) -> Program {
        let mut command = Command::new(compiler);
        command.args(WARNINGS).args(SANITIZERS).args(flags).arg("-I").arg(crate_path("include")).arg(source);
        command.arg("-o").arg(folder.path().join("program")).arg(library("libskipsort_c.a")).args(SYSTEM);
        let output = command.output().expect("the compiler runs");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        Program { folder }
    }

    /// What it complains about; it ends with a failure.
    fn fails(&self) -> String {
        let output = Command::new(self.folder.path().join("program")).output().expect("it runs");
        assert!(!output.status.success(), "it ended with success");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// What it prints when it is given this input; it ends with success.
    fn run_on(&self, input: &str) -> String {
        let file = self.folder.path().join("input");
        fs::write(&file, input).expect("the folder can be written");
        let mut command = Command::new(self.folder.path().join("program"));
        let output = command.stdin(fs::File::open(file).expect("the input")).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// What it prints; it ends with success.
    pub fn run(&self, args: &[&str]) -> String {
        let output = Command::new(self.folder.path().join("program")).args(args).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }
}

/// What both examples print to these words.
const WORDS: [&str; 4] = ["pear", "apple", "fig", "apple"];
const SORTED: &str = "2 apple\n4 apple\n3 fig\n1 pear\nlast: pear\nfirst: apple\n";

#[test]
fn the_c_example_sorts() {
    let Some(cc) = compiler("cc") else { return };
    let program = Program::of_file(&cc, "examples/sort.c", &["-std=c99"]);
    assert_eq!(program.run(&WORDS), SORTED);
    assert_eq!(program.run(&[]), "");
}

#[test]
fn the_cpp_example_sorts() {
    let Some(cpp) = compiler("c++") else { return };
    let program = Program::of_file(&cpp, "examples/sort.cpp", &["-std=c++17"]);
    assert_eq!(program.run(&WORDS), SORTED);
    assert_eq!(program.run(&[]), "");
}

#[test]
fn the_streaming_example_sorts_more_than_its_memory() {
    let Some(cc) = compiler("cc") else { return };
    let program = Program::of_file(&cc, "examples/stream.c", &["-std=c99"]);
    let lines = |numbers: &mut dyn Iterator<Item = u32>| -> String {
        numbers.map(|number| format!("a line with the number {number:06}\n")).collect()
    };
    // 3.4 MB in another order, and each line twice.
    let mixed = lines(&mut (0..100_000).map(|number| number * 7919 % 50_000));
    assert_eq!(program.run_on(&mixed), lines(&mut (0..50_000)));
    assert_eq!(program.run_on(""), "");
}

#[test]
fn all_memory_comes_from_the_callers_functions() {
    let Some(cc) = compiler("cc") else { return };
    let program = Program::of_file(&cc, "tests/it/allocator.c", &["-std=c99"]);
    assert_eq!(program.run(&[]), "all memory came back\n");
}

#[test]
fn c_can_call_every_function() {
    let Some(cc) = compiler("cc") else { return };
    let program = Program::of_file(&cc, "tests/it/every_function.c", &["-std=c99"]);
    assert_eq!(program.run(&[]), "all functions called\n");
}

/// A scratch that is not freed: the sanitizers see what the library allocates.
#[test]
fn a_leak_is_seen() {
    let Some(cc) = compiler("cc") else { return };
    let leak = "#include <skipsort.h>\nint main(void) { return skipsort_scratch_new(0) == 0; }\n";
    assert!(Program::of_text(&cc, leak, "leak.c", &["-std=c99"]).fails().contains("LeakSanitizer"));
}

#[test]
fn memory_beyond_the_limit_is_a_code() {
    let Some(cc) = compiler("cc") else { return };
    let program = Program::of_file(&cc, "tests/it/no_memory.c", &["-std=c99", "-fno-sanitize=all"]);
    assert_eq!(program.run(&[]), "no memory, rows as they were\n");
}

#[test]
fn the_shared_library_is_enough() {
    let Some(cc) = compiler("cc") else { return };
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join("program");
    let mut command = Command::new(cc);
    command.arg(crate_path("examples/sort.c")).arg("-I").arg(crate_path("include")).arg("-o").arg(&program);
    assert!(command.arg(library("libskipsort_c.so")).status().expect("the compiler runs").success());
    let libraries = library("libskipsort_c.so");
    let output =
        Command::new(program).args(WORDS).env("LD_LIBRARY_PATH", libraries.parent().unwrap()).output();
    assert_eq!(String::from_utf8_lossy(&output.expect("it runs").stdout), SORTED);
}
