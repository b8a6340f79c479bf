//! Properties that hold for any bytes. `tools/ci/fuzz` builds and runs a fuzz target for each.

mod events;
mod gateway;
mod ledger;
mod memory;
mod stack;
mod values;

pub use self::events::events;
pub use self::gateway::gateway;
pub use self::ledger::{branch, changes, directory, leaf, root};
pub use self::memory::within_memory;
pub use self::values::{rows, values};
