//! Example receiver of the documentation: a process that verifies messages, and drops those that it has.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use presence_runtime::clock::{Clock as _, SystemClock};
use presence_tests::logs;
use serde_json::{Value, json};

use super::Hooked;

/// Process that ends with the test, and its output.
struct Receiver {
    process: Child,
    lines: BufReader<ChildStdout>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Receiver {
    fn start(secret: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/docs/receiver.py");
        let mut command = Command::new("python3");
        command.arg(script).arg("0").env("WEBHOOK_SECRET", secret).stdout(Stdio::piped());
        let mut process = command.spawn().expect("python3");
        let lines = BufReader::new(process.stdout.take().expect("its output"));
        Self { process, lines }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_receiver_takes_each_event_once_and_refuses_another_secret() {
    let hooked = Hooked::start("ok").await;
    // The receiver compares the timestamps with the time of this machine.
    let clock = &hooked.stack.clock;
    clock.advance(SystemClock.now().duration_since(clock.now()));
    let mut receiver = Receiver::start(&hooked.secret.expose());
    let mut stranger = Receiver::start("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    let ports = [stranger.next(), receiver.next()].map(|line| line["port"].as_u64().expect("a port"));
    hooked.move_to(&format!("http://127.0.0.1:{}/", ports[0])).await;
    hooked.change(&hooked.reviews[0], 2).await;
    hooked.wait_for_state("failing").await;
    hooked.move_to(&format!("http://127.0.0.1:{}/", ports[1])).await;
    clock.advance(jiff::SignedDuration::from_secs(5));
    let first = [receiver.next(), receiver.next()];
    assert!(first[0]["data"]["version"].as_u64() < first[1]["data"]["version"].as_u64(), "{first:?}");
    hooked.wait_for_state("enabled").await;
    // All of it again: the receiver knows the first two.
    let cursor = hooked.webhook().await["cursor"].as_str().expect("a cursor").to_owned();
    let org = cursor.split('-').next().expect("an organisation").to_owned();
    hooked.post("replay", &json!({ "after": format!("{org}-0") })).await;
    hooked.change(&hooked.reviews[1], 1).await;
    assert_eq!(receiver.next()["data"]["id"], *hooked.reviews[1]);
    assert_eq!(logs::leaks(), Vec::<String>::new());
}
