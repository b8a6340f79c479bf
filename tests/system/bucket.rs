//! Bucket of the simulation. Its calls fail as those of the database do, and a body may break off.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_ingest::{ObjectBody, Objects, OpenObject};
use presence_tests::connectors::{NetworkConnector, NetworkFault};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};

/// Time after which a call is given up: that of ingest.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Object in the bucket.
#[derive(Clone, Debug)]
struct StoredObject {
    etag: String,
    modified_at: Timestamp,
    bytes: Vec<u8>,
    /// Mark of the object that a summary is about.
    source_etag: Option<String>,
}

/// Bucket.
pub(crate) struct Bucket {
    network: NetworkConnector,
    rng: Mutex<Rng>,
    objects: Mutex<BTreeMap<String, StoredObject>>,
}

/// Body that breaks off.
struct BrokenBody;

impl AsyncRead for BrokenBody {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
    }
}

impl Bucket {
    pub(crate) fn new(network: NetworkConnector, rng: Rng) -> Self {
        Self { network, rng: Mutex::new(rng), objects: Mutex::default() }
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, StoredObject>> {
        self.objects.lock().expect("no panic")
    }

    /// Uploads an object. S3 tells the time of that in whole seconds, which are returned.
    pub(crate) fn upload(&self, key: &str, bytes: Vec<u8>, now: Timestamp, source_etag: Option<String>) -> i64 {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let (etag, second) = (format!("\"{:016x}\"", hasher.finish()), now.as_second());
        let modified_at = Timestamp::from_second(second).expect("an instant");
        self.objects().insert(key.to_owned(), StoredObject { etag, modified_at, bytes, source_etag });
        second
    }

    /// Returns an object as text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        let bytes = self.objects().get(key)?.bytes.clone();
        Some(String::from_utf8(bytes).expect("text"))
    }

    /// True if the summary of an object is about its present content.
    pub(crate) fn has_summary(&self, object: &str) -> bool {
        let objects = self.objects();
        let summary = objects.get(&format!("done/{object}.json"));
        let source = summary.and_then(|summary| summary.source_etag.as_ref());
        source.is_some() && source == objects.get(&format!("inbox/{object}")).map(|source| &source.etag)
    }

    async fn call<T: Send>(&self, act: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let answer = self.network.call_service("bucket", TIMEOUT, act).await;
        answer.ok_or_else(|| Error::Unavailable("the bucket does not answer".into()))
    }

    /// Returns the bytes of an object, or some of them before it breaks off.
    fn body(&self, bytes: Vec<u8>) -> ObjectBody {
        let mut rng = self.rng.lock().expect("no panic");
        if !self.network.has(NetworkFault::BrokenBody) || rng.u8(..10) > 0 {
            return Box::new(io::Cursor::new(bytes));
        }
        let length = rng.usize(..=bytes.len());
        Box::new(io::Cursor::new(bytes[..length].to_vec()).chain(BrokenBody))
    }
}

impl Objects for Bucket {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        let open = move || {
            let StoredObject { etag, modified_at, bytes, .. } = self.objects().get(key)?.clone();
            let rest = bytes.get(usize::try_from(offset).expect("small")..).unwrap_or_default().to_vec();
            Some(OpenObject { etag, modified_at, body: self.body(rest) })
        };
        self.call(open).boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        source_etag: Option<&'a str>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let source_etag = source_etag.map(str::to_owned);
        // Nobody asks for the time of a report.
        let put = move || self.upload(key, bytes, Timestamp::UNIX_EPOCH, source_etag);
        async move { self.call(put).await.map(drop) }.boxed()
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        self.call(move || drop(self.objects().remove(key))).boxed()
    }
}
