//! A channel between two threads whose receiver sleeps at once when there is no message.
//!
//! The standard library's channel spins and yields for some microseconds before it sleeps. That helps where processors
//! are idle. Here every processor has a server to run, and a client that spins takes CPU time from the server and adds
//! it to its own.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

struct Shared<T> {
    state: Mutex<State<T>>,
    news: Condvar,
}

struct State<T> {
    messages: VecDeque<T>,
    closed: bool,
}

/// One end of a mailbox. When one end is dropped, the other still gets the messages sent before, and then `None`.
pub(crate) struct Mailbox<T>(Arc<Shared<T>>);

/// Two ends of one mailbox.
pub(crate) fn mailbox<T>() -> (Mailbox<T>, Mailbox<T>) {
    let state = Mutex::new(State { messages: VecDeque::with_capacity(2), closed: false });
    let shared = Arc::new(Shared { state, news: Condvar::new() });
    (Mailbox(Arc::clone(&shared)), Mailbox(shared))
}

impl<T> Mailbox<T> {
    /// Sends a message. False when the other end is gone.
    pub(crate) fn send(&self, message: T) -> bool {
        let mut state = self.state();
        if state.closed {
            return false;
        }
        state.messages.push_back(message);
        drop(state);
        self.0.news.notify_one();
        true
    }

    /// Waits for a message. `None` when the other end is gone and no message is left.
    pub(crate) fn receive(&self) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(message) = state.messages.pop_front() {
                return Some(message);
            }
            if state.closed {
                return None;
            }
            state = self.0.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// No code that can panic runs while the lock is held, so that a poisoned state is still valid.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for Mailbox<T> {
    fn drop(&mut self) {
        self.state().closed = true;
        self.0.news.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_delivers_what_was_sent_before_the_end() {
        let (ours, theirs) = mailbox();
        let thread = std::thread::spawn(move || std::iter::from_fn(|| theirs.receive()).collect::<Vec<_>>());
        assert!((0..100).all(|number| ours.send(number)));
        drop(ours);
        assert_eq!(thread.join().ok(), Some((0..100).collect()));
    }

    #[test]
    fn says_that_nobody_listens() {
        let (ours, theirs) = mailbox();
        drop(theirs);
        assert!(!ours.send(1));
        assert_eq!(ours.receive(), None);
    }
}
