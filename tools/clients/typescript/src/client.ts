import createFetchClient from "openapi-fetch";
import { type ClientOptions, resolve } from "./config.js";
import type { paths } from "./generated/api.js";
import { Businesses, Categories, Reviews, Users } from "./resources.js";
import { transport } from "./transport.js";

/** Returns the functions generated from the description, with repetition and typed errors. */
function generated(options: ClientOptions) {
  const config = resolve(options);
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

  constructor(options: ClientOptions = {}) {
    const api = generated(options);
    this.users = new Users(api);
    this.categories = new Categories(api);
    this.businesses = new Businesses(api);
    this.reviews = new Reviews(api);
  }
}
