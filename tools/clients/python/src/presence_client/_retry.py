"""Rules of repetition."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

TOO_MANY_REQUESTS = 429
CONFLICT = 409
UNAVAILABLE = 503


@dataclass(frozen=True)
class Retry:
    """Bounds and pauses of repeated requests. All times are in seconds."""

    max_retries: int = 4
    """Greatest number of repetitions of one call; 0 turns them off."""
    base_delay: float = 0.5
    """Upper bound of the first pause. It doubles with each repetition."""
    max_delay: float = 20.0
    """Upper bound of any pause that the service did not ask for."""
    max_retry_after: float = 60.0
    """Longest `Retry-After` that is waited for. A longer one ends the call with its error."""
    uniform: Callable[[], float] = random.random
    """Source of random numbers in [0, 1)."""
    sleep: Callable[[float], None] = time.sleep
    """Pause of that many seconds."""

    def pause_after(self, status: int | None, retry_after: float | None, retries: int, *, repeatable: bool) -> float | None:
        """Return the pause before the next attempt in seconds, or None if there is none.

        `status` is None if there was no answer. `repeatable` is True for reads, and for changes under an idempotency key.
        """
        if retries >= self.max_retries or not may_repeat(status, retry_after, repeatable=repeatable):
            return None
        if retry_after is not None and retry_after > self.max_retry_after:
            return None
        bound: float = min(self.max_delay, self.base_delay * 2**retries)
        return (retry_after or 0.0) + self.uniform() * bound


def may_repeat(status: int | None, retry_after: float | None, *, repeatable: bool) -> bool:
    """Return True if sending the request again has no second effect.

    429 changes nothing. After 503, or without an answer, a change may have been made. 409 with `Retry-After` says that the
    first attempt is still under way.
    """
    if status == TOO_MANY_REQUESTS:
        return True
    if status == CONFLICT:
        return repeatable and retry_after is not None
    return repeatable and status in (None, UNAVAILABLE)
