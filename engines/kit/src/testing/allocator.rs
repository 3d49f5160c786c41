//! That a release runs with an allocator that is not its own.

use humdrum_contract::Engine;

use super::{Rig, main_process, session, shown, value};

/// A server with `malloc=jemalloc` has the library in all its processes, says so, and is told from one without; a server's own
/// programs that make its data have not.
///
/// # Panics
/// Where that does not hold.
pub fn runs_with_another_allocator(engine: impl Engine + 'static, version: &str) {
    let rig = Rig::new(engine);
    let plain = rig.started("plain", version).facts().expect("facts");
    let created = rig.create("jemalloc", version, &[value("malloc", "jemalloc")]);
    let mut server = created.unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    for _ in 0..2 {
        server.start().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
        let mut sql = session(&*server);
        let serving = sql.server_process().expect("the session's process is known");
        for process in [main_process(&*server), serving] {
            let map = std::fs::read_to_string(format!("/proc/{process}/maps")).expect("a map");
            assert!(map.contains("/libjemalloc.so.2"), "{map}");
        }
        sql.query("SELECT 1").expect("answers");
        let facts = server.facts().expect("facts");
        let setting = ("malloc".to_owned(), "jemalloc".to_owned());
        assert!(facts.settings.contains(&setting) && facts.given.contains(&setting));
        assert!(facts.build.iter().any(|text| text.contains("jemalloc 5.3.0")), "{:?}", facts.build);
        assert_ne!(facts.fingerprint, plain.fingerprint);
        assert!(!plain.settings.iter().any(|(name, _)| name == "malloc"));
        server.stop().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    }
}
