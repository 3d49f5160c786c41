//! The compiler of a build, and what goes with it.

use humdrum_provision::hosts;
use humdrum_provision::tools::{self, Tool};

use super::flags::{Flags, Lto};

/// Libraries with another `malloc`, and the packages that programs are linked with them from.
const MALLOCS: [(&str, &str); 2] =
    [("jemalloc", "libjemalloc-dev"), ("tcmalloc_minimal", "libgoogle-perftools-dev")];

/// A compiler of C, with those of C++ and with the tools that read its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Compiles C.
    pub cc: String,
    /// What it says of itself.
    pub version: String,
}

impl Compiler {
    /// The compiler of a build; it must be on this host.
    pub(super) fn find(cc: &str) -> Option<Self> {
        Some(Self { cc: cc.to_owned(), version: tools::version(cc)? })
    }

    /// What compiling with these flags takes.
    pub(super) fn tools(flags: &Flags) -> Vec<Tool> {
        let clang = is_clang(&flags.cc);
        let mut tools = vec![Tool::new(&flags.cc, name_of(&flags.cc))];
        match flags.lto {
            Lto::Off => {}
            _ if clang => {
                tools.push(Tool::new("ld.lld", "lld"));
                tools.push(Tool::new(&beside(&flags.cc, "clang", "llvm-ar"), "llvm"));
            }
            _ => tools.push(Tool::new(&beside(&flags.cc, "gcc", "gcc-ar"), name_of(&flags.cc))),
        }
        let malloc = MALLOCS.iter().filter(|(library, _)| flags.malloc == Some(library));
        tools.extend(malloc.map(|(library, package)| Tool::new(&format!("-l{library}"), package)));
        tools
    }

    /// Flags of every file's compilation and of every link.
    pub fn flags(&self, flags: &Flags) -> Vec<String> {
        let mut all = vec![flags.opt.clone()];
        all.extend(flags.march.as_ref().map(|march| format!("-march={march}")));
        all.extend(frame_pointers(flags.frame_pointers).iter().map(|flag| (*flag).to_owned()));
        all.extend(flags.align_branches.then(|| self.align_branches().to_owned()));
        all.extend(self.lto(flags.lto).map(str::to_owned));
        all
    }

    /// Flags of every link beside these.
    pub fn link_flags(&self, flags: &Flags) -> Vec<String> {
        // The system's own linker does not read clang's objects.
        let lld = flags.lto != Lto::Off && is_clang(&self.cc);
        lld.then(|| "-fuse-ld=lld".to_owned()).into_iter().collect()
    }

    /// What decides on a build beside the compiler and its flags: the linker's release, and the processor that `native` stands for.
    pub(super) fn beside_flags(&self, flags: &Flags) -> String {
        let linker = if self.link_flags(flags).is_empty() { "ld" } else { "ld.lld" };
        let mut text = format!("linked by {}\n", tools::version(linker).unwrap_or_default());
        if flags.march.as_deref() == Some("native") {
            text.push_str(&format!("for {}\n", hosts::native_processor()));
        }
        text
    }

    /// clang assembles by itself.
    fn align_branches(&self) -> &'static str {
        match is_clang(&self.cc) {
            true => "-mbranches-within-32B-boundaries",
            false => "-Wa,-mbranches-within-32B-boundaries",
        }
    }

    fn lto(&self, lto: Lto) -> Option<&'static str> {
        match (lto, is_clang(&self.cc)) {
            (Lto::Off, _) => None,
            (Lto::Full, true) => Some("-flto=full"),
            (Lto::Thin, true) => Some("-flto=thin"),
            // gcc has one kind. It then compiles with as many processors as there are.
            (Lto::Full | Lto::Thin, false) => Some("-flto=auto"),
        }
    }

    /// The compiler of C++ that belongs to a compiler of C.
    pub fn cxx(cc: &str) -> String {
        match is_clang(cc) {
            true => beside(cc, "clang", "clang++"),
            false => beside(cc, "gcc", "g++"),
        }
    }

    /// What compiling C++ takes beside the compiler of C.
    pub fn cxx_tool(cc: &str) -> Tool {
        let cxx = Self::cxx(cc);
        let package = if is_clang(cc) { name_of(cc).to_owned() } else { name_of(&cxx).to_owned() };
        Tool::new(&cxx, &package)
    }

    /// The archiver and its index tool, where the system's own cannot read what is compiled with these flags.
    pub fn archivers(&self, flags: &Flags) -> Option<(String, String)> {
        if flags.lto == Lto::Off {
            return None;
        }
        let (from, ar, ranlib) = match is_clang(&self.cc) {
            true => ("clang", "llvm-ar", "llvm-ranlib"),
            false => ("gcc", "gcc-ar", "gcc-ranlib"),
        };
        Some((beside(&self.cc, from, ar), beside(&self.cc, from, ranlib)))
    }
}

