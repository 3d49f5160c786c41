//! The worker of humdrum's engine `datafusion`: it answers ordered queries over a table in memory, with DataFusion's own sort
//! or skipsort's. The lab starts it; by itself it only says which DataFusion it has.
//!
//! On a failure it writes the reason to standard error, which is the server's log, and exits: with 2 for wrong input of the
//! user, with 1 otherwise.

mod rows;
mod store;

use std::process::ExitCode;
use std::sync::Arc;

use humdrum_engine_worker::orderby::wire::PROTOCOL;
use humdrum_engine_worker::orderby::{self, FAILED, Orders, REFUSED};

use store::FusionStore;

const USAGE: &str = "\
humdrum-datafusion is started by humdrum: humdrum compare datafusion@55 datafusion@55+skipsort --suite orderby
By itself it takes --version alone.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args == ["--version"] {
        println!("humdrum-datafusion: datafusion {}, protocol {PROTOCOL}", datafusion::DATAFUSION_VERSION);
        return ExitCode::SUCCESS;
    }
    let orders = Orders::from_env(|name| std::env::var_os(name)).filter(|_| args.is_empty());
    let Some(orders) = orders else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let store = match FusionStore::new(&orders) {
        Ok(store) => store,
        Err(why) => {
            eprintln!("{REFUSED}{why}");
            return ExitCode::from(2);
        }
    };
    let Err(why) = orderby::serve(&orders, Arc::new(store));
    eprintln!("{FAILED}{why}");
    ExitCode::FAILURE
}
