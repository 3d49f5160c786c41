//! Makes a build, or finds it made.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use humdrum_contract::{BuildPlan, Dirs, Outcome, Progress, Update};
use humdrum_model::{BUILT_IN, Fault, Place, SubjectFacts};
use humdrum_provision::building::{self, Site, Step};
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::{self, Tool};
use humdrum_provision::{checksum, dirs};

use super::Wanted;
use super::compiler::Compiler;
use super::layout;
use super::readable::open;
use super::recipe::Order;
use super::tree::KeptTree;
use crate::cache::{self, Note, unusable};

/// A build that was made here.
#[derive(Debug)]
pub struct Made {
    /// What was installed.
    pub folder: PathBuf,
    /// What is known of it.
    pub facts: SubjectFacts,
    /// Names it for a fingerprint.
    pub checksum: String,
}

/// In a build's folder: what went into it.
const INGREDIENTS: &str = "humdrum-build.txt";
/// Digits of a hash that name a build.
const HASH_DIGITS: usize = 12;

/// All that a build is made of.
struct Making<'a> {
    wanted: &'a Wanted,
    sources: Sources,
    tools: Vec<Tool>,
    compiler: Compiler,
    /// Names the content of the sources.
    identity: String,
    ingredients: String,
    hash: String,
    folder: PathBuf,
}

/// What a build takes.
///
/// # Errors
/// Environment: fetching or reading sources.
pub fn plan(wanted: &Wanted, dirs: &Dirs, progress: &dyn Progress) -> Outcome<BuildPlan> {
    let making = Making::new(wanted, dirs, progress)?;
    Ok(BuildPlan {
        name: wanted.name(),
        sources: making.sources.about.clone(),
        compiler: making.compiler.version.clone(),
        flags: making.compiler.flags(&wanted.flags),
        commands: making.symbolic_steps().iter().map(Step::shown).collect(),
        patches: wanted.patches_shown(),
        missing: tools::missing(&making.tools),
        built: cache::is_whole(&making.folder),
        hash: making.hash,
        folder: making.folder,
    })
}

