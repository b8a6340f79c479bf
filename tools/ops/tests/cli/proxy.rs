//! Proxy in front of the database. It holds one call, so that a test can act at that moment.

use std::io::{BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::fake_aws::{header, read_head};

/// Proxy that passes every call on. Its threads end with the process.
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
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let hold = Arc::new(Hold { calls_left: AtomicUsize::new(0), held: Mutex::new(None) });
        let shared = Arc::clone(&hold);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let hold = Arc::clone(&shared);
                std::thread::spawn(move || stream.map(|stream| pass_calls(stream, database, &hold)));
            }
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

/// Passes the calls of one connection on. Returns `None` when either side closes it.
fn pass_calls(client: TcpStream, database: SocketAddr, hold: &Hold) -> Option<()> {
    let mut database = TcpStream::connect(database).ok()?;
    let mut answers = BufReader::new(database.try_clone().ok()?);
    let mut to_client = client.try_clone().ok()?;
    let mut calls = BufReader::new(client);
    loop {
        let call = read_message(&mut calls)?;
        hold.pass();
        database.write_all(&call).ok()?;
        to_client.write_all(&read_message(&mut answers)?).ok()?;
    }
}

/// Reads the head of a message and its body.
fn read_message(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let head = read_head(reader)?;
    let length = header(&head, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut message = head.into_bytes();
    let start = message.len();
    message.resize(start + length, 0);
    reader.read_exact(&mut message[start..]).ok()?;
    Some(message)
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
