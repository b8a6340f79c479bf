export { PresenceClient } from "./client.js";
export type { ClientOptions, RetryOptions } from "./config.js";
export {
  ApiError,
  AuthenticationError,
  AuthorizationError,
  ConflictError,
  type FieldError,
  GoneError,
  InvalidRequestError,
  NetworkError,
  NotFoundError,
  PresenceError,
  ServiceError,
  TooManyRequestsError,
} from "./errors.js";
export type { EventBatch, EventOptions } from "./events.js";
export type { Batch, PullOptions } from "./pull.js";
export type * from "./types.js";
export { type VerifyOptions, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "./verify.js";
