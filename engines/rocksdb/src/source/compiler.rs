//! The compiler of a build from a crate, its flags, and the commands that it is started by.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use humdrum_contract::Tool;
use humdrum_provision::tools;

/// RocksDB's own release flags, for the processor that every 64-bit x86 is: as the published libraries are.
const FLAGS: [&str; 5] = ["-O2", "-fno-omit-frame-pointer", "-momit-leaf-frame-pointer", "-DNDEBUG", "-fPIC"];
/// What its build system finds on a Linux where the published libraries are made (as their symbols tell: without a call like
/// `sync_file_range` a library writes its files in another way), and lz4. Some releases miss an include that newer compilers
/// want.
const CPP: [&str; 16] = [
    "-std=c++20",
    "-w",
    "-include",
    "cstdint",
    "-DOS_LINUX",
    "-DROCKSDB_PLATFORM_POSIX",
    "-DROCKSDB_LIB_IO_POSIX",
    "-DROCKSDB_BACKTRACE",
    "-DROCKSDB_FALLOCATE_PRESENT",
    "-DROCKSDB_MALLOC_USABLE_SIZE",
    "-DROCKSDB_PTHREAD_ADAPTIVE_MUTEX",
    "-DROCKSDB_RANGESYNC_PRESENT",
    "-DROCKSDB_SCHED_GETCPU_PRESENT",
    "-DROCKSDB_SUPPORT_THREAD_LOCAL",
    "-DLZ4=1",
    "-c",
];
/// A compiler and its flags.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(super) program: String,
    /// The first line of `--version`.
    pub(super) version: String,
    pub(super) lto: bool,
}

/// A file to be compiled.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) file: PathBuf,
    pub(super) include: Vec<PathBuf>,
    pub(super) is_c: bool,
}

impl Recipe {
    /// A compiler that may not be here: what a build lacks is told for all of it at once.
    pub(super) fn new(program: &str, lto: bool) -> Self {
        let version = tools::version(program).unwrap_or_else(|| format!("{program}, which is not here"));
        Self { program: program.to_owned(), version, lto }
    }

    /// Settings that are not the defaults, as they are typed.
    pub(super) fn asked(&self) -> Vec<String> {
        let cc = (self.program != "g++").then(|| format!("cc={}", self.program));
        cc.into_iter().chain(self.lto.then(|| "lto=on".to_owned())).collect()
    }

    /// What building takes; `cargo` gets the sources.
    pub(super) fn tools(&self, cargo: &str) -> Vec<Tool> {
        let name = self.program.rsplit('/').next().unwrap_or_default();
        // Debian has both compilers of clang in one package.
        let mut tools =
            vec![Tool::new(&self.program, &name.replace("clang++", "clang")), Tool::new(cargo, "cargo")];
        tools.extend((self.lto && self.is_clang()).then(|| Tool::new("ld.lld", "lld")));
        tools
    }

    /// Its commands with names for what differs between files, as a shell would take them.
    pub(super) fn commands(&self, include: &[PathBuf]) -> Vec<String> {
        let unit = |file: &str, is_c| Unit { file: file.into(), include: include.to_vec(), is_c };
        let compile = |unit: &Unit| shown(&self.command(unit, Path::new("FILE.o")));
        let link = shown(&self.link(&["*.o".into()], Path::new(super::LIBRARY)));
        vec![compile(&unit("FILE.cc", false)), compile(&unit("FILE.c", true)), link]
    }

    /// What it says of itself.
    pub(super) fn compiler(&self) -> &str {
        &self.version
    }

    /// Flags that matter for speed.
    pub(super) fn flags(&self) -> Vec<String> {
        // gcc then links with as many processors as there are; clang's way to do that.
        let lto = self.lto.then_some(if self.is_clang() { "-flto=thin" } else { "-flto=auto" });
        FLAGS.iter().copied().chain(lto).map(str::to_owned).collect()
    }

    fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// Everything that makes one build differ from another of the same sources.
    pub(super) fn identity(&self) -> String {
        format!("{}\n{}\n{}\n{}", self.program, self.version, self.flags().join(" "), CPP.join(" "))
    }

    pub(super) fn link(&self, objects: &[PathBuf], library: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(self.flags())
            .arg("-shared")
            .arg("-o")
            .arg(library)
            .args(objects)
            .args(["-lpthread", "-ldl"]);
        if self.lto && self.is_clang() {
            // The system's own linker does not read its objects.
            command.arg("-fuse-ld=lld");
        }
        command
    }

    pub(super) fn command(&self, unit: &Unit, object: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.flags());
        match unit.is_c {
            true => command.args(["-x", "c", "-c", "-w"]),
            false => command.args(CPP),
        };
        command.args(unit.include.iter().map(|folder| {
            let mut flag = OsString::from("-I");
            flag.push(folder);
            flag
        }));
        command.arg(&unit.file).arg("-o").arg(object);
        command
    }
}

/// Programs and arguments here have no characters that a shell would change, but for the star of all objects.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_time_optimisation_is_asked_for_in_the_compilers_own_words() {
        let of = |version: &str| {
            let recipe = Recipe { program: "c++".into(), version: version.into(), lto: true };
            recipe.flags().pop().expect("flags")
        };
        assert_eq!(of("g++ (Debian 12.2.0) 12.2.0"), "-flto=auto");
        assert_eq!(of("Debian clang version 14.0.6"), "-flto=thin");
    }

    #[test]
    fn all_tools_and_commands_are_known_beforehand() {
        let recipe = |program: &str, lto| Recipe { program: program.into(), version: program.into(), lto };
        let needs = |recipe: &Recipe| -> Vec<String> {
            recipe
                .tools("cargo")
                .into_iter()
                .map(|tool| format!("{} of {}", tool.name, tool.package))
                .collect()
        };
        assert_eq!(needs(&recipe("/opt/g++-12", true)), ["/opt/g++-12 of g++-12", "cargo of cargo"]);
        let clang = recipe("clang++-19", true);
        assert_eq!(needs(&clang), ["clang++-19 of clang-19", "cargo of cargo", "ld.lld of lld"]);
        let [cc, c, link] =
            <[String; 3]>::try_from(clang.commands(&["SOURCES/include".into()])).expect("three");
        assert!(
            cc.starts_with("clang++-19 -O2 ") && cc.ends_with("-ISOURCES/include FILE.cc -o FILE.o"),
            "{cc}"
        );
        assert!(c.contains(" -x c -c -w ") && c.ends_with("FILE.c -o FILE.o"), "{c}");
        assert!(link.ends_with(" -shared -o librocksdb.so *.o -lpthread -ldl -fuse-ld=lld"), "{link}");
        assert_eq!(Recipe::new("no-such-compiler", false).compiler(), "no-such-compiler, which is not here");
    }
}
