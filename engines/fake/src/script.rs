//! The behaviour that a subject's settings inject into the server.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Setting};

/// The orders, as given by `+KEY=VALUE`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Script {
    /// `slowdown=3%`: every statement takes so much longer (negative: shorter).
    pub slowdown: f64,
    /// `cpu=3%`: every statement uses so much more CPU, in the same time.
    pub cpu: f64,
    /// `work=10%`: every statement takes so much longer, for the server has more to do.
    pub work: f64,
    /// `disk_wait=10%`: the same, waiting for a disk.
    pub disk_wait: f64,
    /// `lock_wait=10%`: the same, waiting for another session.
    pub lock_wait: f64,
    /// `contention=2%`: every statement waits so much longer for each other session that is open.
    pub contention: f64,
    /// `counts_no_waits`: the server does not count what its sessions wait for.
    pub counts_no_waits: bool,
    /// `checks=on`: what the server does is checked; the default from 3.0 on.
    pub checks: Option<bool>,
    /// `no_explain`: no statement is explained.
    pub no_explain: bool,
    /// `no_index`: nothing is found by `k` but by reading the whole table.
    pub no_index: bool,
    /// `noise=5%`: spread of single operations, heavy-tailed.
    pub noise: f64,
    /// `session_noise=0.3%`: spread between sessions, sd.
    pub session_noise: f64,
    /// `crash_after=N`: the server dies at its Nth operation, once.
    pub crash_after: Option<u64>,
    /// `hang_at=N`: the server does not answer its Nth operation, nor any until it is restarted.
    pub hang_at: Option<u64>,
    /// `writer_keeps=50%`: of the writes that are due beside a test, so many are done.
    pub writer_keeps: Option<f64>,
    /// `wrong_at=N`: from the Nth operation on, answers have a row too many.
    pub wrong_at: Option<u64>,
    /// `debt=10%`: each write leaves this share of its time as debt until it is settled.
    pub debt: Option<f64>,
    /// `loses_write_at=N`: the server acknowledges its Nth write and does not do it.
    pub loses_write_at: Option<u64>,
    /// `violates_at=N`: from the Nth write on, a query whose rows are read finds one.
    pub violates_at: Option<u64>,
    /// `load_fails`: bulk loads are refused.
    pub load_fails: bool,
    /// `pauses_at=N`: the server pauses for three seconds at its Nth operation, once.
    pub pauses_at: Option<u64>,
    /// `stall_share=5%`: of the operations, so many are in runs, as long as a slice, in which each takes longer.
    pub stall_share: f64,
    /// `stall_factor=20`: by so many times.
    pub stall_factor: Option<f64>,
    /// `carry_over=4%`: after another server's turn, the first quarter of a turn takes so much longer.
    pub carry_over: f64,
    /// `time_jump=1%`: of the time for which the server was stopped, so much is work that it does
    /// when it is woken, beside its statements.
    pub time_jump: f64,
    /// `hour_drift=0.5%`: spread between runs, sd.
    pub hour_drift: f64,
    /// `layout=3`: the seed of the build's layout.
    pub layout: Option<u64>,
    /// `build_luck=1%`: spread between layouts, sd.
    pub build_luck: f64,
    /// `breaks=2.0`: this release refuses to start.
    pub breaks: Option<String>,
    /// `lags=2.0`: in this release every statement takes a tenth longer.
    pub lags: Option<String>,
    /// `rejects_setting`: the server refuses to start, as with a setting that it does not know.
    pub rejects_setting: bool,
}

