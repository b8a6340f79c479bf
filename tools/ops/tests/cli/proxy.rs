//! Proxy in front of the database. It holds one call, so that a test can act at that moment.

use std::io::{BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::fake_http::{self, Message};

/// Proxy that passes every call on.
pub(super) struct Proxy {
    pub(super) url: String,
    hold: Arc<Hold>,
}

/// Call to hold.
struct Hold {
    /// Number of calls until then; 0 holds none.
    calls_left: AtomicUsize,
    held: Mutex<Option<Held>>,
}

/// Ends of the channels of a held call.
struct Held {
    reached: Sender<()>,
    release: Receiver<()>,
}

impl Proxy {
    pub(super) fn start(database: SocketAddr) -> Self {
        let hold = Arc::new(Hold { calls_left: AtomicUsize::new(0), held: Mutex::new(None) });
        let shared = Arc::clone(&hold);
        let url = fake_http::start(move |call| {
            shared.pass();
            forward(call, database)
        });
        Self { url, hold }
    }

    /// Holds a call, the first one if `call` is 1. Returns the receiver that is told when it is there, and the sender that
    /// releases it.
    pub(super) fn hold_call(&self, call: usize) -> (Receiver<()>, Sender<()>) {
        let (reached, is_reached) = channel();
        let (release, is_released) = channel();
        *self.hold.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(Held { reached, release: is_released });
        self.hold.calls_left.store(call, Ordering::SeqCst);
        (is_reached, release)
    }

    /// Holds no call any more.
    pub(super) fn hold_nothing(&self) {
        self.hold.calls_left.store(0, Ordering::SeqCst);
        *self.hold.held.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Sends a call to the database. Returns its answer.
fn forward(call: &Message, database: SocketAddr) -> Option<Vec<u8>> {
    let mut database = TcpStream::connect(database).ok()?;
    database.write_all(&call.to_bytes()).ok()?;
    Some(Message::read(&mut BufReader::new(database))?.to_bytes())
}

impl Hold {
    /// Counts a call, and waits if it is the one to hold.
    fn pass(&self) {
        let one_less = |left: usize| left.checked_sub(1);
        let left = self.calls_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        if left == Ok(1) {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(Held { reached, release }) = held {
                // The test may have ended.
                let _ = reached.send(());
                let _ = release.recv();
            }
        }
    }
}
