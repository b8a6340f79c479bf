//! Plan of the faults: a pure function of the attempt's number and its request.

use std::time::Duration;

use crate::wire::Call;

/// Fault of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// 400 `ProvisionedThroughputExceededException`; not applied.
    Throttle,
    /// 500 `InternalServerError`; not applied. (AWS may also have applied it: that is [`FaultKind::LoseReply`].)
    ServerError,
    /// The connection is refused; not applied.
    RefuseConnection,
    /// Applied at once, answered after this time. Not answered if the read timeout is shorter: the client has given up.
    Delay(Duration),
    /// Applied, and the genuine answer loses its second half: its JSON does not parse. An empty answer stays empty.
    CutBody,
    /// Not applied. A transaction is cancelled with one reason `TransactionConflict` and `None` for its other items (the
    /// place moves with the attempt's number); a single write gets `TransactionConflictException`. Other calls pass.
    TransactionConflict,
    /// Not applied. A transaction is cancelled with reasons of throttling: at one item, as `ThrottlingError` or as
    /// `ProvisionedThroughputExceeded`; at every item; or at one item beside a `TransactionConflict` at the next. Which of
    /// them moves with the attempt's number. Other calls pass.
    TransactionThrottle,
    /// 400 `TransactionInProgressException`: an earlier attempt with the same token is under way; not applied. Other calls
    /// pass.
    TransactionInProgress,
    /// A batch read is answered with none of its items, and with all of its keys as `UnprocessedKeys`. Other calls pass.
    UnprocessedKeys,
    /// Applied, its reply awaited, and then the connection is reset before the caller hears of it.
    LoseReply,
    /// Not applied and never answered: ends by the client's own timeout, and only by that.
    Hang,
}

impl FaultKind {
    /// True if `DynamoDB` itself could break this call that way.
    pub(super) fn applies_to(self, call: &Call) -> bool {
        match self {
            Self::TransactionConflict => call.is_transaction() || call.is_single_write(),
            Self::TransactionThrottle => call.is_transaction(),
            Self::TransactionInProgress => call.operation == "TransactWriteItems",
            Self::UnprocessedKeys => call.operation == "BatchGetItem",
            _ => true,
        }
    }
}

/// Choice of the HTTP attempts that are broken. The first one since the last reset is number 1. The SDK's retries count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Plan {
    /// Everything passes.
    #[default]
    None,
    /// Breaks the attempts `call`, `call + 1`, … `call + times - 1`.
    At {
        /// Number of the first broken attempt, from 1.
        call: u64,
        /// Fault of each of them.
        kind: FaultKind,
        /// Number of broken attempts from `call` on; `u64::MAX` for all.
        times: u64,
    },
    /// Breaks about `percent` of the attempts, each with one of `kinds`. The same seed and number always give the same fault,
    /// in whatever order concurrent calls arrive at their numbers.
    Seeded {
        /// Seed of the sequence.
        seed: u64,
        /// Share of broken attempts, 0 to 100.
        percent: u8,
        /// Faults to choose from; an empty list breaks nothing.
        kinds: Vec<FaultKind>,
    },
    /// Breaks every attempt.
    EveryAttempt(FaultKind),
    /// Breaks the attempts `call`, `call + 1`, … `call + times - 1` of one operation.
    Of {
        /// Name of the operation, such as `UpdateItem`.
        operation: &'static str,
        /// Number of the first broken attempt of this operation, from 1.
        call: u64,
        /// Fault of each of them.
        kind: FaultKind,
        /// Number of broken attempts from `call` on; `u64::MAX` for all.
        times: u64,
    },
}

impl Plan {
    /// Returns the fault of this attempt, if the plan has one: the `number`th of all, the `number_of_operation`th of its operation.
    pub(super) fn fault(&self, number: u64, number_of_operation: u64, call: &Call) -> Option<FaultKind> {
        let is_in = |number: u64, first: u64, times: u64| number >= first && number - first < times;
        let kind = match self {
            Self::None => None,
            Self::At { call: first, kind, times } => is_in(number, *first, *times).then_some(*kind),
            Self::Seeded { seed, percent, kinds } => seeded(*seed, number, *percent, kinds),
            Self::EveryAttempt(kind) => Some(*kind),
            Self::Of { operation, call: first, kind, times } => {
                (call.operation == *operation && is_in(number_of_operation, *first, *times)).then_some(*kind)
            }
        };
        kind.filter(|kind| kind.applies_to(call))
    }
}

fn seeded(seed: u64, number: u64, percent: u8, kinds: &[FaultKind]) -> Option<FaultKind> {
    // An odd multiplier spreads neighbouring numbers over all bits, so that one seed's sequence is not the next one's shifted.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut rng = fastrand::Rng::with_seed(seed ^ number.wrapping_mul(SPREAD));
    if rng.u8(0..100) >= percent {
        return None;
    }
    rng.choice(kinds).copied()
}
