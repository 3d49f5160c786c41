//! Effects on a server over time: stalls, the effect of another server's turn, work postponed by a stop, and
//! noise of the hour.

use crate::noise::Key;
use crate::script::Script;

/// How long a stall lasts if nothing were slow: about a slice.
const STALL_NS: f64 = 10e6;
/// Part of a turn at its beginning that `carry_over` slows.
const COLD: f64 = 0.25;

/// The order of things, as one server sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turns {
    /// When the last statement ended.
    ended_ns: u64,
    /// Time of this turn so far, and of the one before.
    turn_ns: [f64; 2],
    /// Time of all statements, stalls left out.
    work_ns: f64,
    /// When the server was stopped in place.
    stopped_ns: Option<u64>,
    /// Work that was put off meanwhile.
    put_off_ns: f64,
    /// Factor of this run.
    hour: Option<f64>,
}

/// How a statement's time is changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// Of the work itself.
    pub factor: f64,
    /// Waiting, and work of others, beside it.
    pub more_ns: f64,
}

impl Turns {
    /// A statement begins at `now_ns` that would take `ns`.
    pub(crate) fn begin(&mut self, script: &Script, key: Key, now_ns: u64, ns: f64) -> Change {
        if now_ns > self.ended_ns {
            self.turn_ns = [0.0, self.turn_ns[0]];
        }
        let cold = self.turn_ns[0] < COLD * self.turn_ns[1];
        let carried = if cold { 1.0 + script.carry_over } else { 1.0 };
        let factor = carried * self.hour.unwrap_or(1.0);
        let stall = if self.is_stalled(script, key) { script.stall_factor.unwrap_or(1.0) - 1.0 } else { 0.0 };
        self.work_ns += ns;
        // It is done beside the statements, and takes half of the server's time as long as it lasts.
        let caught_up = self.put_off_ns.min(ns * factor);
        self.put_off_ns -= caught_up;
        Change { factor, more_ns: (ns * factor * stall).max(0.0) + caught_up }
    }

    /// It ended at `now_ns`.
    pub(crate) fn end(&mut self, now_ns: u64, took_ns: f64) {
        self.ended_ns = now_ns;
        self.turn_ns[0] += took_ns;
    }

    /// The server is stopped in place.
    pub(crate) fn freeze(&mut self, now_ns: u64) {
        self.stopped_ns.get_or_insert(now_ns);
    }

    /// It is woken, and finds that time has jumped.
    pub(crate) fn thaw(&mut self, script: &Script, now_ns: u64) {
        let stopped = self.stopped_ns.take().map_or(0, |since| now_ns.saturating_sub(since));
        self.put_off_ns += stopped as f64 * script.time_jump;
    }

    /// The run is known by its first data, which follow from its seed.
    pub(crate) fn know_run(&mut self, script: &Script, key: Key) {
        self.hour.get_or_insert_with(|| key.normal_factor(script.hour_drift));
    }

    /// One stall, at a place of its own, in every so many that make up the share.
    fn is_stalled(&self, script: &Script, key: Key) -> bool {
        if script.stall_share <= 0.0 {
            return false;
        }
        let every = (1.0 / script.stall_share).round().max(1.0) as u64;
        let window = (self.work_ns / STALL_NS) as u64;
        window % every == key.and(window / every).number() % every
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_have_their_share_of_the_operations_and_come_in_runs() {
        let script = Script { stall_share: 0.05, stall_factor: Some(20.0), ..Script::default() };
        let mut turns = Turns::default();
        let slow: Vec<bool> =
            (0..400_000).map(|now| turns.begin(&script, Key::of("a"), now, 1e5).more_ns > 0.0).collect();
        let share = slow.iter().filter(|slow| **slow).count() as f64 / slow.len() as f64;
        assert!((share - 0.05).abs() < 0.001, "{share}");
        let runs = slow.windows(2).filter(|pair| pair[0] != pair[1]).count() / 2;
        assert!((195..=200).contains(&runs), "{runs} runs of a hundred operations");
    }

    #[test]
    fn the_first_quarter_of_a_turn_is_cold() {
        let script = Script { carry_over: 0.04, ..Script::default() };
        let mut turns = Turns::default();
        let mut turn = |begin: u64| -> Vec<f64> {
            let statement = |number: u64| {
                let now = begin + number * 10;
                let change = turns.begin(&script, Key::of("a"), now, 10.0);
                turns.end(now + 10, 10.0);
                change.factor
            };
            (0..100).map(statement).collect()
        };
        turn(0);
        let second = turn(5_000);
        assert_eq!(second.iter().filter(|factor| **factor > 1.0).count(), 25);
        assert!(second[0] > 1.0 && second[25] == 1.0);
    }

    #[test]
    fn a_stop_puts_work_off_and_an_hour_has_its_luck() {
        let script = Script { time_jump: 0.1, hour_drift: 0.01, ..Script::default() };
        let mut turns = Turns::default();
        turns.freeze(1_000);
        turns.thaw(&script, 11_000);
        turns.know_run(&script, Key::of("one"));
        let first = turns.begin(&script, Key::of("a"), 11_000, 800.0);
        assert!((first.more_ns - 800.0 * first.factor).abs() < 1e-9 && first.factor != 1.0);
        turns.know_run(&script, Key::of("other"));
        let more = |turns: &mut Turns| turns.begin(&script, Key::of("a"), 11_000, 800.0).more_ns;
        let [second, third] = [more(&mut turns), more(&mut turns)];
        assert!((first.more_ns + second - 1_000.0).abs() < 1e-9, "a tenth of the stop is caught up");
        assert_eq!((third, turns.hour), (0.0, Some(first.factor)));
    }
}
