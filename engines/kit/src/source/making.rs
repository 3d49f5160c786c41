//! All that a build is made of, and the hash that names it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Outcome, Progress};
use humdrum_model::Place;
use humdrum_provision::building::Step;
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::Tool;
use humdrum_provision::{checksum, dirs};

use super::Wanted;
use super::compiler::Compiler;
use super::layout;
use super::recipe::Order;
use super::tree::KeptTree;

/// Digits of a hash that name a build.
const HASH_DIGITS: usize = 12;

/// All that a build is made of.
pub(super) struct Making<'a> {
    pub(super) wanted: &'a Wanted,
    pub(super) sources: Sources,
    pub(super) tools: Vec<Tool>,
    pub(super) compiler: Compiler,
    /// Names the content of the sources.
    pub(super) identity: String,
    pub(super) ingredients: String,
    pub(super) hash: String,
    pub(super) folder: PathBuf,
}

impl<'a> Making<'a> {
    pub(super) fn new(wanted: &'a Wanted, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Self> {
        let sources = wanted.sources(dirs, progress)?;
        let mut tools = Compiler::tools(&wanted.flags);
        tools.extend((wanted.recipe.tools)(&sources, &wanted.flags));
        tools.extend(wanted.is_patched().then(|| Tool::new("git", "git")));
        let cc = &wanted.flags.cc;
        let compiler = Compiler::find(cc)
            .unwrap_or_else(|| Compiler { cc: cc.clone(), version: format!("{cc}, which is not here") });
        let identity = sources.identity()?;
        let (ingredients, hash, folder) = (String::new(), String::new(), PathBuf::new());
        let mut making = Self { wanted, sources, tools, compiler, identity, ingredients, hash, folder };
        making.ingredients = making.ingredients()?;
        making.hash = checksum::sha256_of_bytes(making.ingredients.as_bytes());
        let name = format!("{}-src-{}", wanted.engine, &making.hash[..HASH_DIGITS]);
        making.folder = dirs::builds(dirs).join(name);
        Ok(making)
    }

    /// Everything that makes one build differ from another; no paths of this host.
    fn ingredients(&self) -> Outcome<String> {
        let mut text = format!("{}\n{}\n", self.wanted.name(), self.identity);
        text.push_str(&self.wanted.patch_ingredients()?);
        let _ = writeln!(text, "{}", self.compiler.version);
        text.push_str(&self.compiler.beside_flags(&self.wanted.flags));
        self.symbolic_steps().iter().for_each(|step| {
            let _ = writeln!(text, "{}", step.shown());
        });
        if let Some(seed) = self.layout() {
            let _ = writeln!(text, "layout {seed}\n{}", layout::SCRIPT);
        }
        Ok(text)
    }

    pub(super) fn symbolic_steps(&self) -> Vec<Step> {
        (self.wanted.recipe.steps)(&self.order(Path::new("PREFIX"), Path::new("STAGED"), ""))
    }

    pub(super) fn order<'o>(&'o self, prefix: &'o Path, staged: &'o Path, launcher: &'o str) -> Order<'o> {
        let (release, flags, compiler) = (&*self.wanted.release, &self.wanted.flags, &self.compiler);
        Order { release, flags, compiler, launcher, prefix, staged }
    }

    /// What a report says of the build.
    pub(super) fn remarks(&self, seconds: &str) -> Vec<String> {
        let flags = self.compiler.flags(&self.wanted.flags).join(" ");
        let mut all = vec![format!("compiled by {}", self.compiler.version), format!("flags {flags}")];
        let switches = self.wanted.flags.switches.iter().map(|(key, value)| format!("{key}={value}"));
        all.extend(switches);
        all.extend(self.wanted.flags.malloc.map(|library| format!("malloc of {library}")));
        all.extend(self.layout().map(|seed| format!("linked in an order of its own, layout {seed}")));
        all.extend(self.wanted.flags.assertions.then(|| "assertions are checked".to_owned()));
        all.extend(self.wanted.patches_shown().iter().map(|patch| format!("patched by {patch}")));
        all.push(format!("hash of sources, patches, compiler and commands {}", &self.hash[..HASH_DIGITS]));
        all.push(seconds.to_owned());
        all
    }

    /// The seed of its link order; `None` for the order of the engine's own build.
    pub(super) fn layout(&self) -> Option<u32> {
        Some(self.wanted.flags.layout).filter(|seed| *seed > 0)
    }

    /// Where a commit is built among the objects of the one before; patches would be in the way of the next. Builds that
    /// differ in their layout have the same objects.
    pub(super) fn kept_tree(&self, dirs: &Dirs) -> Option<KeptTree> {
        let is_plain = self.sources.commit().is_some() && !self.wanted.is_patched();
        let Place::Source { path, .. } = &self.wanted.place else { return None };
        if !(dirs.reuse_trees || self.layout().is_some()) || !is_plain {
            return None;
        }
        let mut what = format!("{}\n{}\n", path.display(), self.compiler.version);
        self.symbolic_steps().iter().for_each(|step| {
            let _ = writeln!(what, "{}", step.shown());
        });
        // Their compiler's command is another one, which `configure` writes into a header: all would be compiled anew.
        what.push_str(self.layout().map_or("", |_| "layouts\n"));
        let hash = checksum::sha256_of_bytes(what.as_bytes());
        let name = format!("{}-tree-{}", self.wanted.engine, &hash[..HASH_DIGITS]);
        Some(KeptTree { folder: dirs::builds(dirs).join(name) })
    }

    /// What goes on, and with what.
    pub(super) fn announcement(&self) -> String {
        let (name, compiler) = (self.wanted.name(), &self.compiler.version);
        let flags = self.compiler.flags(&self.wanted.flags).join(" ");
        format!("building {name} from {} with {compiler}, {flags}", self.sources.about)
    }
}
