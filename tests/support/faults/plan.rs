//! Which attempts are broken, and how: a pure function of the plan, the attempt's number and what it asks.

use std::time::Duration;

use crate::wire::Call;

/// One way for a call to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// 400 `ProvisionedThroughputExceededException`; not applied.
    Throttle,
    /// 500 `InternalServerError`; not applied. (AWS may also have applied it: that is [`FaultKind::LoseReply`].)
    ServerError,
    /// The connection is refused; not applied.
    RefuseConnection,
    /// Applied at once, answered that much later. Past the read timeout it is none: the client has given up after that.
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
    /// Whether `DynamoDB` itself could break this call that way.
    fn fits(self, call: &Call) -> bool {
        match self {
            Self::TransactionConflict => call.is_transaction() || call.is_single_write(),
            Self::TransactionThrottle => call.is_transaction(),
            Self::TransactionInProgress => call.operation == "TransactWriteItems",
            Self::UnprocessedKeys => call.operation == "BatchGetItem",
            _ => true,
        }
    }
}

/// Which HTTP attempts are broken. The first one since the last reset is number 1; the SDK's own retries count as attempts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Plan {
    /// Everything passes.
    #[default]
    None,
    /// The attempts `call`, `call + 1`, … `call + times - 1`.
    At {
        /// Number of the first broken attempt, from 1.
        call: u64,
        /// How they break.
        kind: FaultKind,
        /// How many attempts break, from that one on; `u64::MAX` for all.
        times: u64,
    },
    /// About `percent` of the attempts, each with one of `kinds`. The same seed and number always give the same fault,
    /// in whatever order concurrent calls arrive at their numbers.
    Seeded {
        /// Names the sequence.
        seed: u64,
        /// 0 to 100.
        percent: u8,
        /// What to choose from; empty breaks nothing.
        kinds: Vec<FaultKind>,
    },
    /// Every attempt.
    EveryAttempt(FaultKind),
    /// Cancels what overlaps, as `DynamoDB` does and the embedded one does not: see [`crate::faults`].
    OverlapConflicts {
        /// How long a finished transaction still holds its items. Zero: only those in flight conflict.
        window: Duration,
    },
}

impl Plan {
    /// The fault of this attempt, if it is to have one.
    pub(super) fn fault(&self, number: u64, call: &Call) -> Option<FaultKind> {
        let kind = match self {
            Self::None | Self::OverlapConflicts { .. } => None,
            Self::At { call, kind, times } => (number >= *call && number - call < *times).then_some(*kind),
            Self::Seeded { seed, percent, kinds } => seeded(*seed, number, *percent, kinds),
            Self::EveryAttempt(kind) => Some(*kind),
        };
        kind.filter(|kind| kind.fits(call))
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
