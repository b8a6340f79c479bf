//! Ctrl-C during an import: what is under way ends, and the counts are printed.

use std::future::{Future, pending};
use std::process;

use tokio::sync::watch;

use crate::Exit;
use crate::import_error::ImportError;

/// Ctrl-C of the operator. Clones wait for the same.
#[derive(Clone)]
pub(super) struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Waits for Ctrl-C from now on. The second one ends the program at once, and so does one after the import.
    pub(super) fn watch() -> Self {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                if *sender.borrow() || sender.send(true).is_err() {
                    process::exit(Exit::Interrupted as i32);
                }
            }
            // Without signals there is no Ctrl-C. A sender that is gone would look like one.
            pending::<()>().await;
        });
        Self(receiver)
    }

    /// Runs the work, or drops it when Ctrl-C is pressed.
    pub(super) async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, ImportError> {
        tokio::select! {
            biased;
            _ = self.0.wait_for(|is_pressed| *is_pressed) => Err(ImportError::Interrupted),
            done = work => Ok(done),
        }
    }
}
