//! Objects that ccache kept of another build. It looks them up by their commands, in which CMake writes the folder of the build.

use std::env;
use std::path::Path;

use humdrum_provision::tools;

/// What is started before the compiler: `ccache`, or nothing where this host has none.
pub(super) fn launcher() -> &'static str {
    tools::find("ccache").map_or("", |_| "ccache")
}

/// Settings with which the objects of a build in another folder count, unless the user has set his own: paths below `tree` are taken
/// relative to where the compiler runs, and debug information keeps the folder of whoever compiled first.
pub(super) fn settings(tree: &Path) -> Vec<(String, String)> {
    if launcher().is_empty() {
        return Vec::new();
    }
    let all = [("CCACHE_BASEDIR", tree.display().to_string()), ("CCACHE_NOHASHDIR", "1".to_owned())];
    let all = all.into_iter().filter(|(name, _)| env::var_os(name).is_none());
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn an_object_of_another_folder_counts() {
        let host = tempfile::tempdir().expect("a folder");
        let compiled = |tree: &str| {
            let tree = host.path().join(tree);
            fs::create_dir_all(tree.join("made")).expect("a tree");
            fs::write(tree.join("it.h"), "int it(void);\n").expect("written");
            fs::write(tree.join("it.c"), "#include <it.h>\nint it(void) { return 1; }\n").expect("written");
            let run = |program: &str, args: &[&str]| {
                let mut command = Command::new(program);
                command.args(args).current_dir(tree.join("made")).envs(settings(&tree));
                // Of files as new as these ccache would otherwise keep less.
                command.env("CCACHE_SLOPPINESS", "include_file_mtime,include_file_ctime");
                command
                    .env_remove("CCACHE_DISABLE")
                    .env("CCACHE_DIR", host.path().join("cache"))
                    .output()
                    .ok()
            };
            let (source, include) = (tree.join("it.c"), format!("-I{}", tree.display()));
            let source = source.display().to_string();
            let made = run("ccache", &["cc", "-g", &include, "-c", &source, "-o", "it.o"])?;
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let told = run("ccache", &["--print-stats"]).expect("ran").stdout;
            let told = String::from_utf8(told).expect("text");
            let hits = |name: &str| told.lines().filter_map(|line| line.strip_prefix(name)).next_back();
            Some(hits("direct_cache_hit\t").expect("a count").to_owned())
        };
        let (Some(first), Some(second)) = (compiled("one"), compiled("two")) else {
            eprintln!("not run: ccache is not here");
            return;
        };
        assert_eq!([first, second], ["0", "1"]);
    }
}
