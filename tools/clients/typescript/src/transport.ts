import type { Config } from "./config.js";
import { errorOf, NetworkError } from "./errors.js";
import { isRepeatable, pauseAfter } from "./retry.js";

/** Answer whose body has been read. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Returns a function that sends a request until it is answered or the bounds of repetition are reached. It resolves to an
 * answer of 2xx, and throws `ApiError` or `NetworkError` otherwise. An abort by the caller is thrown as it is.
 */
export function transport(config: Config): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = request.body === null ? null : await request.text();
    const headers = headersOf(request, config);
    const repeatable = isRepeatable({ method: request.method, headers });
    for (let retries = 0; ; retries++) {
      const answer = await attempt(request, headers, body, config);
      if (!(answer instanceof Error) && answer.status >= 200 && answer.status < 300) return responseOf(answer);
      const error =
        answer instanceof Error
          ? new NetworkError(retries + 1, answer)
          : errorOf(answer.status, answer.headers, answer.text, Date.now());
      const failure = error instanceof NetworkError ? { status: undefined, retryAfterMs: undefined } : error;
      const pause = pauseAfter(failure, retries, repeatable, config.retry);
      if (pause === undefined) throw error;
      await config.retry.sleep(pause, request.signal);
    }
  };
}

/** Returns the answer to one attempt, or the reason for there being none. */
async function attempt(request: Request, headers: Headers, body: string | null, config: Config): Promise<Answer | Error> {
  request.signal.throwIfAborted();
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(config.timeoutMs)]);
  try {
    // A redirect would carry the key to another place, so that none is followed.
    const sent = new Request(request.url, { method: request.method, headers, body, signal, redirect: "manual" });
    const response = await config.fetch(sent);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    request.signal.throwIfAborted();
    return error instanceof Error ? error : new Error("the request failed", { cause: error });
  }
}

function headersOf(request: Request, config: Config): Headers {
  const headers = new Headers(request.headers);
  headers.set("x-api-key", config.apiKey);
  headers.set("user-agent", config.userAgent);
  return headers;
}

function responseOf({ status, headers, text }: Answer): Response {
  const described = new Headers(headers);
  // They describe the body as it travelled.
  described.delete("content-encoding");
  described.delete("content-length");
  // An answer of 204 may have no body, not even an empty one.
  return new Response(text || null, { status, headers: described });
}
