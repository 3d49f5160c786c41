//! How often the intervals over hosts hold, in simulated worlds. The table in `docs/statistics.md` is printed by
//!
//! ```text
//! cargo test --release -p humdrum-analyse --lib -- --ignored --nocapture intervals_over_hosts
//! ```

use super::{RunEstimate, another_host, by_kind, mean_over_runs};
use crate::evidence::CI_LEVEL;
use crate::interval::means;
use crate::testkit::Rng;

/// Numbers of hosts with a ratio of the same plan.
const HOSTS: [usize; 4] = [3, 5, 10, 30];
/// Sessions of each host, and their sd, ln units.
const SESSIONS: usize = 8;
const SESSION_SD: f64 = 0.006;

/// What hosts have to do with a ratio.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    /// Sd of hosts within a generation.
    hosts: f64,
    /// Half of the difference between two generations, each of which half the hosts have.
    generations: f64,
    /// Share of hosts that stand apart by ten sd.
    apart: f64,
}

const WORLDS: [World; 5] = [
    World { name: "hosts alike", hosts: 0.0, generations: 0.0, apart: 0.0 },
    World { name: "hosts differ by sd 0.5 %", hosts: 0.005, generations: 0.0, apart: 0.0 },
    World { name: "hosts differ by sd 2 %", hosts: 0.02, generations: 0.0, apart: 0.0 },
    World {
        name: "two generations 10 % apart, hosts of each by sd 1 %",
        hosts: 0.01,
        generations: 0.05,
        apart: 0.0,
    },
    World {
        name: "sd 1 %, and one host in ten stands apart by 10 %",
        hosts: 0.01,
        generations: 0.0,
        apart: 0.1,
    },
];

impl World {
    /// The true ln ratio on a host that is drawn.
    fn host(&self, rng: &mut Rng) -> f64 {
        let generation = if rng.uniform() < 0.5 { -self.generations } else { self.generations };
        let apart = if rng.uniform() < self.apart { 10.0 * self.hosts } else { 0.0 };
        generation + apart + self.hosts * rng.normal()
    }

    /// The mean of all hosts.
    fn mean(&self) -> f64 {
        self.apart * 10.0 * self.hosts
    }

    /// A host's estimate, from sessions.
    fn measured(&self, rng: &mut Rng) -> RunEstimate {
        let truth = self.host(rng);
        Self::estimated(truth, rng)
    }

    fn estimated(truth: f64, rng: &mut Rng) -> RunEstimate {
        let sessions: Vec<f64> = (0..SESSIONS).map(|_| truth + SESSION_SD * rng.normal()).collect();
        let found = means(&sessions).expect("sessions");
        RunEstimate { mean: found.mean, standard_error: found.standard_error, freedom: found.freedom }
    }
}

/// Shares of runs in which the interval for another host had its true ratio, and that of the mean had the mean.
fn held(world: &World, hosts: usize, runs: usize) -> [f64; 2] {
    let mut rng = Rng::new(hosts as u64);
    let mut held = [0_usize; 2];
    for _ in 0..runs {
        let estimates: Vec<RunEstimate> = (0..hosts).map(|_| world.measured(&mut rng)).collect();
        let [low, high] = another_host(&estimates).expect("three hosts or more");
        let mean = mean_over_runs(&estimates, None).expect("three hosts or more");
        held[0] += usize::from((low..=high).contains(&world.host(&mut rng)));
        held[1] += usize::from((mean.mean - world.mean()).abs() <= mean.half_width(CI_LEVEL));
    }
    held.map(|held| held as f64 / runs as f64)
}

/// The share of kinds in which the interval for another host of the kind held its true ratio, where there is one; and the share of sets
/// of hosts with at least one.
fn held_by_kind(world: &World, hosts: usize, runs: usize) -> [f64; 2] {
    let mut rng = Rng::new(100 + hosts as u64);
    let (mut held, mut told, mut sets) = (0_usize, 0_usize, 0_usize);
    for _ in 0..runs {
        let mut kinds = [Vec::new(), Vec::new()];
        let effects = [-world.generations, world.generations];
        for _ in 0..hosts {
            let kind = usize::from(rng.uniform() < 0.5);
            let truth = effects[kind] + world.hosts * rng.normal();
            kinds[kind].push(World::estimated(truth, &mut rng));
        }
        let found = by_kind(&kinds.clone().into_iter().filter(|hosts| !hosts.is_empty()).collect::<Vec<_>>());
        let effects =
            effects.iter().zip(&kinds).filter(|(_, hosts)| !hosts.is_empty()).map(|(effect, _)| *effect);
        let mut any = false;
        for (effect, kind) in effects.zip(found.iter().flat_map(|found| &found.kinds)) {
            let Some([low, high]) = kind.another else { continue };
            any = true;
            told += 1;
            held += usize::from((low..=high).contains(&(effect + world.hosts * rng.normal())));
        }
        sets += usize::from(any);
    }
    [held as f64 / told.max(1) as f64, sets as f64 / runs as f64]
}

/// However far kinds are apart.
#[test]
fn another_host_of_a_kind_lies_where_the_others_of_it_say() {
    for world in &WORLDS[..4] {
        for hosts in HOSTS {
            // Of three hosts, a quarter of the sets has an interval.
            let [held, _] = held_by_kind(world, hosts, if hosts < 5 { 4000 } else { 1000 });
            assert!(held >= 0.93, "{}, {hosts} hosts: {held}", world.name);
        }
    }
}

#[test]
#[ignore = "prints the second table in docs/statistics.md"]
fn intervals_by_kind() {
    println!(
        "| world | hosts of two kinds | another host of the kind holds | sets with an interval |\n|---|---|---|---|"
    );
    for world in &WORLDS[..4] {
        for hosts in HOSTS {
            let [held, told] = held_by_kind(world, hosts, 4000);
            println!("| {} | {hosts} | {:.1} % | {:.1} % |", world.name, 100.0 * held, 100.0 * told);
        }
    }
}

/// Where the hosts' own differences are normal, of one size, or none.
#[test]
fn another_host_lies_where_the_others_say() {
    for world in &WORLDS[..3] {
        for hosts in HOSTS {
            let [another, mean] = held(world, hosts, 500);
            assert!(another >= 0.93 && mean >= 0.91, "{}, {hosts} hosts: {another} {mean}", world.name);
        }
    }
}

#[test]
#[ignore = "prints the table in docs/statistics.md"]
fn intervals_over_hosts() {
    println!("| world | hosts | another host holds | mean of hosts holds |\n|---|---|---|---|");
    for world in &WORLDS {
        for hosts in HOSTS {
            let [another, mean] = held(world, hosts, 4000);
            println!("| {} | {hosts} | {:.1} % | {:.1} % |", world.name, 100.0 * another, 100.0 * mean);
        }
    }
}
