//! Building by CMake and Ninja, as MySQL, MariaDB and RocksDB are. Only what is measured is compiled, and installed by copying:
//! the makers' own installation wants clients, tools and tests as well.

use std::path::Path;

use humdrum_provision::building::Step;
use humdrum_provision::tools::Tool;

use super::compiler::Compiler;
use super::flags::Flags;
use super::recipe::Order;

/// Where a build is among its sources.
const BUILD: &str = "humdrum-build";
/// Configures, and fails where the sources have no option of a name in `$NAMES`: CMake by itself at most warns, and MariaDB's files ask
/// for all variables, so that it does not. An option that nothing declares has no type, and nothing can ask for a name that no file
/// has. What failed so does not count as configured. In one line, because all but the first line of a log's command is taken for what
/// it said.
const CHECKED: &str = "cmake \"$@\"; for name in $NAMES; do \
                       if grep -q \"^$name:UNINITIALIZED=\" \"$BUILD/CMakeCache.txt\" && \
                       ! grep -rqw --include=CMakeLists.txt --include='*.cmake' --exclude-dir=\"$BUILD\" \"$name\" .; \
                       then echo \"CMake Error: these sources have no option $name\"; rm -f \"$BUILD/build.ninja\"; exit 1; fi; done";

/// What differs between engines.
#[derive(Debug)]
pub struct CMake<'a> {
    /// Options that all builds have. What a host has or lacks decides none of them, so that hosts build alike.
    pub options: &'a [(&'a str, &'a str)],
    /// Switches that the makers call otherwise: as typed, then the option and its value.
    pub aliases: &'a [(&'a str, &'a str, &'a str)],
    /// What is compiled.
    pub targets: &'a [&'a str],
    /// Copies what was compiled: a script of the shell. `$BUILD` is where the build is, `$TO` an empty folder.
    pub install: &'a str,
}

impl CMake<'_> {
    /// The commands that build and install.
    pub fn steps(&self, order: &Order<'_>) -> Vec<Step> {
        let step = |what: &str, program: &str, args: Vec<String>| Step {
            what: what.to_owned(),
            program: program.to_owned(),
            args,
            env: Vec::new(),
        };
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut configure = owned(&["-S", ".", "-B", BUILD, "-G", "Ninja"]);
        configure.extend(self.defined(order).into_iter().map(|(name, value)| format!("-D{name}={value}")));
        let compile = [&owned(&["--build", BUILD, "--target"])[..], &owned(self.targets)].concat();
        let mut install = step("installing", "sh", owned(&["-ec", &self.install.replace('\n', "; ")]));
        let build = ("BUILD".to_owned(), BUILD.to_owned());
        install.env = vec![build.clone(), ("TO".to_owned(), order.destination().display().to_string())];
        let names: Vec<String> =
            order.flags.switches.iter().map(|(key, value)| self.switch(key, value).0).collect();
        let mut configure = step("configuring", "cmake", configure);
        if !names.is_empty() {
            let checked = owned(&["-ec", CHECKED, "sh"]);
            let args = [checked, configure.args].concat();
            configure = step("configuring", "sh", args);
            configure.env = vec![build, ("NAMES".to_owned(), names.join(" "))];
        }
        vec![configure, step("compiling", "cmake", compile), install]
    }

    /// Everything that CMake is told: compilers and their flags, the engine's options, the user's switches in their place.
    fn defined(&self, order: &Order<'_>) -> Vec<(String, String)> {
        let Order { flags, compiler, launcher, .. } = order;
        let mut all: Vec<(String, String)> = Vec::new();
        let mut put = |name: &str, value: &str| all.push((name.to_owned(), value.to_owned()));
        put("CMAKE_C_COMPILER", &compiler.cc);
        put("CMAKE_CXX_COMPILER", &Compiler::cxx(&compiler.cc));
        // With assertions it is the makers' debug build, at the level of optimisation that was asked for.
        let (kind, of_kind, more) =
            if flags.assertions { ("Debug", "DEBUG", "") } else { ("Release", "RELEASE", " -DNDEBUG") };
        put("CMAKE_BUILD_TYPE", kind);
        let compiled = format!("{}{more}", compiler.flags(flags).join(" "));
        let linked = compiler.link_flags(flags).join(" ");
        let archivers = compiler.archivers(flags);
        for language in ["C", "CXX"] {
            put(&format!("CMAKE_{language}_FLAGS_{of_kind}"), &compiled);
            if let Some(library) = flags.malloc {
                put(
                    &format!("CMAKE_{language}_STANDARD_LIBRARIES"),
                    &format!("-Wl,--no-as-needed -l{library}"),
                );
            }
            if !launcher.is_empty() {
                put(&format!("CMAKE_{language}_COMPILER_LAUNCHER"), &launcher.replace(' ', ";"));
            }
            if let Some((ar, ranlib)) = &archivers {
                put(&format!("CMAKE_{language}_COMPILER_AR"), ar);
                put(&format!("CMAKE_{language}_COMPILER_RANLIB"), ranlib);
            }
        }
        if let Some((ar, ranlib)) = &archivers {
            put("CMAKE_AR", ar);
            put("CMAKE_RANLIB", ranlib);
        }
        if !linked.is_empty() {
            for of in ["EXE", "MODULE", "SHARED"] {
                put(&format!("CMAKE_{of}_LINKER_FLAGS"), &linked);
            }
        }
        for (name, value) in self.options {
            put(name, value);
        }
        for (key, value) in &flags.switches {
            let (name, value) = self.switch(key, value);
            all.retain(|(known, _)| *known != name);
            all.push((name, value));
        }
        all
    }

    /// The option of a switch, and its value.
    fn switch(&self, key: &str, value: &str) -> (String, String) {
        let typed = format!("{key}={value}");
        if let Some((_, name, value)) = self.aliases.iter().find(|(alias, ..)| *alias == typed) {
            return ((*name).to_owned(), (*value).to_owned());
        }
        let value = match value {
            "on" => "ON",
            "off" => "OFF",
            value => value,
        };
        (key.to_uppercase(), value.to_owned())
    }
}

