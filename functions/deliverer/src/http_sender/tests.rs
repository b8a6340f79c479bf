//! Tests of the sender: it finds no way inside, and speaks HTTP as Standard Webhooks say.

use std::collections::HashMap;
use std::sync::Mutex;

use presence_runtime::clock::SystemClock;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::*;

fn sender(reach: WebhookReach, names: &[(&str, &[&str])], roots: RootCertStore) -> HttpSender {
    let names: HashMap<String, Vec<IpAddr>> = names
        .iter()
        .map(|(name, list)| ((*name).to_owned(), list.iter().map(|text| text.parse().expect("an address")).collect()))
        .collect();
    let resolve: Resolver = Arc::new(move |name, port| {
        let found = names.get(&name).cloned().ok_or_else(|| io::Error::other("no such name"));
        async move { Ok(found?.into_iter().map(|address| SocketAddr::new(address, port)).collect()) }.boxed()
    });
    HttpSender::with_parts(reach, Arc::new(SystemClock), || roots, resolve)
}

fn message(url: &str) -> Message {
    let url = WebhookUrl::from_stored(url).expect(url);
    Message { url, id: "msg_1".to_owned(), timestamp: 7, signature: "v1,abc".to_owned(), body: b"{}".to_vec() }
}

/// Receiver that answers each request with the next of these texts, and then closes no connection.
struct Receiver {
    port: u16,
    /// Requests, and before them an empty text for each connection.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    async fn start(answers: &'static [&'static str], tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let requests = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                requests.lock().expect("no panic").push(String::new());
                let (requests, tls) = (Arc::clone(&requests), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        Some(tls) => serve(tls.accept(stream).await.expect("TLS"), answers, &requests).await,
                        None => serve(stream, answers, &requests).await,
                    }
                });
            }
        });
        Self { port, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, answers: &[&str], requests: &Mutex<Vec<String>>) {
    let mut buffer = vec![0; 4_096];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        let answer = {
            let mut requests = requests.lock().expect("no panic");
            let number = requests.iter().filter(|text| !text.is_empty()).count();
            requests.push(String::from_utf8_lossy(&buffer[..read]).into_owned());
            answers[number.min(answers.len() - 1)]
        };
        let _ = stream.write_all(answer.as_bytes()).await;
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Names, with the addresses that they lead to.
const NAMES: &[(&str, &[&str])] = &[
    ("localhost", &["127.0.0.1", "::1"]),
    ("inside.example", &["10.0.0.7"]),
    ("metadata.example", &["169.254.169.254"]),
    ("mapped.example", &["::ffff:127.0.0.1"]),
    ("ula.example", &["fd12::1"]),
    ("nat64.example", &["64:ff9b::a9fe:a9fe"]),
    ("sixtofour.example", &["2002:a9fe:a9fe::1"]),
    ("zero.example", &["0.0.0.0"]),
    ("many.example", &["127.0.0.1", "10.0.0.1", "::1"]),
    ("localhost.example", &["127.0.0.1"]),
    ("localhost.", &["127.0.0.1"]),
    ("metadata.example.", &["169.254.169.254"]),
    ("xn--n3h.example", &["127.0.0.1"]),
    ("nothing.example", &[]),
];

#[tokio::test]
async fn no_trick_leads_inside() {
    let receiver = Receiver::start(&[OK], None).await;
    let port = receiver.port;
    let hosts = [
        // Spellings of literal addresses.
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "017700000001",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[100::1]",
        "[::ffff:0:127.0.0.1]",
        "[2a00:1450::5efe:7f00:1]",
        "10.0.0.1",
        "10.1",
        "172.16.0.1",
        "172.31.255.254",
        "192.168.1.1",
        "192.168.257",
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "169.254.170.2",
        "100.100.100.200",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "１２７.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
        // Names that lead to them.
        "localhost",
        "inside.example",
        "metadata.example",
        "mapped.example",
        "ula.example",
        "nat64.example",
        "sixtofour.example",
        "zero.example",
        "many.example",
        "LOCALHOST.example",
        "localhost.",
        "metadata.example.",
        "xn--n3h.example",
        "☃.example",
        // What stands before the host.
        "public.example@127.0.0.1",
        "127.0.0.1:443@10.0.0.1",
        "nothing.example",
        "unknown.example",
    ];
    assert!(hosts.len() >= 60, "{} rows", hosts.len());
    let sender = sender(WebhookReach::ThisMachine, NAMES, RootCertStore::empty());
    for host in hosts {
        let answer = sender.send(&message(&format!("https://{host}:{port}/"))).await;
        let reasons = ["the address is not public", "the name cannot be resolved"];
        assert!(answer.error.is_some_and(|error| reasons.contains(&error)), "{host}: {answer:?}");
    }
    // Without TLS only to this machine, and that only in the local stack.
    for host in ["10.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0", "1.1.1.1", "inside.example", "unknown.example"] {
        let answer = sender.send(&message(&format!("http://{host}:{port}/"))).await;
        assert!(answer.error.is_some(), "{host}: {answer:?}");
    }
    let on_aws = self::sender(WebhookReach::Public, NAMES, RootCertStore::empty());
    let answer = on_aws.send(&message(&format!("http://localhost:{port}/"))).await;
    assert_eq!(answer.error, Some("only https is allowed"));
    assert_eq!(receiver.seen(), [""; 0], "nothing connected");
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_the_second_time_is_resolved_once_for_an_attempt_and_checked_at_each() {
    let receiver = Receiver::start(&[OK], None).await;
    let lookups = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&lookups);
    let resolve: Resolver = Arc::new(move |_, port| {
        let mut lookups = counted.lock().expect("no panic");
        *lookups += 1;
        let address = if *lookups == 1 { [127, 0, 0, 1] } else { [10, 0, 0, 1] };
        std::future::ready(Ok(vec![SocketAddr::from((address, port))])).boxed()
    });
    let clock = Arc::new(SystemClock);
    let sender = HttpSender::with_parts(WebhookReach::ThisMachine, clock, RootCertStore::empty, resolve);
    let message = message(&format!("http://elsewhere.example:{}/", receiver.port));
    let first = sender.send(&message).await;
    assert_eq!((first.status, *lookups.lock().expect("no panic")), (Some(200), 1));
    // Nor does the connection of the first attempt serve again.
    let second = sender.send(&message).await;
    assert_eq!((second.error, *lookups.lock().expect("no panic")), (Some("the address is not public"), 2));
    assert_eq!(receiver.seen().len(), 2, "one connection, one request");
}

#[tokio::test]
async fn a_message_has_the_headers_of_the_standard_and_its_connection_serves_again() {
    let answers = &[OK, "HTTP/1.1 429 Slow\r\nretry-after: 30\r\ncontent-length: 0\r\n\r\n", OK];
    let receiver = Receiver::start(answers, None).await;
    let sender = sender(WebhookReach::ThisMachine, &[("localhost", &["127.0.0.1"])], RootCertStore::empty());
    let message = message(&format!("http://localhost:{}/hook?a=b", receiver.port));
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let answer = sender.send(&message).await;
        statuses.push((answer.status, answer.retry_after.map(|pause| pause.as_secs())));
        // The rest of the answer is read beside the next work.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(statuses, [(Some(200), None), (Some(429), Some(30)), (Some(200), None)]);
    let seen = receiver.seen();
    assert_eq!(seen.iter().filter(|text| text.is_empty()).count(), 1, "one connection");
    let request = seen[1].to_ascii_lowercase();
    assert!(request.starts_with("post /hook?a=b http/1.1\r\n") && request.ends_with("\r\n\r\n{}"), "{request}");
    for header in [
        &format!("host: localhost:{}", receiver.port),
        "user-agent: presence-webhooks/1",
        "content-type: application/json",
        "content-length: 2",
        "webhook-id: msg_1",
        "webhook-timestamp: 7",
        "webhook-signature: v1,abc",
    ] {
        assert!(request.contains(&format!("\r\n{header}\r\n")), "{header}: {request}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed_and_a_large_answer_costs_its_connection() {
    let large: &'static str = format!("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n{}", "a".repeat(99_999)).leak();
    let answers: &'static [&'static str] =
        vec!["HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n", large, OK].leak();
    let receiver = Receiver::start(answers, None).await;
    let sender = sender(WebhookReach::ThisMachine, &[], RootCertStore::empty());
    let message = message(&format!("http://127.0.0.1:{}/", receiver.port));
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(sender.send(&message).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(answers[0].reason().as_deref(), Some("status 302: redirects are not followed"));
    assert_eq!((answers[1].status, answers[2].status), (Some(200), Some(200)));
    let seen = receiver.seen();
    assert_eq!(seen.iter().filter(|text| text.is_empty()).count(), 2, "another one after the large answer");
}

#[tokio::test]
async fn a_secure_connection_goes_to_the_checked_address_and_needs_a_certificate_of_the_name() {
    let key = rcgen::KeyPair::generate().expect("a key");
    let names = vec!["hook.example".to_owned()];
    let certificate = rcgen::CertificateParams::new(names).expect("a name").self_signed(&key).expect("a certificate");
    let certificate: CertificateDer<'static> = certificate.der().clone();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], PrivatePkcs8KeyDer::from(key.serialize_der()).into())
        .expect("a pair");
    let receiver = Receiver::start(&[OK], Some(TlsAcceptor::from(Arc::new(config)))).await;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a root");
    let names: &[(&str, &[&str])] = &[("hook.example", &["127.0.0.1"]), ("other.example", &["127.0.0.1"])];
    let send = async |host: &str, roots, may_connect| {
        let sender = HttpSender { may_connect, ..sender(WebhookReach::Public, names, roots) };
        sender.send(&message(&format!("https://{host}:{}/", receiver.port))).await
    };
    let anywhere: fn(IpAddr, bool) -> bool = |_, _| true;
    assert_eq!(send("hook.example", roots.clone(), may_connect).await.error, Some("the address is not public"));
    assert_eq!(receiver.seen(), [""; 0]);
    assert_eq!(send("hook.example", roots.clone(), anywhere).await.status, Some(200));
    assert_eq!(send("other.example", roots, anywhere).await.error, Some("no secure connection"));
    assert_eq!(send("hook.example", RootCertStore::empty(), anywhere).await.error, Some("no secure connection"));
    assert_eq!(receiver.seen().len(), 4, "three connections, one request");
}

#[tokio::test]
async fn an_answer_that_does_not_come_has_a_reason() {
    let receiver = Receiver::start(&["no HTTP\r\n\r\n"], None).await;
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address").port();
    let sender = sender(WebhookReach::ThisMachine, &[], RootCertStore::empty());
    for (port, reason) in [(receiver.port, "the connection broke off"), (closed, "no connection")] {
        let answer = sender.send(&message(&format!("http://127.0.0.1:{port}/"))).await;
        assert_eq!((answer.status, answer.error), (None, Some(reason)));
    }
}
