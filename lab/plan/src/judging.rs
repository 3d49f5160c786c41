//! `--judge` and `--gate`: which verdicts count, and how strictly.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Judging, QUANTITIES};

use crate::request::Request;
use crate::suggest::did_you_mean;

/// The quantities that a request is judged by, in the order of [`QUANTITIES`]; the default if it names none.
///
/// # Errors
/// Usage, for a quantity that does not exist.
pub(crate) fn judging(request: &Request) -> Outcome<Judging> {
    if request.judge.is_empty() {
        return Ok(Judging { gate: request.gate, ..Judging::default() });
    }
    let wanted: Vec<&str> = request.judge.iter().flat_map(|list| list.split(',')).map(str::trim).collect();
    if let Some(unknown) = wanted.iter().find(|name| !QUANTITIES.contains(name)) {
        return Err(Fault::usage(format!("nothing can be judged by `{unknown}`"))
            .hint(did_you_mean(unknown, QUANTITIES)));
    }
    let quantities = QUANTITIES.iter().filter(|name| wanted.contains(name)).map(|name| (*name).to_owned());
    Ok(Judging { quantities: quantities.collect(), gate: request.gate })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged_by(names: &[&str]) -> Outcome<Judging> {
        let judge = names.iter().map(|name| (*name).to_owned()).collect();
        judging(&Request { judge, ..Request::default() })
    }

    #[test]
    fn quantities_come_in_one_order_and_once() {
        assert_eq!(judged_by(&["p99, throughput", "p99"]).unwrap().quantities, ["throughput", "p99"]);
        assert_eq!(judged_by(&[]).unwrap().quantities, ["throughput", "cpu"]);
    }

    #[test]
    fn an_unknown_quantity_is_refused() {
        let fault = judged_by(&["p98"]).unwrap_err();
        assert_eq!((fault.exit_code(), fault.hint.as_deref()), (2, Some("did you mean `p99`?")));
        let hint = judged_by(&[""]).unwrap_err().hint;
        assert_eq!(hint.as_deref(), Some("known: throughput, cpu, p99"));
    }
}
