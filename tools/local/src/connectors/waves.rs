//! Count of the round trips of an operation: the calls on the longest chain in which each call waits for the one before.
//!
//! The operation runs on a runtime with paused time. Each call takes [`CALL_TIME`] of that virtual time and nothing else
//! takes any, so the time that passed is the number of round trips.

use std::future::Future;
use std::sync::LazyLock;
use std::time::Duration;

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

use super::{Answer, ConnectorLayer, Next};

/// Virtual time of one call. It is far shorter than every timeout of the service: the shortest is half a second, for noting
/// the use of a key. It is far longer than the pauses before a retry, which are no round trips.
const CALL_TIME: Duration = Duration::from_millis(100);

/// Runtime of the genuine calls, in real time. It has threads of its own, so the connections that it keeps outlive the
/// runtimes with paused time.
static REAL_TIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().expect("a runtime can be started")
});

/// Connector in which each call takes the same virtual time. It works inside [`count_waves`] only.
#[derive(Clone, Copy, Debug, Default)]
pub struct WavesConnector;

impl ConnectorLayer for WavesConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        // The clock of a paused runtime stands still while a blocking task runs, however long the database takes. It would
        // leap to the next timer while a task only waits for a socket.
        let forwarded = tokio::task::spawn_blocking(move || REAL_TIME.block_on(whole_answer(request, next)));
        let answer = forwarded.await.map_err(|error| ConnectorError::other(error.into(), None))?;
        tokio::time::sleep(CALL_TIME).await;
        answer
    }
}

/// Forwards a request and reads its answer to the end, so that no byte is read in virtual time.
async fn whole_answer(request: HttpRequest, next: Next) -> Answer {
    let mut response: HttpResponse = next.call(request).await?;
    let body = ByteStream::new(response.take_body()).collect().await;
    let bytes = body.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
    *response.body_mut() = SdkBody::from(bytes);
    Ok(response)
}

/// Runs a future in virtual time and returns its output with the number of its round trips. Blocks the thread.
///
/// # Panics
/// Panics on a thread that runs the tasks of a runtime. Call it by `spawn_blocking`.
pub fn count_waves<F: Future>(future: F) -> (F::Output, u32) {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime can be started").block_on(async {
        let started = Instant::now();
        let output = future.await;
        let waves = started.elapsed().as_millis() / CALL_TIME.as_millis();
        (output, u32::try_from(waves).unwrap_or(u32::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::Client;
    use aws_smithy_runtime_api::client::http::http_client_fn;
    use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector};

    /// Server that answers after some real time, another one with each call.
    #[derive(Debug)]
    struct Slow;

    impl HttpConnector for Slow {
        fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
            HttpConnectorFuture::new(async {
                tokio::time::sleep(Duration::from_millis(fastrand::u64(..8))).await;
                Ok(HttpResponse::new(200.try_into().expect("a status"), SdkBody::from("{}")))
            })
        }
    }

    fn client() -> Client {
        let slow = http_client_fn(|_, _| SharedHttpConnector::new(Slow));
        let config = crate::sdk_config("http://localhost").into_builder().http_client(WavesConnector.over(slow));
        Client::new(&config.build())
    }

    async fn call(client: &Client) {
        client.list_tables().send().await.expect("an answer");
    }

    async fn chain(client: &Client, calls: usize) {
        for _ in 0..calls {
            call(client).await;
        }
    }

    #[test]
    fn a_chain_of_calls_has_a_wave_for_each() {
        let client = client();
        for calls in [0, 1, 2, 40] {
            let ((), waves) = count_waves(chain(&client, calls));
            assert_eq!(waves, u32::try_from(calls).expect("few"));
        }
    }

    #[test]
    fn calls_side_by_side_are_one_wave_and_chains_side_by_side_their_longest() {
        let client = client();
        let (_, waves) = count_waves(futures::future::join_all((0..30).map(|_| call(&client))));
        assert_eq!(waves, 1);
        let (_, waves) = count_waves(async { futures::join!(chain(&client, 2), chain(&client, 5), async {}) });
        assert_eq!(waves, 5);
    }

    #[test]
    fn nested_joins_add_up() {
        let client = client();
        let ((), waves) = count_waves(async {
            call(&client).await;
            let nested = async {
                futures::join!(call(&client), chain(&client, 2));
                call(&client).await;
            };
            futures::join!(nested, call(&client));
            call(&client).await;
        });
        assert_eq!(waves, 1 + (2 + 1) + 1);
    }

    #[test]
    fn calls_that_wait_for_a_place_in_flight_are_a_wave_later() {
        use futures::{StreamExt as _, stream};
        let client = client();
        let calls = || stream::iter((0..10).map(|_| call(&client)));
        let (_, in_fours) = count_waves(calls().buffered(4).collect::<Vec<_>>());
        // Serialised by mistake, the same calls are seen to take as many round trips.
        let (_, in_ones) = count_waves(calls().buffered(1).collect::<Vec<_>>());
        assert_eq!((in_fours, in_ones), (3, 10));
    }

    #[test]
    fn work_and_short_pauses_between_calls_are_no_waves() {
        let client = client();
        let ((), waves) = count_waves(async {
            call(&client).await;
            tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(150))).await.expect("no panic");
            std::thread::sleep(Duration::from_millis(150));
            tokio::time::sleep(Duration::from_millis(20)).await;
            call(&client).await;
        });
        assert_eq!(waves, 2);
    }

    #[test]
    fn a_call_that_is_given_up_takes_no_time_that_nobody_waits_for() {
        let client = client();
        let ((), waves) = count_waves(async {
            let speculative = chain(&client, 5);
            futures::pin_mut!(speculative);
            futures::future::select(speculative, Box::pin(call(&client))).await;
        });
        assert_eq!(waves, 1);
    }
}
