import type { GeneratedClient } from "./client.js";
import { body, call, change } from "./resources.js";
import type * as t from "./types.js";

/** Operations on webhooks. */
export class Webhooks {
  readonly #api: GeneratedClient;

  constructor(api: GeneratedClient) {
    this.#api = api;
  }

  /** Returns the webhooks of an organisation, oldest first. A PROVIDER names it. */
  async list(org_id?: string, options: t.CallOptions = {}): Promise<t.Webhook[]> {
    const params = { query: org_id === undefined ? {} : { org_id } };
    return (await body(this.#api.GET("/api/v2/webhooks", { params, ...call(options) }))).webhooks;
  }

  /** Creates a webhook. Its `secret` is shown this once; it is null if the answer that had it was lost. */
  create(webhook: t.WebhookCreation, options: t.ChangeOptions = {}): Promise<t.WebhookWithSecret> {
    return body(this.#api.POST("/api/v2/webhooks", { body: webhook, ...change(options) }));
  }

  /** Returns a webhook. */
  get(webhook_id: string, options: t.CallOptions = {}): Promise<t.Webhook> {
    return body(this.#api.GET("/api/v2/webhooks/{webhook_id}", { params: { path: { webhook_id } }, ...call(options) }));
  }

  /** Changes the given fields of a webhook. Returns the webhook. */
  update(webhook_id: string, fields: t.WebhookChange, options: t.ChangeOptions = {}): Promise<t.Webhook> {
    const params = { path: { webhook_id } };
    return body(this.#api.POST("/api/v2/webhooks/{webhook_id}", { params, body: fields, ...change(options) }));
  }

  /** Deletes a webhook. Nothing is sent to it any more. */
  async delete(webhook_id: string, options: t.ChangeOptions = {}): Promise<void> {
    const params = { path: { webhook_id } };
    await body(this.#api.DELETE("/api/v2/webhooks/{webhook_id}", { params, ...change(options) }));
  }

  /** Replaces the secret. Both secrets sign for 24 hours. Answers as `create`. */
  rotate(webhook_id: string, options: t.ChangeOptions = {}): Promise<t.WebhookWithSecret> {
    const params = { path: { webhook_id } };
    return body(this.#api.POST("/api/v2/webhooks/{webhook_id}/rotate", { params, ...change(options) }));
  }

  /** Sends an event `webhook.test` once. Returns its delivery. */
  test(webhook_id: string, options: t.ChangeOptions = {}): Promise<t.Delivery> {
    const params = { path: { webhook_id } };
    return body(this.#api.POST("/api/v2/webhooks/{webhook_id}/test", { params, ...change(options) }));
  }

  /** Lets a disabled webhook go on where it stopped. Returns the webhook. */
  enable(webhook_id: string, options: t.ChangeOptions = {}): Promise<t.Webhook> {
    const params = { path: { webhook_id } };
    return body(this.#api.POST("/api/v2/webhooks/{webhook_id}/enable", { params, ...change(options) }));
  }

  /** Sends all events after a cursor again. Returns the webhook. */
  replay(webhook_id: string, after: string, options: t.ChangeOptions = {}): Promise<t.Webhook> {
    const params = { path: { webhook_id } };
    return body(this.#api.POST("/api/v2/webhooks/{webhook_id}/replay", { params, body: { after }, ...change(options) }));
  }

  /** Returns one page of the deliveries of the last 30 days, newest first. */
  listDeliveries(webhook_id: string, query: t.DeliveryFilters = {}, options: t.CallOptions = {}): Promise<t.DeliveryPage> {
    const params = { path: { webhook_id }, query };
    return body(this.#api.GET("/api/v2/webhooks/{webhook_id}/deliveries", { params, ...call(options) }));
  }
}