fn frame_pointers(on: bool) -> &'static [&'static str] {
    match on {
        true => &["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"],
        false => &["-fomit-frame-pointer"],
    }
}

fn is_clang(cc: &str) -> bool {
    name_of(cc).contains("clang")
}

/// The program's name, which Debian's packages of compilers have too.
fn name_of(cc: &str) -> &str {
    cc.rsplit('/').next().unwrap_or(cc)
}

/// `gcc-ar-12` of `gcc-12`: a tool of the same release in the same place.
fn beside(cc: &str, name: &str, tool: &str) -> String {
    let (folder, program) = cc.rsplit_once('/').map_or(("", cc), |(folder, program)| (folder, program));
    let program = match program.strip_prefix(name) {
        Some(suffix) => format!("{tool}{suffix}"),
        None => tool.to_owned(),
    };
    if folder.is_empty() { program } else { format!("{folder}/{program}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::flags::tests::flags;

    fn shown(cc: &str, settings: &[(&str, &str)]) -> String {
        let flags = flags(settings).expect("flags");
        let compiler = Compiler { cc: cc.into(), version: String::new() };
        let all = [compiler.flags(&flags), compiler.link_flags(&flags)].concat().join(" ");
        compiler.archivers(&flags).map_or(all.clone(), |(ar, ranlib)| format!("{all} {ar} {ranlib}"))
    }

    #[test]
    fn native_is_of_one_processor() {
        let compiler = Compiler { cc: "gcc".into(), version: "gcc 12".into() };
        let native = Flags { march: Some("native".into()), ..Flags::default() };
        assert!(compiler.beside_flags(&native).starts_with(&compiler.beside_flags(&Flags::default())));
    }

    #[test]
    fn flags_are_in_each_compilers_own_words() {
        let plain = "-O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer";
        assert_eq!(shown("gcc", &[]), plain);
        assert_eq!(shown("clang", &[]), plain);
        let thin = [("opt", "-O3"), ("march", "native"), ("frame_pointers", "off"), ("lto", "thin")];
        let both = "-O3 -march=native -fomit-frame-pointer";
        assert_eq!(shown("gcc-12", &thin), format!("{both} -flto=auto gcc-ar-12 gcc-ranlib-12"));
        let clang = format!("{both} -flto=thin -fuse-ld=lld /opt/llvm-ar-19 /opt/llvm-ranlib-19");
        assert_eq!(shown("/opt/clang-19", &thin), clang);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn branches_are_aligned_in_each_compilers_own_words() {
        let aligned = [("align_branches", "on")];
        assert!(shown("gcc", &aligned).ends_with(" -Wa,-mbranches-within-32B-boundaries"));
        assert!(shown("clang", &aligned).ends_with(" -mbranches-within-32B-boundaries"));
    }

    #[test]
    fn what_a_compiler_needs_is_known_before_it_is_there() {
        let names = |settings: &[(&str, &str)]| -> Vec<String> {
            let tools = Compiler::tools(&flags(settings).expect("flags"));
            tools.into_iter().map(|tool| format!("{} of {}", tool.name, tool.package)).collect()
        };
        assert_eq!(names(&[]), ["gcc of gcc"]);
        assert_eq!(names(&[("cc", "gcc-11"), ("lto", "full")]), ["gcc-11 of gcc-11", "gcc-ar-11 of gcc-11"]);
        let clang = ["clang of clang", "ld.lld of lld", "llvm-ar of llvm"];
        assert_eq!(names(&[("cc", "clang"), ("lto", "full")]), clang);
        let jemalloc = ["gcc of gcc", "-ljemalloc of libjemalloc-dev"];
        assert_eq!(names(&[("malloc", "jemalloc")]), jemalloc);
        let tcmalloc = ["gcc of gcc", "-ltcmalloc_minimal of libgoogle-perftools-dev"];
        assert_eq!(names(&[("malloc", "tcmalloc")]), tcmalloc);
        assert!(Compiler::find("no-such-compiler").is_none());
        let cxx =
            ["gcc", "/opt/gcc-11", "clang-19"].map(Compiler::cxx_tool).map(|tool| (tool.name, tool.package));
        assert_eq!(cxx[0], ("g++".to_owned(), "g++".to_owned()));
        assert_eq!(cxx[1], ("/opt/g++-11".to_owned(), "g++-11".to_owned()));
        assert_eq!(cxx[2], ("clang++-19".to_owned(), "clang-19".to_owned()));
    }
}
