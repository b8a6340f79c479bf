import { VERSION } from "./version.js";

/** Bounds and pauses of repeated requests. All times are in milliseconds. */
export interface RetryOptions {
  /** Greatest number of repetitions of one call; 0 turns them off. Default 4. */
  maxRetries?: number;
  /** Upper bound of the first pause. It doubles with each repetition. Default 500. */
  baseDelayMs?: number;
  /** Upper bound of any pause that the service did not ask for. Default 20,000. */
  maxDelayMs?: number;
  /** Longest `Retry-After` that is waited for. A longer one ends the call with its error. Default 60,000. */
  maxRetryAfterMs?: number;
  /** Source of random numbers in [0, 1). */
  random?: () => number;
  /** Pause of that many milliseconds. It rejects once the signal is aborted. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Settings of a client. */
export interface ClientOptions {
  /** Address of the service, with or without `/api/v2`. Default: the environment variable PRESENCE_URL. */
  baseUrl?: string;
  /** API key. Default: the environment variable PRESENCE_API_KEY. It is sent as a header, never in an address. */
  apiKey?: string;
  /** Longest time of one attempt, with its body. Default 30,000. */
  timeoutMs?: number;
  /** Text before the client's own `user-agent`, such as `shop/1.2`. */
  userAgent?: string;
  /** Repetition of failed requests. */
  retry?: RetryOptions;
  /** Function that sends requests. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Settings with every default filled in. */
export interface Config {
  baseUrl: string;
  apiKey: string;
  timeoutMs: number;
  userAgent: string;
  retry: Required<RetryOptions>;
  fetch: (request: Request) => Promise<Response>;
}

/** Returns the settings with defaults. Throws a TypeError that names one that is missing or wrong. */
export function resolve(options: ClientOptions): Config {
  const baseUrl = options.baseUrl ?? environment("PRESENCE_URL");
  if (!baseUrl) throw new TypeError("baseUrl is missing: pass it, or set PRESENCE_URL");
  const apiKey = options.apiKey ?? environment("PRESENCE_API_KEY");
  if (!apiKey) throw new TypeError("apiKey is missing: pass it, or set PRESENCE_API_KEY");
  // An error about a header would quote the key.
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError("apiKey has a character that no key has, such as a blank or a line break");
  const own = `presence-client-typescript/${VERSION}`;
  return {
    baseUrl: withoutVersion(baseUrl),
    apiKey,
    timeoutMs: options.timeoutMs ?? 30_000,
    userAgent: options.userAgent ? `${options.userAgent} ${own}` : own,
    retry: {
      maxRetries: 4,
      baseDelayMs: 500,
      maxDelayMs: 20_000,
      maxRetryAfterMs: 60_000,
      random: Math.random,
      sleep,
      ...options.retry,
    },
    fetch: options.fetch ?? ((request) => fetch(request)),
  };
}

/** Returns the address of the service without its version: the paths of the description begin with it. */
function withoutVersion(url: string): string {
  const trimmed = url.replace(/\/+$/, "");
  if (!URL.canParse(trimmed)) throw new TypeError("baseUrl is not an address");
  return trimmed.replace(/\/api\/v2$/, "");
}

function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name];
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      done();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
