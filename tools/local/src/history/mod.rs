//! History of requests: the last requests to the API, each with the event that its function got, its answer and its cost.
//!
//! Keys, passwords and tokens are cut out before anything is kept.

mod exchange;
mod facts;
mod redaction;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

pub use exchange::{Exchange, ReceivedRequest};
pub use facts::{RequestFacts, carry, observe};

/// Number of requests that are kept. The oldest are dropped first.
pub const MAX_EXCHANGES: usize = 200;

/// Last requests to the API, with their answers.
#[derive(Debug, Default)]
pub struct RequestHistory {
    exchanges: Mutex<Exchanges>,
    changed: watch::Sender<()>,
}

/// Exchanges that are kept, oldest first, and the number of all that ever were.
#[derive(Debug, Default)]
struct Exchanges {
    count: u64,
    kept: VecDeque<(u64, Arc<Exchange>)>,
}

impl RequestHistory {
    /// Adds a request with its answer. They are numbered from 1 on.
    pub fn add(&self, exchange: Exchange) {
        let mut exchanges = self.lock();
        exchanges.count += 1;
        let number = exchanges.count;
        if exchanges.kept.len() == MAX_EXCHANGES {
            exchanges.kept.pop_front();
        }
        exchanges.kept.push_back((number, Arc::new(exchange)));
        drop(exchanges);
        self.changed.send_replace(());
    }

    /// Returns the requests with a higher number than this one, oldest first, and the number of all requests.
    pub fn after(&self, number: u64) -> (Vec<(u64, Arc<Exchange>)>, u64) {
        let exchanges = self.lock();
        (exchanges.kept.iter().filter(|(own, _)| *own > number).cloned().collect(), exchanges.count)
    }

    /// Returns a request by its number; `None` if it is no longer kept.
    pub fn get(&self, number: u64) -> Option<Arc<Exchange>> {
        self.lock().kept.iter().find(|(own, _)| *own == number).map(|(_, exchange)| Arc::clone(exchange))
    }

    /// Returns a channel that tells of each further request.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Exchanges> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_requests_are_kept_under_their_numbers() {
        let history = RequestHistory::default();
        let most = u64::try_from(MAX_EXCHANGES).expect("few");
        for status in 1..=300 {
            history.add(Exchange { status, ..Exchange::default() });
        }
        assert!(history.get(300 - most).is_none());
        let first = history.get(301 - most).expect("the oldest one that is kept");
        assert_eq!(u64::from(first.status), 301 - most);
        let (newer, count) = history.after(298);
        assert_eq!((newer.iter().map(|(number, _)| *number).collect::<Vec<_>>(), count), (vec![299, 300], 300));
        assert_eq!(history.after(0).0.len(), MAX_EXCHANGES);
    }
}