/// Makes a build unless it is there.
///
/// # Errors
/// Usage: a tool is missing, a patch does not fit; environment: a command fails, with its last errors; interrupted.
pub fn make(wanted: &Wanted, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Made> {
    let making = Making::new(wanted, dirs, progress)?;
    let note =
        cache::make_once(&making.folder, &wanted.name(), dirs, progress, || making.make(dirs, progress))?;
    let facts = SubjectFacts {
        version: wanted.release.clone(),
        origin: format!("sources, built here: {}", making.sources.about),
        build: making.remarks(&note.checked_by),
        ..SubjectFacts::default()
    };
    Ok(Made { folder: making.folder, facts, checksum: note.sha256 })
}

impl<'a> Making<'a> {
    fn new(wanted: &'a Wanted, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Self> {
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
        self.symbolic_steps().iter().for_each(|step| {
            let _ = writeln!(text, "{}", step.shown());
        });
        if let Some(seed) = self.layout() {
            let _ = writeln!(text, "layout {seed}\n{}", layout::SCRIPT);
        }
        Ok(text)
    }

    fn symbolic_steps(&self) -> Vec<Step> {
        (self.wanted.recipe.steps)(&self.order(Path::new("PREFIX"), Path::new("STAGED"), ""))
    }

    fn order<'o>(&'o self, prefix: &'o Path, staged: &'o Path, launcher: &'o str) -> Order<'o> {
        let (release, flags, compiler) = (&*self.wanted.release, &self.wanted.flags, &self.compiler);
        Order { release, flags, compiler, launcher, prefix, staged }
    }

    /// What a report says of the build.
    fn remarks(&self, seconds: &str) -> Vec<String> {
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

    fn make(&self, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Note> {
        tools::require(&self.wanted.name(), &self.tools)?;
        let scratch = self.folder.with_extension("making");
        // Of a program that was killed.
        let _ = fs::remove_dir_all(&scratch);
        let staged = scratch.join("staged");
        let made = match self.kept_tree(dirs) {
            Some(kept) => kept.build(&self.wanted.name(), dirs, progress, |tree, reused| {
                // Of an attempt that failed.
                let _ = fs::remove_dir_all(&staged);
                self.make_in(tree, reused, &staged, dirs, progress)
            }),
            None => self.make_in(&scratch.join("tree"), false, &staged, dirs, progress),
        };
        let _ = fs::remove_dir_all(&scratch);
        made
    }

    /// The seed of its link order; `None` for the order of the engine's own build.
    fn layout(&self) -> Option<u32> {
        Some(self.wanted.flags.layout).filter(|seed| *seed > 0)
    }

    /// Where a commit is built among the objects of the one before; patches would be in the way of the next. Builds that
    /// differ in their layout have the same objects.
    fn kept_tree(&self, dirs: &Dirs) -> Option<KeptTree> {
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

    fn make_in(
        &self,
        tree: &Path,
        reused: bool,
        staged: &Path,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Note> {
        let (began, log) = (Instant::now(), self.log());
        dirs::make_folder(tree)?;
        let _ = fs::remove_file(&log);
        let name = self.wanted.name();
        progress.update(Update::Step(&self.announcement(reused)));
        self.place(tree, dirs)?;
        let had = self.wanted.apply_patches(tree)?;
        if reused {
            // The order of linking may be another one, which `make` does not see.
            self.wanted.recipe.linked.iter().for_each(|file| drop(fs::remove_file(tree.join(file))));
        }
        let launcher = self.launcher()?;
        let site = Site { name: &name, tree, log: &log, interrupt: &dirs.interrupt, progress };
        let prefix = dirs::builds(dirs).join(format!("{}-src", self.wanted.engine));
        let order = self.order(&prefix, staged, &launcher);
        let mut steps = (self.wanted.recipe.steps)(&order);
        if let Some(seed) = self.layout() {
            steps.iter_mut().for_each(|step| step.env.push((layout::SEED.to_owned(), seed.to_string())));
        }
        building::run(&steps, &site).map_err(|fault| self.explained(fault))?;
        let how = if reused { " in a reused tree" } else { "" };
        let had: String = had.iter().map(|name| format!(", had {name} already")).collect();
        let seconds = format!("{BUILT_IN}{} s{how}{had}", began.elapsed().as_secs());
        self.keep(&order.destination(), &seconds)?;
        Ok(Note { sha256: self.hash.clone(), checked_by: seconds })
    }

    /// What is started before the compiler.
    fn launcher(&self) -> Outcome<String> {
        let ccache = tools::find("ccache").map_or("", |_| "ccache");
        match self.layout() {
            None => Ok(ccache.to_owned()),
            Some(_) => layout::launcher(self.wanted.engine, &self.folder, ccache),
        }
    }

    /// Copies the sources; the copy is what the hash says only if nobody wrote to them meanwhile.
    fn place(&self, tree: &Path, dirs: &Dirs) -> Outcome<()> {
        self.sources.place(tree, &dirs.interrupt)?;
        if self.sources.identity()? == self.identity {
            return Ok(());
        }
        let what = format!("{}: files were changed while they were copied", self.sources.about);
        Err(Fault::environment(what).hint("try again, or name a revision"))
    }

    /// What goes on, and with what.
    fn announcement(&self, reused: bool) -> String {
        let (name, compiler) = (self.wanted.name(), &self.compiler.version);
        let flags = self.compiler.flags(&self.wanted.flags).join(" ");
        let how = if reused { ", in the tree of the last build" } else { "" };
        format!("building {name} from {} with {compiler}, {flags}{how}", self.sources.about)
    }

    /// Moves what was installed to its place. Servers run as another user, who must be able to read it.
    fn keep(&self, made: &Path, seconds: &str) -> Outcome<()> {
        if !made.is_dir() {
            return Err(Fault::environment(format!("the build of {} installed nothing", self.wanted.name())));
        }
        open(made).map_err(|error| unusable(made, &error))?;
        let ingredients = format!("{}{seconds}\n", self.ingredients);
        fs::write(made.join(INGREDIENTS), ingredients).map_err(|error| unusable(made, &error))?;
        let _ = fs::remove_dir_all(&self.folder);
        fs::rename(made, &self.folder).map_err(|error| unusable(&self.folder, &error))
    }

    fn log(&self) -> PathBuf {
        self.folder.with_extension("log")
    }

    fn explained(&self, fault: Fault) -> Fault {
        if fault.exit_code() == 130 {
            return fault;
        }
        let log = self.log();
        fault.hint(format!(
            "the whole log is {}; +cc=… takes another compiler, +patch=FILE a patch",
            log.display()
        ))
    }
}
