//! Whether two hosts measured one program. What a host says of getting or making it is left out: how a download was checked, and how long
//! a build took. Of a build from sources, the sources, patches, compiler, flags and commands must be the same, by their hash, and
//! not the bytes, which differ where a compiler makes code for the processor that it runs on.

use crate::{Place, SubjectFacts};

/// What follows it in an origin tells how the checksum before it was checked.
pub const CHECKED_BY: &str = ", checked by ";

/// A fact of a build that begins so tells how long it took.
pub const BUILT_IN: &str = "built in ";

impl SubjectFacts {
    /// Whether nothing is known yet, because the run ended before the servers of the subject were asked.
    pub fn are_unknown(&self) -> bool {
        self.version.is_empty() && self.fingerprint.is_empty()
    }

    /// What differs between the programs of two hosts, as each host tells it; `None` if they are one program, or one is not
    /// known yet. Of a server that the user started, only its version is known.
    pub fn other_program(&self, other: &Self, place: &Place) -> Option<[String; 2]> {
        if self.are_unknown() || other.are_unknown() {
            return None;
        }
        let known = |facts: &Self| match place {
            Place::External(_) => vec![facts.version.clone()],
            _ => facts.anywhere(),
        };
        let [ours, theirs] = [known(self), known(other)];
        if ours == theirs {
            return None;
        }
        let only = |one: &[String], two: &[String]| {
            let told: Vec<&str> = one.iter().filter(|fact| !two.contains(fact)).map(String::as_str).collect();
            if told.is_empty() { "nothing of that".to_owned() } else { told.join("; ") }
        };
        Some([only(&ours, &theirs), only(&theirs, &ours)])
    }

    /// What is the same on every host that has this program.
    fn anywhere(&self) -> Vec<String> {
        let origin = self.origin.split_once(CHECKED_BY).map_or(&*self.origin, |(origin, _)| origin);
        let build = self.build.iter().filter(|fact| !fact.starts_with(BUILT_IN));
        [self.version.clone(), origin.to_owned()].into_iter().chain(build.cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(origin: &str, build: &[&str]) -> SubjectFacts {
        let build = build.iter().map(|fact| (*fact).to_owned()).collect();
        SubjectFacts { version: "17.7".into(), origin: origin.into(), build, ..SubjectFacts::default() }
    }

    #[test]
    fn how_a_program_came_to_a_host_does_not_count() {
        let release = Place::Version("17.7".into());
        let fetched = facts("x, sha256 ab, checked by the catalogue", &[]);
        assert_eq!(fetched.other_program(&facts("x, sha256 ab, checked by y", &[]), &release), None);
        let found = fetched.other_program(&facts("x, sha256 cd, checked by the catalogue", &[]), &release);
        assert_eq!(found, Some(["x, sha256 ab", "x, sha256 cd"].map(str::to_owned)));
        assert_eq!(fetched.other_program(&SubjectFacts::default(), &release), None);
    }

    #[test]
    fn builds_from_sources_agree_by_what_they_were_made_of() {
        let source = Place::Source { path: "pg".into(), revision: None };
        let made = facts("sources", &["flags -O2", "hash of sources 12", "built in 61 s"]);
        let again = facts("sources", &["flags -O2", "hash of sources 12", "built in 7 s in a reused tree"]);
        assert_eq!(made.other_program(&again, &source), None);
        let other = facts("sources", &["flags -O2", "hash of sources 34", "built in 61 s"]);
        assert_eq!(
            made.other_program(&other, &source),
            Some(["hash of sources 12", "hash of sources 34"].map(str::to_owned))
        );
    }

    #[test]
    fn of_a_users_server_the_version_counts() {
        let external = Place::External("postgres://a".into());
        let server = facts("a running server", &["one"]);
        assert_eq!(server.other_program(&facts("a running server", &["two"]), &external), None);
        let newer = SubjectFacts { version: "18.1".into(), ..server.clone() };
        assert_eq!(server.other_program(&newer, &external), Some(["17.7", "18.1"].map(str::to_owned)));
    }
}
