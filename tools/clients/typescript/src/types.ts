import type { components, operations } from "./generated/api.js";

type Schemas = components["schemas"];
type QueryOf<O extends keyof operations> = NonNullable<operations[O]["parameters"]["query"]>;

/** User as get and me return it. */
export type User = Schemas["User"];
/** User as the search returns it. */
export type FoundUser = Schemas["FoundUser"];
/** User to create. */
export type UserCreation = Omit<Schemas["UserCreation"], "api_key">;
/** Fields of a user to change. */
export type UserChange = Omit<Schemas["UserChange"], "api_key">;
/** Numbers of users. */
export type UserStats = Schemas["UserStats"];
/** One page of users. */
export type UserPage = Schemas["UserPage"];
/** Key of a user, without the key itself. */
export type Key = Schemas["Key"];
/** Key to create. */
export type KeyCreation = Omit<Schemas["KeyCreation"], "api_key">;
/** Overlap of a rotation. */
export type KeyRotation = Omit<Schemas["KeyRotation"], "api_key">;
/** Key that was just issued, with the key itself. */
export type IssuedKey = Schemas["IssuedKey"];
/** Category with its ids at partners. */
export type Category = Schemas["Category"];
/** One page of categories. */
export type CategoryPage = Schemas["CategoryPage"];
/** Business as the search returns it. */
export type Business = Schemas["Business"];
/** One page of businesses. */
export type BusinessPage = Schemas["BusinessPage"];
/** Review of a business. */
export type Review = Schemas["Review"];
/** State that a review may be set to. */
export type ReviewState = Schemas["ReviewChange"]["state"];
/** Reply to a review. */
export type Reply = Schemas["Reply"];
/** Outcome of a reply, as a connector reports it. */
export type OutcomeReport = Omit<Schemas["OutcomeReport"], "api_key">;
/** One page of reviews. */
export type ReviewPage = Schemas["ReviewPage"];
/** Statistics of reviews. */
export type ReviewStats = Schemas["ReviewStats"];

/** Event: a change in an organisation. The type says which members its data has. */
export type Event = Schemas["Event"];
/** Ids of what changed, names of fields, and the version. */
export type EventData = Schemas["EventData"];
/** One page of the feed of events. */
export type EventPage = Schemas["EventPage"];
/** Webhook of an organisation. */
export type Webhook = Schemas["Webhook"];
/** Webhook with its secret, which is shown this once. */
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
/** Webhook to create. */
export type WebhookCreation = Omit<Schemas["WebhookCreation"], "api_key">;
/** Fields of a webhook to change. */
export type WebhookChange = Omit<Schemas["WebhookChange"], "api_key">;
/** Delivery of an event to a webhook, with its attempts. */
export type Delivery = Schemas["Delivery"];
/** One page of deliveries. */
export type DeliveryPage = Schemas["DeliveryPage"];

/** Parameters of the feed of events. */
export type EventFilters = Omit<QueryOf<"list_events">, "after" | "limit">;
/** Parameters of the list of deliveries. */
export type DeliveryFilters = QueryOf<"list_deliveries">;
/** Parameters of the search of users. */
export type UserFilters = QueryOf<"search_users">;
/** Parameters of the search of categories. `lang` is required. */
export type CategoryFilters = QueryOf<"search_categories">;
/** Parameters of the search of businesses. */
export type BusinessFilters = QueryOf<"search_businesses">;
/** Parameters of the search of reviews. */
export type ReviewFilters = QueryOf<"search_reviews">;
/** Parameters of the statistics of reviews. */
export type StatsFilters = QueryOf<"get_review_stats">;

/** Options of one call. */
export interface CallOptions {
  /** Signal that ends the call, pauses included. */
  signal?: AbortSignal;
  /** Id under which the service logs the call, too: 1 to 128 letters, digits, or `-_.:`. */
  clientRequestId?: string;
}

/** Options of a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * Key under which the service makes the change once in 24 hours. Default: a new one for each call.
   * With `false` none is sent, and the call is not repeated where it may have been made.
   */
  idempotencyKey?: string | false;
}