/// What can be ordered: (name, value or not, about).
pub(crate) const ORDERS: [(&str, bool, &str); 32] = [
    ("breaks", true, "the release of this name (2.0) refuses to start"),
    ("build_luck", true, "spread between layouts (1%)"),
    ("carry_over", true, "the first quarter of a turn takes this much longer (4%) after another server's"),
    ("checks", true, "on or off: what the server does is checked, which is work (default from 3.0 on)"),
    ("contention", true, "every statement waits this much longer (2%) for each other session that is open"),
    ("counts_no_waits", false, "the server does not count what its sessions wait for"),
    ("cpu", true, "every statement uses this much more CPU (3%), in the same time"),
    ("crash_after", true, "the server dies at its Nth operation"),
    ("debt", true, "each write leaves this share of its time as debt until it is settled (default 10%)"),
    ("disk_wait", true, "every statement takes this much longer (10%), waiting for a disk"),
    ("hang_at", true, "the server does not answer from its Nth operation until it is restarted"),
    ("hour_drift", true, "spread between runs (0.5%)"),
    ("lags", true, "in the release of this name (2.0) every statement takes a tenth longer"),
    ("layout", true, "the seed of the build's layout"),
    ("load_fails", false, "bulk loads are refused"),
    ("lock_wait", true, "every statement takes this much longer (10%), waiting for another session"),
    ("loses_write_at", true, "the server acknowledges its Nth write and does not do it"),
    ("no_explain", false, "no statement is explained"),
    ("no_index", false, "nothing is found by k but by reading the whole table"),
    ("noise", true, "spread of single operations (5%), heavy-tailed"),
    ("optimizer_switch", true, "flags: index_lookup=off is no_index, mrr=off does nothing"),
    ("pauses_at", true, "the server pauses for three seconds at its Nth operation"),
    ("rejects_setting", false, "the server refuses to start"),
    ("session_noise", true, "spread between sessions (0.3%)"),
    ("slowdown", true, "every statement takes this much longer (3%)"),
    ("stall_factor", true, "in a stall every statement takes this many times as long (20)"),
    ("stall_share", true, "this share of the operations is in stalls as long as a slice (5%)"),
    (
        "time_jump",
        true,
        "this share of the time for which the server was stopped is work when it is woken (1%)",
    ),
    ("violates_at", true, "from its Nth write on, the server finds a row for a query that should find none"),
    ("work", true, "every statement takes this much longer (10%), for the server has more to do"),
    ("writer_keeps", true, "of the writes that are due beside a test, so many are done (50%)"),
    ("wrong_at", true, "from the Nth operation on, answers have a row too many"),
];

impl Script {
    /// Reads the orders; a later one wins.
    pub(crate) fn parse(settings: &[Setting]) -> Outcome<Self> {
        let mut script = Self::default();
        for setting in settings {
            match setting {
                Setting::Named(name) => script.set(name, None)?,
                Setting::Value { key, value } => script.set(key, Some(value))?,
            }
        }
        Ok(script)
    }

    fn set(&mut self, key: &str, value: Option<&str>) -> Outcome<()> {
        match key {
            "breaks" => self.breaks = value.map(str::to_owned),
            "build_luck" => self.build_luck = share(key, value, 0.0)?,
            "carry_over" => self.carry_over = share(key, value, 0.0)?,
            "checks" => self.checks = Some(switch(key, value)?),
            "contention" => self.contention = share(key, value, 0.0)?,
            "counts_no_waits" => self.counts_no_waits = flag(key, value)?,
            "cpu" => self.cpu = share(key, value, -0.9)?,
            "crash_after" => self.crash_after = Some(count(key, value)?),
            "debt" => self.debt = Some(share(key, value, 0.0)?),
            "disk_wait" => self.disk_wait = share(key, value, 0.0)?,
            "hang_at" => self.hang_at = Some(count(key, value)?),
            "hour_drift" => self.hour_drift = share(key, value, 0.0)?,
            "lags" => self.lags = value.map(str::to_owned),
            "layout" => self.layout = Some(count(key, value)?),
            "load_fails" => self.load_fails = flag(key, value)?,
            "lock_wait" => self.lock_wait = share(key, value, 0.0)?,
            "loses_write_at" => self.loses_write_at = Some(count(key, value)?),
            "no_explain" => self.no_explain = flag(key, value)?,
            "no_index" => self.no_index = flag(key, value)?,
            "noise" => self.noise = share(key, value, 0.0)?,
            "optimizer_switch" => self.no_index = !index_lookup(key, value)?,
            "pauses_at" => self.pauses_at = Some(count(key, value)?),
            "rejects_setting" => self.rejects_setting = flag(key, value)?,
            "session_noise" => self.session_noise = share(key, value, 0.0)?,
            "slowdown" => self.slowdown = share(key, value, -0.9)?,
            "stall_factor" => self.stall_factor = Some(share(key, value, 1.0)?),
            "stall_share" => self.stall_share = share(key, value, 0.0)?,
            "time_jump" => self.time_jump = share(key, value, 0.0)?,
            "violates_at" => self.violates_at = Some(count(key, value)?),
            "work" => self.work = share(key, value, -0.9)?,
            "writer_keeps" => self.writer_keeps = Some(share(key, value, 0.0)?),
            "wrong_at" => self.wrong_at = Some(count(key, value)?),
            _ => return Err(unknown(key)),
        }
        Ok(())
    }
}

