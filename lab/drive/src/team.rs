//! The clients' threads. The caller's thread runs client 0, so that with one client no message passes between threads.
//! Clients 1 and up have a thread each, which owns their connections and ends with the crew.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use humdrum_contract::{Client, Clock};

use crate::latency::Latencies;
use crate::mailbox::{Mailbox, mailbox};
use crate::placement::Placement;
use crate::slice::{Work, panicked};
use crate::tally::Tally;

/// One thread's clients, one per lane, and what they have measured.
pub(crate) struct Member {
    clients: Vec<Box<dyn Client>>,
    latencies: Vec<Latencies>,
    placement: Option<Placement>,
}

impl Drop for Member {
    /// Releases the server processes. A server may keep a thread for a later connection; that connection must not be
    /// bound to one processor when it loads data or when debts are paid.
    fn drop(&mut self) {
        if let Some(placement) = &self.placement {
            self.clients
                .iter()
                .filter_map(|client| client.server_process())
                .for_each(|pid| placement.free(pid));
        }
    }
}

enum Order {
    Slice { lane: usize, work: Arc<Work> },
    ClearLatencies,
}

/// A member on a thread of its own.
struct Remote {
    orders: Option<Mailbox<Order>>,
    tallies: Mailbox<Tally>,
    thread: Option<JoinHandle<Member>>,
}

/// All members.
pub(crate) struct Team {
    clock: Arc<dyn Clock>,
    placement: Option<Placement>,
    here: Member,
    remotes: Vec<Remote>,
}

impl Drop for Team {
    /// Releases the caller's thread, because servers that it starts later inherit its processors.
    fn drop(&mut self) {
        if let Some(placement) = &self.placement {
            placement.release();
        }
    }
}

impl Member {
    fn new(clients: Vec<Box<dyn Client>>) -> Self {
        let latencies = clients.iter().map(|_| Latencies::new()).collect();
        Self { clients, latencies, placement: None }
    }

    /// Binds the calling thread and the server processes of this member's clients to one processor.
    fn place(&mut self, placement: Option<&Placement>, number: usize) {
        if let Some(placement) = placement {
            self.clients.iter().for_each(|client| placement.put(number, client.server_process()));
        }
        self.placement = placement.cloned();
    }

    fn run(&mut self, lane: usize, work: &Work, clock: &dyn Clock) -> Tally {
        work.run(&mut *self.clients[lane], clock, &mut self.latencies[lane])
    }
}

impl Team {
    /// `clients[member][lane]`; there is at least one member.
    pub(crate) fn new(clock: Arc<dyn Clock>, clients: Vec<Vec<Box<dyn Client>>>) -> Self {
        let placement = if clock.is_virtual() { None } else { Placement::of_this_thread() };
        let mut members = clients.into_iter().map(Member::new);
        let mut here = members.next().expect("a plan has at least one client");
        here.place(placement.as_ref(), 0);
        let start =
            |(number, member)| Remote::start(member, number + 1, placement.clone(), Arc::clone(&clock));
        let remotes = members.enumerate().map(start).collect();
        Self { clock, placement, here, remotes }
    }

    pub(crate) fn size(&self) -> usize {
        1 + self.remotes.len()
    }

    /// Client 0 of a lane, for work outside slices.
    pub(crate) fn first_client(&mut self, lane: usize) -> &mut dyn Client {
        &mut *self.here.clients[lane]
    }

    /// Runs a slice on all threads at once.
    pub(crate) fn run(&mut self, lane: usize, work: Work) -> Tally {
        let work = Arc::new(work);
        for remote in &self.remotes {
            remote.send(Order::Slice { lane, work: Arc::clone(&work) });
        }
        let own = self.here.run(lane, &work, &*self.clock);
        self.remotes.iter().fold(own, |sum, remote| sum.merge(remote.tally()))
    }

    /// Discards the latencies so far, which are those of the warm-up.
    pub(crate) fn clear_latencies(&mut self) {
        self.here.latencies.iter_mut().for_each(Latencies::clear);
        self.remotes.iter().for_each(|remote| remote.send(Order::ClearLatencies));
    }

    /// Ends the threads, closes the connections, and returns the latencies by lane.
    pub(crate) fn finish(mut self) -> Vec<Latencies> {
        let mut all = std::mem::take(&mut self.here.latencies);
        for member in std::mem::take(&mut self.remotes).into_iter().filter_map(Remote::finish) {
            all.iter_mut().zip(&member.latencies).for_each(|(sum, more)| sum.add(more));
        }
        all
    }
}

impl Remote {
    fn start(mut member: Member, number: usize, placement: Option<Placement>, clock: Arc<dyn Clock>) -> Self {
        let (orders, inbox) = mailbox::<Order>();
        let (outbox, tallies) = mailbox();
        let thread = std::thread::spawn(move || {
            member.place(placement.as_ref(), number);
            while let Some(order) = inbox.receive() {
                match order {
                    Order::ClearLatencies => member.latencies.iter_mut().for_each(Latencies::clear),
                    Order::Slice { lane, work } => {
                        // A panic is recorded like any other fault.
                        let run = AssertUnwindSafe(|| member.run(lane, &work, &*clock));
                        let tally = catch_unwind(run).unwrap_or_else(|_| lost());
                        if !outbox.send(tally) {
                            break;
                        }
                    }
                }
            }
            member
        });
        Self { orders: Some(orders), tallies, thread: Some(thread) }
    }

    fn send(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // If the thread is gone, `tally` reports it.
            orders.send(order);
        }
    }

    fn tally(&self) -> Tally {
        self.tallies.receive().unwrap_or_else(lost)
    }

    fn finish(mut self) -> Option<Member> {
        drop(self.orders.take());
        self.thread.take().and_then(|thread| thread.join().ok())
    }
}

fn lost() -> Tally {
    Tally { start_ns: u64::MAX, fault: Some(panicked()), ..Tally::default() }
}
