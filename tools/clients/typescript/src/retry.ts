import type { RetryOptions } from "./config.js";

/** Result of one attempt: an answer that refuses, or none at all. */
export interface Failure {
  /** HTTP status; undefined if there was no answer. */
  status: number | undefined;
  /** Time that the service asks to wait for, in milliseconds. */
  retryAfterMs: number | undefined;
}

/** True if sending the request twice has the effect of sending it once. */
export function isRepeatable(request: { method: string; headers: Headers }): boolean {
  return request.method === "GET" || request.method === "HEAD" || request.headers.has("idempotency-key");
}

/**
 * Returns the pause before the next attempt in milliseconds, or undefined if there is none.
 *
 * 429 changes nothing, so that it is always repeated. After 503, or without an answer, a change may have been made: it is
 * repeated only under an idempotency key. 409 with `Retry-After` says that the first attempt is still under way.
 */
export function pauseAfter(
  failure: Failure,
  retries: number,
  repeatable: boolean,
  options: Required<RetryOptions>,
): number | undefined {
  if (retries >= options.maxRetries || !mayRepeat(failure, repeatable)) return undefined;
  const { retryAfterMs } = failure;
  if (retryAfterMs !== undefined && retryAfterMs > options.maxRetryAfterMs) return undefined;
  const bound = Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** retries);
  return (retryAfterMs ?? 0) + options.random() * bound;
}

function mayRepeat({ status, retryAfterMs }: Failure, repeatable: boolean): boolean {
  if (status === 429) return true;
  if (status === 409) return repeatable && retryAfterMs !== undefined;
  return repeatable && (status === undefined || status === 503);
}
