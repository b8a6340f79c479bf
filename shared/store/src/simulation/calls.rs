//! Calls that wait until the run lets them go on, and the processes that make them.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::world::World;

/// World of a run, shared by the calls.
#[derive(Clone, Debug)]
pub(super) struct SharedWorld(Arc<Mutex<World>>);

/// Calls that wait.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Process that runs now.
    pub(super) process: u64,
    last_ticket: u64,
    waiting: HashMap<u64, Option<Waker>>,
    /// Tickets of calls that the run may let go on, with their processes.
    pub(super) ready: Vec<(u64, u64)>,
    /// Names of the calls that may go on, by ticket; `None` if nobody asks for them.
    names: Option<HashMap<u64, String>>,
}

/// Turn of a call. Resolves when the run lets it go on.
pub(super) struct Turn {
    world: SharedWorld,
    ticket: Option<u64>,
    name: Option<String>,
}

impl SharedWorld {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(World::new(seed))))
    }

    pub(super) fn get(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn.
    pub(super) fn turn(&self) -> Turn {
        Turn { world: self.clone(), ticket: None, name: None }
    }

    /// Waits for a turn of a call with a name, which is made only if somebody asks for names.
    pub(super) fn turn_of(&self, name: impl FnOnce() -> String) -> Turn {
        let name = self.get().calls.names.is_some().then(name);
        Turn { world: self.clone(), ticket: None, name }
    }

    /// Waits until the transaction with this ticket is carried out.
    pub(super) fn end_of(&self, ticket: u64) -> Turn {
        Turn { world: self.clone(), ticket: Some(ticket), name: None }
    }
}

impl Calls {
    /// Returns a ticket that is to be released.
    pub(super) fn new_ticket(&mut self) -> u64 {
        self.last_ticket += 1;
        self.waiting.insert(self.last_ticket, None);
        self.last_ticket
    }

    /// Names calls from now on.
    pub(super) fn begin_names(&mut self) {
        self.names = Some(HashMap::new());
    }

    /// Returns the tickets and names of the calls of a process that may go on.
    pub(super) fn ready_of(&self, process: u64) -> Vec<(u64, String)> {
        let own = self.ready.iter().filter(|(_, other)| *other == process).map(|(ticket, _)| *ticket);
        let name = |ticket| self.names.as_ref().and_then(|names| names.get(&ticket)).cloned().unwrap_or_default();
        own.map(|ticket| (ticket, name(ticket))).collect()
    }

    /// Lets a call go on.
    pub(super) fn release(&mut self, ticket: u64) {
        self.ready.retain(|(other, _)| *other != ticket);
        if let Some(Some(waker)) = self.waiting.remove(&ticket) {
            waker.wake();
        }
    }
}

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let world = self.world.clone();
        let calls = &mut world.get().calls;
        let name = self.name.take();
        let ticket = *self.ticket.get_or_insert_with(|| {
            let ticket = calls.new_ticket();
            calls.ready.push((ticket, calls.process));
            if let Some((names, name)) = calls.names.as_mut().zip(name) {
                names.insert(ticket, name);
            }
            ticket
        });
        match calls.waiting.get_mut(&ticket) {
            Some(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let calls = &mut self.world.get().calls;
            calls.waiting.remove(&ticket);
            calls.ready.retain(|(other, _)| *other != ticket);
        }
    }
}
