import { createHmac, timingSafeEqual } from "node:crypto";
import { PresenceError } from "./errors.js";
import type { Event } from "./types.js";

/** Message that is not genuine, or too old: answer it with 400 or 401, and do not read it. */
export class WebhookVerificationError extends PresenceError {
  override readonly name = "WebhookVerificationError";
}

/** Headers of a request: those of `fetch`, or of Node's `http`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** Settings of a verification. */
export interface VerifyOptions {
  /** Greatest difference between the message's time and now, in seconds. Default 300. */
  tolerance?: number;
  /** The present time, in milliseconds since 1970. Default: the clock of this machine. */
  now?: number;
}

/**
 * Returns the event of a webhook's message. Throws a WebhookVerificationError if no secret signed it within the last minutes.
 *
 * `body` is the body as it came, not JSON that was parsed and written again. While a secret is replaced, pass both. The form is
 * Standard Webhooks 1.0.0.
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Event {
  const keys = (typeof secret === "string" ? [secret] : secret).map(keyOf);
  if (keys.length === 0) throw new TypeError("there is no secret");
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    header(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("a header of the signature is missing");
  const age = /^\d{1,15}$/.test(timestamp) ? Math.floor(now / 1000) - Number(timestamp) : Number.NaN;
  if (!(Math.abs(age) <= tolerance)) throw new WebhookVerificationError("the timestamp is too far from now, or none");
  const expected = keys.map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"));
  const isGenuine = signatures.split(" ").some((one) => expected.some((other) => areEqual(one, `v1,${other}`)));
  if (!isGenuine) throw new WebhookVerificationError("no signature is that of the secret");
  return eventOf(id, typeof body === "string" ? body : new TextDecoder().decode(body));
}

/** Returns the key of a secret, which is base64 after `whsec_`. */
function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  if (key.length === 0 || key.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) {
    throw new TypeError("a secret is whsec_ and base64");
  }
  return key;
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found.join(" ") : found;
}

/** Compares in a time that tells nothing about the place of a difference. */
function areEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the event in the form of the feed: `timestamp` is its `at` there. */
function eventOf(id: string, text: string): Event {
  try {
    const { type, timestamp, data } = JSON.parse(text);
    if (typeof type === "string" && typeof timestamp === "string" && typeof data === "object" && data !== null) {
      return { id, type, at: timestamp, data };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new WebhookVerificationError("the body is no event");
}
