//! Processes that stand still in the middle of their work.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Poll, ready};
use std::time::Duration;

use fastrand::Rng;
use presence_tests::connectors::{NetworkConnector, NetworkFault};
use tokio::time::{Sleep, sleep};

/// Steps from one pause to the next, on average. A step is a poll of work, or the start or end of a call.
const STEPS: u16 = 1_500;
/// Longest pause of most.
const SHORT: Duration = Duration::from_secs(20);
/// Longest pause of all. Work that must end sooner is over its time limit then.
const LONG: Duration = Duration::from_mins(3);

/// Draws the pauses of all processes, while there are faults. `None` is for a run without pauses.
pub(crate) struct Pauses(Option<Mutex<Rng>>);

impl Pauses {
    /// A third of the seeds have pauses.
    pub(crate) fn of(seed: u64) -> Self {
        Self((seed % 3 == 2).then(|| Mutex::new(Rng::with_seed(seed))))
    }

    /// True if a process may stand still.
    pub(crate) fn happen(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the pause that begins at a step, or none.
    pub(crate) fn draw(&self, network: &NetworkConnector) -> Option<Duration> {
        let mut rng = self.0.as_ref()?.lock().expect("no panic");
        let begins = network.has(NetworkFault::Pause) && rng.u16(..STEPS) == 0;
        let longest = if rng.u8(..4) == 0 { LONG } else { SHORT };
        begins.then(|| longest.mul_f64(rng.f64()))
    }

    /// Does work whose process now and then stands still: no step is made, and all that it waits for goes on.
    pub(crate) async fn interrupt<T>(&self, network: &NetworkConnector, work: impl Future<Output = T>) -> T {
        let (mut work, mut pause) = (Box::pin(work), None::<Pin<Box<Sleep>>>);
        poll_fn(|context| {
            if pause.is_none() {
                pause = self.draw(network).map(|time| Box::pin(sleep(time)));
            }
            if let Some(end) = &mut pause {
                ready!(end.as_mut().poll(context));
                pause = None;
            }
            Poll::Ready(ready!(work.as_mut().poll(context)))
        })
        .await
    }
}
