import type { GeneratedClient } from "./client.js";
import { PresenceError } from "./errors.js";
import { MAX_PER_PAGE, type PageInfo, results, walk } from "./pages.js";
import { type Batch, type PullOptions, pull } from "./pull.js";
import type * as t from "./types.js";

type WithoutPage<F> = Omit<F, "page">;

/** Returns the body of an answer. The transport throws for all answers but 2xx. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer.catch((error: unknown) => {
    throw error instanceof SyntaxError ? new PresenceError("the answer is no JSON", { cause: error }) : error;
  });
  if (typeof data !== "object" || data === null) throw new PresenceError("the answer is no JSON object");
  return data;
}

/** Part of a request that the options of a call decide. */
type Sent = { signal?: AbortSignal; headers: Record<string, string> };

/** Returns the part of a request that the options of a call decide. */
export function call({ signal, clientRequestId }: t.CallOptions): Sent {
  return {
    ...(signal ? { signal } : {}),
    headers: clientRequestId === undefined ? {} : { "x-client-request-id": clientRequestId },
  };
}

/** Adds the idempotency key, which all attempts of the call share. */
export function change(options: t.ChangeOptions): Sent {
  const sent = call(options);
  const { idempotencyKey = crypto.randomUUID() } = options;
  return idempotencyKey === false ? sent : { ...sent, headers: { ...sent.headers, "idempotency-key": idempotencyKey } };
}

/** Yields the results of all pages of a search, once each. */
function all<F extends { per_page?: number }, P extends PageInfo, T extends { id: string }>(
  search: (filters: F & { page: number; per_page: number }) => Promise<P>,
  filters: F,
  items: (page: P) => T[],
): AsyncGenerator<T, void> {
  const per_page = filters.per_page ?? MAX_PER_PAGE;
  return results(
    walk((page) => search({ ...filters, page, per_page }), per_page),
    items,
  );
}

/** Operations on users and their keys. */
export class Users {
  readonly #api: GeneratedClient;

  constructor(api: GeneratedClient) {
    this.#api = api;
  }