/// Whether CMake came to the end of configuring among these sources.
pub(super) fn is_configured(tree: &Path) -> bool {
    tree.join(BUILD).join("build.ninja").exists()
}

/// What every build by CMake needs beside the compiler of C.
pub fn tools(flags: &Flags) -> Vec<Tool> {
    vec![Compiler::cxx_tool(&flags.cc), Tool::new("cmake", "cmake"), Tool::new("ninja", "ninja-build")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::flags::Lto;

    fn shown(flags: &Flags, launcher: &str) -> Vec<String> {
        let compiler = Compiler { cc: flags.cc.clone(), version: String::new() };
        let (prefix, staged) = (Path::new("/builds/it"), Path::new("/staged"));
        let order = Order { release: "9.7.2", flags, compiler: &compiler, launcher, prefix, staged };
        let options = &[("WITH_SSL", "system"), ("WITH_NUMA", "OFF")];
        let cmake = CMake {
            options,
            aliases: &[("with_perfschema=off", "DISABLE_ALL_PSI", "ON")],
            targets: &["mysqld", "GenError"],
            install: "cp \"$BUILD\"/mysqld \"$TO\"",
        };
        cmake.steps(&order).iter().map(Step::shown).collect()
    }

    #[test]
    fn a_server_is_configured_compiled_and_copied() {
        let compiled = "-O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -DNDEBUG";
        assert_eq!(
            shown(&Flags::default(), ""),
            [
                format!(
                    "cmake -S . -B humdrum-build -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
                     -DCMAKE_BUILD_TYPE=Release '-DCMAKE_C_FLAGS_RELEASE={compiled}' \
                     '-DCMAKE_CXX_FLAGS_RELEASE={compiled}' -DWITH_SSL=system -DWITH_NUMA=OFF"
                ),
                "cmake --build humdrum-build --target mysqld GenError".to_owned(),
                "BUILD=humdrum-build TO=/staged/builds/it sh -ec 'cp \"$BUILD\"/mysqld \"$TO\"'".to_owned(),
            ]
        );
    }

    #[test]
    fn a_switch_that_the_sources_do_not_have_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let cmake = folder.path().join("cmake");
        let cache = "WITH_SSL:STRING=system\\nWITH_NUMA:UNINITIALIZED=ON\\nWITH_NONSENSE:UNINITIALIZED=ON\\n";
        let script =
            format!("#!/bin/sh\nmkdir -p humdrum-build\nprintf '{cache}' > humdrum-build/CMakeCache.txt\n");
        std::fs::write(&cmake, script).expect("written");
        std::fs::write(folder.path().join("CMakeLists.txt"), "if(WITH_NUMA)\n# WITH_NONSENSES\n")
            .expect("written");
        let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&cmake, may_run).expect("may run");
        let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").expect("PATH"));
        let configured = |names: &str| {
            let mut shell = std::process::Command::new("sh");
            shell.args(["-ec", CHECKED, "sh", "-S", "."]).current_dir(folder.path());
            shell.env("PATH", &path).env("BUILD", BUILD).env("NAMES", names).output().expect("ran")
        };
        let refused = configured("WITH_SSL WITH_NUMA WITH_NONSENSE");
        let text = String::from_utf8_lossy(&refused.stdout).into_owned();
        assert!(!refused.status.success(), "{text}");
        assert_eq!(text, "CMake Error: these sources have no option WITH_NONSENSE\n");
        assert!(configured("WITH_SSL WITH_NUMA").status.success(), "declared, or asked for");
    }

    #[test]
    fn settings_become_options_of_cmake() {
        let switches = [("with_ssl", "/opt/ssl"), ("with_perfschema", "off")];
        let flags = Flags {
            cc: "/opt/clang-19".into(),
            lto: Lto::Thin,
            assertions: true,
            malloc: Some("jemalloc"),
            switches: switches.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
            ..Flags::default()
        };
        let configure = shown(&flags, "sh it.sh ccache").swap_remove(0);
        for part in [
            "-DCMAKE_CXX_COMPILER=/opt/clang++-19 -DCMAKE_BUILD_TYPE=Debug",
            "-mno-omit-leaf-frame-pointer -flto=thin' '-DCMAKE_CXX_STANDARD_LIBRARIES=-Wl,--no-as-needed -ljemalloc'",
            "'-DCMAKE_C_COMPILER_LAUNCHER=sh;it.sh;ccache' -DCMAKE_C_COMPILER_AR=/opt/llvm-ar-19",
            "-DCMAKE_RANLIB=/opt/llvm-ranlib-19 -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld",
        ] {
            assert!(configure.contains(part), "{part}: {configure}");
        }
        assert!(
            configure.ends_with(" -DWITH_NUMA=OFF -DWITH_SSL=/opt/ssl -DDISABLE_ALL_PSI=ON"),
            "{configure}"
        );
    }
}
