import createFetchClient from "openapi-fetch";
import { type ClientOptions, type Config, resolve } from "./config.js";
import { type EventBatch, type EventOptions, follow } from "./events.js";
import type { paths } from "./generated/api.js";
import { Businesses, body, Categories, call, Reviews, Users } from "./resources.js";
import { transport } from "./transport.js";
import type { CallOptions } from "./types.js";
import { Webhooks } from "./webhooks.js";

/** Returns the functions generated from the description, with repetition and typed errors. */
function generated(config: Config) {
  return createFetchClient<paths>({
    baseUrl: config.baseUrl,
    fetch: transport(config),
    querySerializer: { array: { style: "form", explode: false } },
  });
}

/** Generated client below the thin layer. */
export type GeneratedClient = ReturnType<typeof generated>;

/** Client of the presence API. It may be shared by any number of calls at once. */
export class PresenceClient {
  /** Users, their invitations and keys. */
  readonly users: Users;
  /** Directory of categories. */
  readonly categories: Categories;
  /** Businesses. */
  readonly businesses: Businesses;
  /** Reviews, their replies and statistics, and pulls. */
  readonly reviews: Reviews;
  /** Webhooks, and their deliveries. */
  readonly webhooks: Webhooks;
  readonly #api: GeneratedClient;
  readonly #config: Config;

  constructor(options: ClientOptions = {}) {
    const config = resolve(options);
    const api = generated(config);
    this.#api = api;
    this.#config = config;
    this.users = new Users(api);
    this.categories = new Categories(api);
    this.businesses = new Businesses(api);
    this.reviews = new Reviews(api);
    this.webhooks = new Webhooks(api);
  }

  /**
   * Yields the events of an organisation after a cursor, oldest first, and goes on with those that come. Without a cursor: from the
   * oldest that is kept; with `now`: those that come. A PROVIDER names `org_id`. Throws a GoneError if the cursor is no longer kept.
   */
  events(after?: string, options: EventOptions = {}, calls: CallOptions = {}): AsyncGenerator<EventBatch, void> {
    return follow(
      (query) => body(this.#api.GET("/api/v2/events", { params: { query }, ...call(calls) })),
      (ms) => this.#config.retry.sleep(ms, calls.signal),
      after,
      options,
    );
  }
}
