//! Which chunks are sampled how, and what their samples stand for.

use super::*;

const BOTH: Tools = Tools { perf: true, debugger: Some(Debugger::EuStack) };

fn slice(operations: u64) -> Slice {
    Slice {
        subject: 1,
        start_ns: 0,
        wall_ns: 4_000_000,
        operations,
        guard_operations: 0,
        rows: operations,
        client_cpu_ns: 0,
        readings: vec![1_000_000, 7, 2_000_000],
        quarter_ns: None,
        idle_ns: None,
        scripts: Vec::new(),
        blamed: false,
    }
}

#[test]
fn three_chunks_are_a_round() {
    let of = |tools| [0, 1, 2, 3, 4].map(|index| beside(index, 10, tools));
    let (nothing, perf, stacks) = (Beside::Nothing, Beside::Perf, Beside::Debugger(Debugger::EuStack));
    assert_eq!(of(BOTH), [nothing, perf, stacks, nothing, perf]);
    assert_eq!(of(Tools { perf: false, ..BOTH }), [nothing, nothing, stacks, nothing, nothing]);
    assert_eq!(of(Tools { debugger: None, ..BOTH }), [nothing, perf, nothing, nothing, perf]);
    // A step in one piece.
    assert_eq!(beside(0, 1, BOTH), perf);
    assert_eq!(beside(0, 1, Tools { perf: false, ..BOTH }), nothing);
}

#[test]
fn what_sessions_wait_is_their_time_without_work() {
    let mut plain = Plain::default();
    plain.add(&slice(10), Some([0, 2]));
    plain.add(&slice(10), Some([0, 2]));
    // Three sessions of 8 ms, of which they worked for 6: 18 ms of waiting for 20 operations.
    assert_eq!(plain.waited_us(3), Some((900.0, 400.0)));
    assert_eq!(plain.waited_us(0).map(|(waited, _)| waited), Some(0.0));
    assert_eq!(Plain::default().waited_us(3), None);
    plain = Plain::default();
    plain.add(&slice(10), None);
    assert_eq!(plain.waited_us(3), None, "a host that does not show it");
}

#[test]
fn a_chunk_that_is_not_sampled_is_done_and_remembered() {
    let tools = Tools { perf: false, debugger: Some(Debugger::EuStack) };
    let profiler = StepProfiler::new("t", tools, Path::new("nowhere"));
    let who = Sampled { subject: 1, serving: &[1, 2], server: &[], busy: Some([0, 2]) };
    let done = profiler.chunk((0, 10), &who, &mut || Ok(slice(5))).expect("no tool is needed");
    assert_eq!(done.expect("done").operations, 5);
    assert_eq!(profiler.state().plain[&1].operations, 5);
    let failed = profiler.chunk((3, 10), &who, &mut || Err(Fault::crash("gone"))).expect("no tool is needed");
    assert!(failed.is_err());
    assert!(profiler.end().expect_err("nothing was sampled").hint.is_some());
}

#[test]
fn a_tool_that_may_not_sample_is_left_out_while_there_is_another() {
    let profiler = StepProfiler::new("t", BOTH, Path::new("nowhere"));
    let refused = || Err::<(), _>(Fault::environment("not allowed"));
    assert_eq!(profiler.or_without(refused(), |tools| tools.perf = false), Ok(None));
    let (tools, notes) = {
        let state = profiler.state();
        (state.tools, state.notes.len())
    };
    assert!(!tools.perf && tools.debugger.is_some() && notes == 1);
    assert!(profiler.or_without(refused(), |tools| tools.debugger = None).is_err());
    assert!(profiler.or_without(Err::<(), _>(Fault::crash("x")), |_| {}).is_err());
}
