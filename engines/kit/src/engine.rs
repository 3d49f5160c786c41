//! An engine, built from the profile and functions of its folder.

use humdrum_contract::{
    BuildPlan, Configuration, Dirs, DumpProgram, Engine, Installation, Outcome, Progress, Release, Sizing,
    StatementCounter, Survey, not_built,
};
use humdrum_model::{Interface, Place, Subject, Timings, url_without_password};

use crate::kind::SqlKind;
use crate::place::Site;
use crate::version::Version;
use crate::{external, install, offered, place, settings, source};

/// A SQL engine.
#[derive(Debug)]
pub struct SqlEngine<K: 'static>(pub &'static K);

impl<K> Clone for SqlEngine<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for SqlEngine<K> {}

impl<K: SqlKind> Engine for SqlEngine<K> {
    fn name(&self) -> &'static str {
        self.0.profile().name
    }

    fn about(&self) -> &'static str {
        self.0.profile().about
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn pipelines(&self) -> bool {
        self.0.pipelines()
    }

    fn imports_statistics(&self, release: &str) -> bool {
        self.0.imports_statistics(Version::of(release))
    }

    fn releases(&self, dirs: &Dirs) -> Vec<Release> {
        let profile = self.0.profile();
        (profile.catalogue.releases)().iter().map(|entry| install::release(profile, entry, dirs)).collect()
    }

    fn offered(&self, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Vec<Release>> {
        offered::offered(self.0.profile(), dirs, progress)
    }

    fn configurations(&self) -> Vec<Configuration> {
        settings::list(&self.0.profile().options)
    }

    fn timings(&self) -> Timings {
        self.0.profile().timings
    }

    fn cache_bytes(&self, sizing: &Sizing) -> u64 {
        (self.0.profile().cache_bytes)(sizing)
    }

    fn least_memory(&self, connections: u32) -> u64 {
        self.0.profile().reserve.least_memory(connections)
    }

    fn sources_of(&self, release: &str) -> Option<Place> {
        self.0.recipe().map(|_| source::place_of(release))
    }

    fn has_layouts(&self, subject: &Subject) -> bool {
        self.0.recipe().is_some_and(|recipe| !recipe.linked.is_empty())
            && matches!(subject.place, Place::Source { .. })
    }

    fn pinned(&self, subject: &Subject, dirs: &Dirs) -> Outcome<Option<Place>> {
        match subject.place {
            Place::Source { .. } => Ok(place::check(self.0, subject, dirs)?.site.pinned()),
            _ => Ok(None),
        }
    }

    fn build_plan(&self, subject: &Subject, dirs: &Dirs, progress: &dyn Progress) -> Outcome<BuildPlan> {
        match place::check(self.0, subject, dirs)?.site {
            Site::Source(wanted) => source::plan(&wanted, dirs, progress),
            _ => Err(not_built(subject)),
        }
    }

    fn survey(&self, url: &str) -> Outcome<Survey> {
        external::survey(self.0, url)
    }

    fn dump_program(&self, url: &str) -> Outcome<DumpProgram> {
        Ok(self.0.dump_program(&self.0.read_url(url)?, &url_without_password(url)))
    }

    fn check(&self, subject: &Subject, dirs: &Dirs) -> Outcome<String> {
        place::check(self.0, subject, dirs).map(|found| found.release)
    }

    fn install(
        &self,
        subject: &Subject,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>> {
        install::install(self.0, subject, dirs, progress)
    }

    fn counter(&self, url: &str, progress: &dyn Progress) -> Outcome<Box<dyn StatementCounter>> {
        external::counter(self.0, url, progress)
    }
}
