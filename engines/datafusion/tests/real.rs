//! The engine on its real worker, which `cargo xtask datafusion worker` builds.

use humdrum_contract::{Dirs, Engine, Interrupt, Outcome, Server, Silent, Sizing, conformance};
use humdrum_engine_datafusion::Datafusion;
use humdrum_model::{Place, Setting, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 4 };

fn subject(settings: Vec<Setting>) -> Subject {
    let place = Place::Version("55".into());
    Subject { label: "it".into(), engine: "datafusion".into(), place, settings }
}

fn created(settings: Vec<Setting>, dirs: &Dirs, run: &RunFolder) -> Outcome<Box<dyn Server>> {
    Datafusion.install(&subject(settings), dirs, &Silent)?.create(&run.home("server")?, &SIZING)
}

#[test]
#[ignore = "needs the worker: cargo xtask datafusion worker"]
fn both_sorts_can_be_measured_and_answer_the_same() {
    let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    let skipsort = vec![
        Setting::Named("skipsort".into()),
        Setting::Value { key: "skipsort.top_k_most".into(), value: "0".into() },
    ];
    let [own, skip] = [Vec::new(), skipsort].map(|settings| {
        let run = RunFolder::new(&dirs).expect("run folder");
        conformance::orderby(&mut *created(settings, &dirs, &run).expect("a server"))
    });
    assert_eq!(own, skip);
}

#[test]
#[ignore = "needs the worker: cargo xtask datafusion worker"]
fn a_setting_that_datafusion_does_not_take_is_refused() {
    let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    let run = RunFolder::new(&dirs).expect("run folder");
    let odd = Setting::Value { key: "datafusion.no.such".into(), value: "1".into() };
    let fault = created(vec![odd], &dirs, &run).expect("a server").start().expect_err("refused");
    assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{fault}");
}
