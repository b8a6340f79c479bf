//! Local stack of a fuzz target. It is replaced after some thousand inputs, which delete and disable what the sample has.

use std::cell::RefCell;
use std::sync::LazyLock;

use presence_local::{Options, Stack};
use tokio::runtime::{Builder, Runtime};

/// Inputs that one stack gets.
const INPUTS: u32 = 5_000;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));

thread_local! {
    static STACK: RefCell<Option<(Stack, u32)>> = const { RefCell::new(None) };
}

/// Runs one input with a stack that has the sample data.
pub(crate) fn with_stack<T>(run: impl AsyncFnOnce(&Stack) -> T) -> T {
    STACK.with_borrow_mut(|running| {
        RUNTIME.block_on(async {
            if let Some((old, _)) = running.take_if(|(_, inputs)| *inputs == INPUTS) {
                old.stop().await;
            }
            if running.is_none() {
                let options = Options { sample: true, ..Options::default() };
                *running = Some((Box::pin(Stack::start(options)).await.expect("a free port"), 0));
            }
            let (stack, inputs) = running.as_mut().expect("just started");
            *inputs += 1;
            run(stack).await
        })
    })
}
