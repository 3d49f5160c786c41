//! How often the intervals over hosts hold, in simulated worlds. The tables in `docs/statistics.md` are printed by
//!
//! ```text
//! cargo test --release -p humdrum-analyse --lib -- --ignored --nocapture intervals_over_hosts
//! cargo test -p humdrum-analyse --lib -- --ignored --nocapture intervals_by_kind
//! ```
//!
//! What a report shows is counted: of sets of hosts that do not show how much hosts differ there is neither interval nor mean. Beside it stands
//! what intervals would do if there were no such rule.

use super::{RunEstimate, another_host, by_kind, mean_over_runs, show_another};
use crate::evidence::CI_LEVEL;
use crate::hosts::grouped;
use crate::interval::means;
use crate::testkit::Rng;

/// Numbers of hosts with a ratio of the same plan.
const HOSTS: [usize; 5] = [3, 4, 5, 10, 30];
/// Sessions of each host, and their sd, ln units.
const SESSIONS: usize = 8;
const SESSION_SD: f64 = 0.006;
/// Sets of hosts behind each cell of a table.
const SETS: usize = 4000;

/// What hosts have to do with a ratio.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    /// Sd of hosts within a generation.
    hosts: f64,
    /// What each generation does to the ratio. Hosts are of them by chance, evenly.
    generations: &'static [f64],
    /// Each host is of another generation, which does one of these things.
    singles: bool,
    /// Share of hosts that stand apart by ten sd.
    apart: f64,
}

const PLAIN: World = World { name: "", hosts: 0.0, generations: &[0.0], singles: false, apart: 0.0 };
const WORLDS: [World; 6] = [
    World { name: "hosts alike", ..PLAIN },
    World { name: "hosts differ by sd 0.5 %", hosts: 0.005, ..PLAIN },
    World { name: "hosts differ by sd 2 %", hosts: 0.02, ..PLAIN },
    World {
        name: "two generations 10 % apart, hosts of each by sd 1 %",
        hosts: 0.01,
        generations: &[-0.05, 0.05],
        ..PLAIN
    },
    World {
        name: "each host of another generation, about half of them 10 % above the others, sd 1 %",
        hosts: 0.01,
        generations: &[-0.05, 0.05],
        singles: true,
        ..PLAIN
    },
    World { name: "sd 1 %, and one host in ten stands apart by 10 %", hosts: 0.01, apart: 0.1, ..PLAIN },
];
/// The worlds in which intervals hold. In the last one they do not, as the table says.
const HOLDING: usize = 5;

/// Hosts that were measured, by generation, and what these generations do to the ratio.
struct Set {
    groups: Vec<Vec<RunEstimate>>,
    effects: Vec<f64>,
}

impl World {
    fn set(&self, hosts: usize, rng: &mut Rng) -> Set {
        let mut drawn = Vec::new();
        for number in 0..hosts {
            let sort = one_of(self.generations, rng);
            let truth = self.host(self.generations[sort], rng);
            drawn.push(((sort, if self.singles { number } else { 0 }), measured(truth, rng)));
        }
        let (kinds, groups): (Vec<(usize, usize)>, Vec<_>) = grouped(drawn).into_iter().unzip();
        // Where no generation comes again, another host is of one that was not measured.
        let effects = match self.singles {
            true => self.generations.to_vec(),
            false => kinds.iter().map(|(sort, _)| self.generations[*sort]).collect(),
        };
        Set { groups, effects }
    }

    /// The true ln ratio on a host of a generation with this effect.
    fn host(&self, effect: f64, rng: &mut Rng) -> f64 {
        let apart = if rng.uniform() < self.apart { 10.0 * self.hosts } else { 0.0 };
        effect + apart + self.hosts * rng.normal()
    }

    /// The mean of all hosts of generations with these effects.
    fn mean(&self, effects: &[f64]) -> f64 {
        effects.iter().sum::<f64>() / effects.len() as f64 + self.apart * 10.0 * self.hosts
    }

    /// The same world with hosts of two generations, whether or not these differ.
    fn of_two(self) -> Self {
        let generations: &[f64] = if self.generations.len() < 2 { &[0.0, 0.0] } else { self.generations };
        Self { generations, ..self }
    }
}

/// The place of one of these, each as likely as the others.
fn one_of(effects: &[f64], rng: &mut Rng) -> usize {
    ((rng.uniform() * effects.len() as f64) as usize).min(effects.len() - 1)
}

/// A host's estimate, from sessions.
fn measured(truth: f64, rng: &mut Rng) -> RunEstimate {
    let sessions: Vec<f64> = (0..SESSIONS).map(|_| truth + SESSION_SD * rng.normal()).collect();
    let found = means(&sessions).expect("sessions");
    RunEstimate { mean: found.mean, standard_error: found.standard_error, freedom: found.freedom }
}

/// How often intervals held, of those that were shown.
#[derive(Clone, Copy, Default)]
struct Held {
    held: usize,
    shown: usize,
}

impl Held {
    fn add(&mut self, truth: f64, [low, high]: [f64; 2]) {
        self.shown += 1;
        self.held += usize::from((low..=high).contains(&truth));
    }

    /// `None` if none was shown.
    fn share(self) -> Option<f64> {
        (self.shown > 0).then(|| self.held as f64 / self.shown as f64)
    }

