//! Makes a build, or finds it made.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use humdrum_contract::{BuildPlan, Dirs, Outcome, Progress, Takes, Update};
use humdrum_model::{BUILT_IN, Fault, FaultKind, SubjectFacts};
use humdrum_provision::building::{self, Site, Step};
use humdrum_provision::tools;
use humdrum_provision::{dirs, run_folder};

use super::Wanted;
use super::ccache;
use super::cmake;
use super::layout;
use super::making::Making;
use super::readable::open;
use super::recipe::Cost;
use super::unfinished::Unfinished;
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

/// What a tree has before a build.
enum Tree {
    /// Nothing.
    New,
    /// The objects of another commit.
    Reused,
    /// Sources and some objects of the same build, and the names of patches that the sources had already.
    Begun(Vec<String>),
}

impl Tree {
    /// To follow what is told of a build.
    fn told(&self) -> &'static str {
        match self {
            Self::New => "",
            Self::Reused => " in a reused tree",
            Self::Begun(_) => " from where an interrupted build was",
        }
    }
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
        takes: wanted.recipe.cost.map(Cost::here),
        begun: making.begun(dirs).is_some(),
        asked: wanted.asked.clone(),
        others: wanted.others.clone(),
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

impl Making<'_> {
    fn make(&self, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Note> {
        tools::require(&self.wanted.name(), &self.tools)?;
        let unfinished = Unfinished::of(&self.folder);
        let begun = self.begun(dirs);
        if begun.is_none() {
            // Of a program that was killed.
            unfinished.discard();
        }
        let made = match self.kept_tree(dirs) {
            Some(kept) => kept.build(&self.wanted.name(), dirs, progress, |tree, reused| {
                let state = if reused { Tree::Reused } else { Tree::New };
                self.make_in(tree, state, &unfinished, dirs, progress)
            }),
            None => {
                let state = begun.map_or(Tree::New, Tree::Begun);
                self.make_in(&unfinished.tree(), state, &unfinished, dirs, progress)
            }
        };
        match made {
            Err(fault) if self.goes_on(&fault, &unfinished, dirs) => {
                const KEPT: &str = "what was compiled is kept: the same command goes on from there, `humdrum clean` removes it";
                let hint =
                    fault.hint.as_ref().map_or_else(|| KEPT.to_owned(), |hint| format!("{hint}; {KEPT}"));
                Err(fault.hint(hint))
            }
            made => {
                unfinished.discard();
                made
            }
        }
    }

    /// Whether what was made is worth keeping: an interrupted build, and one that failed after it was configured, as where memory or disk
    /// was too little. What failed to be configured may have noted what the host lacks.
    fn goes_on(&self, fault: &Fault, unfinished: &Unfinished, dirs: &Dirs) -> bool {
        let is_worth = fault.kind == FaultKind::Interrupted || cmake::is_configured(&unfinished.tree());
        is_worth && self.begun(dirs).is_some()
    }

    /// Whether an interrupted build of the same is there to go on with, and which patches its sources had already.
    fn begun(&self, dirs: &Dirs) -> Option<Vec<String>> {
        let may = self.wanted.recipe.resumes && self.kept_tree(dirs).is_none();
        Unfinished::of(&self.folder).begun().filter(|_| may)
    }

    fn make_in(
        &self,
        tree: &Path,
        state: Tree,
        unfinished: &Unfinished,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Note> {
        let (began, log, staged) = (Instant::now(), self.log(), unfinished.staged());
        dirs::make_folder(tree)?;
        // Of an attempt that ended early.
        let _ = fs::remove_dir_all(&staged);
        let _ = fs::remove_file(&log);
        let name = self.wanted.name();
        let how = state.told();
        let announcement = self.announcement();
        let takes = match state {
            Tree::New => self.require_disk(dirs)?,
            Tree::Reused | Tree::Begun(_) => None,
        };
        let takes = takes.map_or_else(String::new, |takes| format!(", {}", building::foretold(takes)));
        progress.update(Update::Step(&format!("{announcement}{how}{takes}")));
        if matches!(state, Tree::Reused) {
            // The order of linking may be another one, which `make` does not see.
            self.wanted.recipe.linked.iter().for_each(|file| drop(fs::remove_file(tree.join(file))));
        }
        let had = match state {
            Tree::Begun(had) => had,
            Tree::New | Tree::Reused => {
                self.place(tree, dirs)?;
                let had: Vec<String> =
                    self.wanted.apply_patches(tree)?.iter().map(ToString::to_string).collect();
                if tree == unfinished.tree() {
                    unfinished.mark(&had)?;
                }
                had
            }
        };
        let launcher = self.launcher()?;
        let site = Site { name: &name, tree, log: &log, interrupt: &dirs.interrupt, progress };
        let prefix = dirs::builds(dirs).join(format!("{}-src", self.wanted.engine));
        let order = self.order(&prefix, &staged, &launcher);
        let mut more = ccache::settings(tree);
        more.extend(self.layout().map(|seed| (layout::SEED.to_owned(), seed.to_string())));
        let mut steps = (self.wanted.recipe.steps)(&order);
        steps.iter_mut().for_each(|step| step.env.extend(more.iter().cloned()));
        building::run(&steps, &site).map_err(|fault| self.explained(fault))?;
        let had: String = had.iter().map(|name| format!(", had {name} already")).collect();
        let seconds = format!("{BUILT_IN}{} s{how}{had}", began.elapsed().as_secs());
        self.keep(&order.destination(), &seconds)?;
        Ok(Note { sha256: self.hash.clone(), checked_by: seconds })
    }

    /// What is started before the compiler.
    fn launcher(&self) -> Outcome<String> {
        match self.layout() {
            None => Ok(ccache::launcher().to_owned()),
            Some(_) => layout::launcher(self.wanted.engine, &self.folder, ccache::launcher()),
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

    /// What the build takes, if that is known; fails where the disk has less.
    fn require_disk(&self, dirs: &Dirs) -> Outcome<Option<Takes>> {
        let Some(takes) = self.wanted.recipe.cost.map(Cost::here) else { return Ok(None) };
        let hint = "`humdrum clean --builds`, or HUMDRUM_CACHE on another disk";
        run_folder::require_free(&dirs::builds(dirs), takes.disk_bytes)
            .map_err(|fault| fault.at(format!("building {}", self.wanted.name())).hint(hint))?;
        Ok(Some(takes))
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