  /** Returns the user who owns the key. */
  me(options: t.CallOptions = {}): Promise<t.User> {
    return body(this.#api.GET("/api/v2/user/me", call(options)));
  }

  /** Returns a user. */
  get(user_id: string, options: t.CallOptions = {}): Promise<t.User> {
    return body(this.#api.GET("/api/v2/user/{user_id}", { params: { path: { user_id } }, ...call(options) }));
  }

  /** Returns one page of a search. */
  search(query: t.UserFilters = {}, options: t.CallOptions = {}): Promise<t.UserPage> {
    return body(this.#api.GET("/api/v2/user/search", { params: { query }, ...call(options) }));
  }

  /** Yields each user that a search finds. */
  iterate(filters: WithoutPage<t.UserFilters> = {}, options: t.CallOptions = {}): AsyncGenerator<t.FoundUser, void> {
    return all(
      (query) => this.search(query, options),
      filters,
      (page) => page.users,
    );
  }

  /** Returns the numbers of users. */
  stats(options: t.CallOptions = {}): Promise<t.UserStats> {
    return body(this.#api.GET("/api/v2/user/stats", call(options)));
  }

  /** Creates a user. Returns its id. */
  async create(user: t.UserCreation, options: t.ChangeOptions = {}): Promise<string> {
    const { id } = await body(this.#api.POST("/api/v2/user", { body: user, ...change(options) }));
    if (id === undefined) throw new PresenceError("the answer has no id");
    return id;
  }

  /** Changes the given fields of a user. */
  async update(user_id: string, fields: t.UserChange, options: t.ChangeOptions = {}): Promise<void> {
    const params = { path: { user_id } };
    await body(this.#api.POST("/api/v2/user/{user_id}", { params, body: fields, ...change(options) }));
  }

  /** Deletes a user for good. */
  async delete(user_id: string, options: t.ChangeOptions = {}): Promise<void> {
    await body(this.#api.DELETE("/api/v2/user/{user_id}", { params: { path: { user_id } }, ...change(options) }));
  }

  /** Sends a new invitation to an invited user, at most once in 5 minutes. */
  async invite(user_id: string, options: t.ChangeOptions = {}): Promise<void> {
    await body(this.#api.POST("/api/v2/user/{user_id}/invite", { params: { path: { user_id } }, ...change(options) }));
  }

  /** Returns the keys of a user, newest first: live ones, and those that ended in the last 90 days. */
  async listKeys(user_id: string, options: t.CallOptions = {}): Promise<t.Key[]> {
    const params = { path: { user_id } };
    return (await body(this.#api.GET("/api/v2/user/{user_id}/keys", { params, ...call(options) }))).keys;
  }

  /** Creates a key for a user. Its `key` is shown this once; it is null if the answer that had it was lost. */
  createKey(user_id: string, key: t.KeyCreation, options: t.ChangeOptions = {}): Promise<t.IssuedKey> {
    const params = { path: { user_id } };
    return body(this.#api.POST("/api/v2/user/{user_id}/keys", { params, body: key, ...change(options) }));
  }

  /** Replaces a key. The old one gives access for a day more, or for `overlap_seconds`. Answers as `createKey`. */
  rotateKey(
    user_id: string,
    key_id: string,
    rotation: t.KeyRotation = {},
    options: t.ChangeOptions = {},
  ): Promise<t.IssuedKey> {
    const params = { path: { user_id, key_id } };
    return body(this.#api.POST("/api/v2/user/{user_id}/keys/{key_id}/rotate", { params, body: rotation, ...change(options) }));
  }

  /** Ends a key at once. The key that asks may end itself. */
  async revokeKey(user_id: string, key_id: string, options: t.ChangeOptions = {}): Promise<void> {
    const params = { path: { user_id, key_id } };
    await body(this.#api.DELETE("/api/v2/user/{user_id}/keys/{key_id}", { params, ...change(options) }));
  }
}

/** Operations on categories. */
export class Categories {
  readonly #api: GeneratedClient;

  constructor(api: GeneratedClient) {
    this.#api = api;
  }

  /** Returns a category, with its name in a language. */
  get(categoryId: string, lang: string, options: t.CallOptions = {}): Promise<t.Category> {
    const params = { path: { categoryId }, query: { lang } };
    return body(this.#api.GET("/api/v2/category/{categoryId}", { params, ...call(options) }));
  }

  /** Returns one page of a search. */
  search(query: t.CategoryFilters, options: t.CallOptions = {}): Promise<t.CategoryPage> {
    return body(this.#api.GET("/api/v2/category/search", { params: { query }, ...call(options) }));
  }

  /** Yields each category that a search finds. */
  iterate(filters: WithoutPage<t.CategoryFilters>, options: t.CallOptions = {}): AsyncGenerator<t.Category, void> {
    return all(
      (query) => this.search(query, options),
      filters,
      (page) => page.categories,
    );
  }
}

/** Operations on businesses. */
export class Businesses {
  readonly #api: GeneratedClient;

  constructor(api: GeneratedClient) {
    this.#api = api;
  }

  /** Returns one page of a search. */
  search(query: t.BusinessFilters = {}, options: t.CallOptions = {}): Promise<t.BusinessPage> {
    return body(this.#api.GET("/api/v2/business/search", { params: { query }, ...call(options) }));
  }

  /** Yields each business that a search finds. */
  iterate(filters: WithoutPage<t.BusinessFilters> = {}, options: t.CallOptions = {}): AsyncGenerator<t.Business, void> {
    return all(
      (query) => this.search(query, options),
      filters,
      (page) => page.businesses,
    );
  }
}

/** Operations on reviews and replies. */
export class Reviews {
  readonly #api: GeneratedClient;

  constructor(api: GeneratedClient) {
    this.#api = api;
  }

  /** Returns a review. */
  get(review_id: string, options: t.CallOptions = {}): Promise<t.Review> {
    return body(this.#api.GET("/api/v2/reviews/{review_id}", { params: { path: { review_id } }, ...call(options) }));
  }

  /** Returns one page of a search. */
  search(query: t.ReviewFilters = {}, options: t.CallOptions = {}): Promise<t.ReviewPage> {
    return body(this.#api.GET("/api/v2/reviews", { params: { query }, ...call(options) }));
  }

  /** Yields each review that a search finds. */
  iterate(filters: WithoutPage<t.ReviewFilters> = {}, options: t.CallOptions = {}): AsyncGenerator<t.Review, void> {
    return all(
      (query) => this.search(query, options),
      filters,
      (page) => page.reviews,
    );
  }

  /** Returns statistics of the reviews that a search finds. */
  stats(query: t.StatsFilters = {}, options: t.CallOptions = {}): Promise<t.ReviewStats> {
    return body(this.#api.GET("/api/v2/reviews/stats", { params: { query }, ...call(options) }));
  }

  /** Sets the state of a review. Returns the review. */
  setState(review_id: string, state: t.ReviewState, options: t.ChangeOptions = {}): Promise<t.Review> {
    const params = { path: { review_id } };
    return body(this.#api.PUT("/api/v2/reviews/{review_id}", { params, body: { state }, ...change(options) }));
  }

  /** Returns the reply to a review. Throws a NotFoundError if there is none. */
  getReply(review_id: string, options: t.CallOptions = {}): Promise<t.Reply> {
    return body(this.#api.GET("/api/v2/reviews/{review_id}/reply", { params: { path: { review_id } }, ...call(options) }));
  }

  /** Replies to a review, or replaces the reply. It is `pending` until the partner's outcome. The review is `treated`. */
  putReply(review_id: string, content: string, options: t.ChangeOptions = {}): Promise<t.Reply> {
    const params = { path: { review_id } };
    return body(this.#api.PUT("/api/v2/reviews/{review_id}/reply", { params, body: { content }, ...change(options) }));
  }

  /** Takes the reply to a review back. It is `removing` until the partner has removed what it has. */
  async deleteReply(review_id: string, options: t.ChangeOptions = {}): Promise<void> {
    const params = { path: { review_id } };
    await body(this.#api.DELETE("/api/v2/reviews/{review_id}/reply", { params, ...change(options) }));
  }

  /** Reports the outcome of a reply, with a PROVIDER's key. Returns the reply, or undefined if there is none any more. */
  async reportReplyOutcome(
    review_id: string,
    report: t.OutcomeReport,
    options: t.ChangeOptions = {},
  ): Promise<t.Reply | undefined> {
    const params = { path: { review_id } };
    const sent = { params, body: report, ...change(options) };
    const answer = await body(this.#api.POST("/api/v2/reviews/{review_id}/reply/outcome", sent));
    return "review_id" in answer ? answer : undefined;
  }

  /** Yields the reviews that changed at or after the cursor, in batches. Without a cursor: all reviews. */
  pull(cursor?: string, options: PullOptions = {}, calls: t.CallOptions = {}): AsyncGenerator<Batch, void> {
    return pull((filters) => this.search(filters, calls), cursor, options);
  }
}