    fn percent(self) -> String {
        self.share().map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share))
    }
}

/// Which sets of hosts have intervals.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// Those of which a report shows them. They are about the generations that were measured.
    AsReported,
    /// All, without regard to generations. They are about all hosts of the world.
    None,
}

/// The interval for another host, and that of the mean of hosts.
fn over_all(world: &World, hosts: usize, sets: usize, rule: Rule) -> [Held; 2] {
    let mut rng = Rng::new(hosts as u64);
    let mut held = [Held::default(); 2];
    for _ in 0..sets {
        let set = world.set(hosts, &mut rng);
        let effects = if rule == Rule::None { world.generations } else { &set.effects[..] };
        let another = world.host(effects[one_of(effects, &mut rng)], &mut rng);
        if rule == Rule::AsReported && !show_another(hosts, set.groups.len()) {
            continue;
        }
        let estimates = set.groups.concat();
        held[0].add(another, another_host(&estimates).expect("three hosts or more"));
        let mean = mean_over_runs(&estimates, None).expect("three hosts or more");
        let half = mean.half_width(CI_LEVEL);
        held[1].add(world.mean(effects), [mean.mean - half, mean.mean + half]);
    }
    held
}

/// The interval for another host of a kind, where there is one, and the share of sets of hosts with at least one.
fn of_kinds(world: &World, hosts: usize, sets: usize) -> (Held, f64) {
    let mut rng = Rng::new(100 + hosts as u64);
    let (mut held, mut with) = (Held::default(), 0_usize);
    for _ in 0..sets {
        let set = world.set(hosts, &mut rng);
        let found = by_kind(&set.groups);
        for (effect, kind) in set.effects.iter().zip(found.iter().flat_map(|found| &found.kinds)) {
            let another = world.host(*effect, &mut rng);
            kind.another.into_iter().for_each(|interval| held.add(another, interval));
        }
        with += usize::from(found.is_some());
    }
    (held, with as f64 / sets as f64)
}

/// However far kinds are apart.
#[test]
fn another_host_of_a_kind_lies_where_the_others_of_it_say() {
    for world in WORLDS[..4].iter().map(|world| world.of_two()) {
        for hosts in HOSTS {
            // Of three hosts, a quarter of the sets has an interval.
            let (held, _) = of_kinds(&world, hosts, if hosts < 5 { SETS } else { 1000 });
            assert!(held.share().is_some_and(|held| held >= 0.93), "{}, {hosts} hosts", world.name);
        }
    }
}

/// Whether hosts differ or not, and whether they are of one generation, of two or of as many as there are hosts.
#[test]
fn another_host_lies_where_the_others_say() {
    for world in &WORLDS[..HOLDING] {
        for hosts in HOSTS {
            let [another, mean] =
                over_all(world, hosts, if hosts < 5 { SETS } else { 1000 }, Rule::AsReported);
            let holds = |held: Held, least| held.share().is_none_or(|share| share >= least);
            let told = format!("{}, {hosts} hosts: {} {}", world.name, another.percent(), mean.percent());
            assert!(holds(another, 0.93) && holds(mean, 0.93), "{told}");
            assert_eq!(another.shown == 0, world.singles && hosts < 5, "{told}");
        }
    }
}

#[test]
fn without_the_rule_three_hosts_of_two_generations_would_promise_too_much() {
    let [another, mean] = over_all(&WORLDS[3], 3, SETS, Rule::None);
    assert!(
        another.share() < Some(0.9) && mean.share() < Some(0.8),
        "{} {}",
        another.percent(),
        mean.percent()
    );
}

fn heading() -> String {
    let numbers: Vec<String> = HOSTS.iter().map(|hosts| format!("{hosts} hosts")).collect();
    format!("| world | {} |\n|---{}|", numbers.join(" | "), "|---".repeat(HOSTS.len()))
}

#[test]
#[ignore = "prints the first table in docs/statistics.md"]
fn intervals_over_hosts() {
    println!("{}", heading());
    for world in &WORLDS {
        let row = |rule| HOSTS.map(|hosts| over_all_cell(world, hosts, rule)).join(" | ");
        println!("| {} | {} |", world.name, row(Rule::AsReported));
        if world.generations.len() > 1 && !world.singles {
            println!("| the same, if intervals did not ask for generations | {} |", row(Rule::None));
        }
    }
}

fn over_all_cell(world: &World, hosts: usize, rule: Rule) -> String {
    let [another, mean] = over_all(world, hosts, SETS, rule);
    let part = match another.shown {
        0 => return "none shown".to_owned(),
        SETS => String::new(),
        shown => format!(", of {:.0} % of sets", 100.0 * shown as f64 / SETS as f64),
    };
    format!("{}, {}{part}", another.percent(), mean.percent())
}

#[test]
#[ignore = "prints the second table in docs/statistics.md"]
fn intervals_by_kind() {
    println!("{}", heading());
    for world in WORLDS[..4].iter().map(|world| world.of_two()) {
        let cell = |hosts| {
            let (held, with) = of_kinds(&world, hosts, SETS);
            let part = if with < 1.0 { format!(", of {:.0} % of sets", 100.0 * with) } else { String::new() };
            format!("{}{part}", held.percent())
        };
        println!("| {} | {} |", world.name, HOSTS.map(cell).join(" | "));
    }
}