fn unknown(key: &str) -> Fault {
    let names: Vec<&str> = ORDERS.iter().map(|(name, ..)| *name).collect();
    Fault::usage(format!("fake knows no setting `{key}`")).hint(format!("known: {}", names.join(", ")))
}

fn bad(key: &str, example: &str) -> Fault {
    Fault::usage(format!("fake cannot use this value of `{key}`")).hint(format!("type it as +{example}"))
}

fn share(key: &str, value: Option<&str>, least: f64) -> Outcome<f64> {
    let text = value.unwrap_or_default().trim();
    let number = match text.strip_suffix('%') {
        Some(digits) => digits.parse::<f64>().map(|percent| percent / 100.0),
        None => text.parse(),
    };
    let usable = |number: &f64| (least..=100.0).contains(number);
    number.ok().filter(usable).ok_or_else(|| bad(key, &format!("{key}=3%")))
}

/// Whether a list of flags leaves the index in use.
fn index_lookup(key: &str, list: Option<&str>) -> Outcome<bool> {
    let mut used = true;
    for flag in list.unwrap_or_default().split(',') {
        match flag.split_once('=') {
            Some(("index_lookup", value)) => used = switch(key, Some(value))?,
            Some(("mrr", value)) => _ = switch(key, Some(value))?,
            _ => return Err(bad(key, &format!("{key}=index_lookup=on,mrr=off"))),
        }
    }
    Ok(used)
}

fn switch(key: &str, value: Option<&str>) -> Outcome<bool> {
    match value {
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        _ => Err(bad(key, &format!("{key}=on"))),
    }
}

fn count(key: &str, value: Option<&str>) -> Outcome<u64> {
    let number = value.unwrap_or_default().parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| bad(key, &format!("{key}=1000")))
}

fn flag(key: &str, value: Option<&str>) -> Outcome<bool> {
    match value {
        None | Some("on" | "yes" | "true" | "1") => Ok(true),
        Some("off" | "no" | "false" | "0") => Ok(false),
        Some(_) => Err(bad(key, key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(orders: &[(&str, &str)]) -> Outcome<Script> {
        let setting =
            |(key, value): &(&str, &str)| Setting::Value { key: (*key).into(), value: (*value).into() };
        Script::parse(&orders.iter().map(setting).collect::<Vec<_>>())
    }

    #[test]
    fn every_listed_order_is_known_and_no_other() {
        for (name, takes_value, _) in ORDERS {
            let value = match name {
                "checks" => "on",
                "optimizer_switch" => "index_lookup=off",
                _ => "3",
            };
            let setting = match takes_value {
                true => Setting::Value { key: name.into(), value: value.into() },
                false => Setting::Named(name.into()),
            };
            assert_ne!(Script::parse(&[setting]).unwrap(), Script::default(), "{name}");
        }
        let fault = parse(&[("slowdwon", "3%")]).unwrap_err();
        assert!(fault.hint.unwrap().contains("slowdown"));
    }

    #[test]
    fn values_are_checked_and_later_ones_win() {
        let script = parse(&[("slowdown", "3%"), ("slowdown", "-0.02"), ("crash_after", "7")]).unwrap();
        assert_eq!((script.slowdown, script.crash_after), (-0.02, Some(7)));
        let bad = [("slowdown", "fast"), ("noise", "-1%"), ("hang_at", "0"), ("load_fails", "maybe")];
        for (key, value) in bad.into_iter().chain([("optimizer_switch", "on")]) {
            assert_eq!(parse(&[(key, value)]).unwrap_err().exit_code(), 2, "{key}={value}");
        }
        assert!(Script::parse(&[Setting::Named("noise".into())]).is_err());
    }
}
