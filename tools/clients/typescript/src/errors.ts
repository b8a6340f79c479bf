/** Error of one field or parameter. */
export interface FieldError {
  /** Text for a developer. */
  message: string;
  /** Allowed values, where there is a fixed set. */
  choices?: string[];
}

/** Base of all errors of this package. None of them holds the API key. */
export class PresenceError extends Error {
  override readonly name: string = "PresenceError";
}

/** No answer: the connection failed or the time was over, in each attempt. */
export class NetworkError extends PresenceError {
  override readonly name = "NetworkError";
  /** Number of requests that were sent. */
  readonly attempts: number;

  constructor(attempts: number, cause: unknown) {
    super(`no answer after ${attempts} attempt(s)`, { cause });
    this.attempts = attempts;
  }
}

/** Contents of an answer that refuses a request. */
export interface Refusal {
  status: number;
  message: string;
  fields: Record<string, FieldError>;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
}

/** Answer that refuses a request: its status is 300 or above. */
export class ApiError extends PresenceError {
  override readonly name: string = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** Errors by the name of the field or parameter. Empty if the request is refused as a whole. */
  readonly fields: Record<string, FieldError>;
  /** Id under which the service logged the request. */
  readonly requestId: string | undefined;
  /** Time after which the service asks to try again, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Refusal) {
    super(`${refusal.status}: ${refusal.message}${refusal.requestId ? ` (request ${refusal.requestId})` : ""}`);
    this.status = refusal.status;
    this.fields = refusal.fields;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** 400, 413, 415, 422, 431: the request is not valid. `fields` names what is wrong. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}

/** 401: the key gives no access. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError";
}

/** 403: the caller may not do this. */
export class AuthorizationError extends ApiError {
  override readonly name = "AuthorizationError";
}

/** 404: the id is unknown, malformed, or of another organisation. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}

/** 409: other changes came first, or the same call is under way. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}

/** 410: the cursor is no longer kept, or was never given. */
export class GoneError extends ApiError {
  override readonly name = "GoneError";

  /** Cursor before the oldest event that is kept: what was before it is lost to this reader. */
  get oldest(): string | undefined {
    return /after the cursor (\S+)/.exec(this.message)?.[1];
  }
}

/** 429: too many requests, or an invitation too soon. `retryAfterMs` says when to try again. */
export class TooManyRequestsError extends ApiError {
  override readonly name = "TooManyRequestsError";
}

/** 5xx: the service or one that it depends on failed. */
export class ServiceError extends ApiError {
  override readonly name = "ServiceError";
}

/** Returns the error for an answer, of the class that fits its status. */
export function errorOf(status: number, headers: Headers, text: string, now: number): ApiError {
  const { message, fields } = readEnvelope(text);
  const requestId = headers.get("x-request-id") ?? headers.get("apigw-requestid") ?? undefined;
  const kind = kindOf(status);
  return new kind({ status, message, fields, requestId, retryAfterMs: retryAfter(headers.get("retry-after"), now) });
}

function kindOf(status: number): typeof ApiError {
  if (status >= 500) return ServiceError;
  const kinds: Record<number, typeof ApiError> = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: AuthorizationError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: TooManyRequestsError,
    431: InvalidRequestError,
  };
  return kinds[status] ?? ApiError;
}

/** Returns the message and the errors of fields of a body. A body of the gateway, or of a proxy, has neither. */
function readEnvelope(text: string): { message: string; fields: Record<string, FieldError> } {
  const errors = member(parse(text), "errors");
  for (const subject of ["authentication", "authorization", "json"]) {
    const found = member(errors, subject);
    if (typeof found === "string") return { message: found, fields: {} };
    if (typeof found === "object" && found !== null) return readFields(found);
  }
  const plain = member(parse(text), "message");
  return { message: typeof plain === "string" ? plain : "no explanation", fields: {} };
}

function readFields(found: object): { message: string; fields: Record<string, FieldError> } {
  const fields: Record<string, FieldError> = Object.create(null);
  for (const [name, problem] of Object.entries(found)) {
    const explanation = typeof problem === "string" ? problem : member(problem, "explanation");
    const choices = member(problem, "choices");
    fields[name] = { message: String(explanation), ...(Array.isArray(choices) ? { choices: choices.map(String) } : {}) };
  }
  const message = Object.entries(fields).map(([name, { message, choices }]) => {
    return `${name} ${message}${choices ? ` (${choices.join(", ")})` : ""}`;
  });
  return { message: message.join("; "), fields };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Returns the milliseconds that a `Retry-After` header asks for: it holds seconds or a date. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
