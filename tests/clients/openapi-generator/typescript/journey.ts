// Some calls with the client that openapi-generator makes for fetch.
import assert from "node:assert/strict";
import { CategoriesApi, Configuration, InvalidErrorFromJSON, ResponseError, ReviewsApi, UsersApi } from "./generated/index";
import type { Choice, InvalidError } from "./generated/index";

const env = (name: string): string => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
};

const key = { basePath: env("PRESENCE_URL"), accessToken: env("PRESENCE_ORG_ADMIN") };

// Returns the body of the 400 that a call ends with.
const refusal = async (call: Promise<unknown>): Promise<InvalidError> => {
  const error: unknown = await call.then(() => assert.fail("the call was not refused"), (reason: unknown) => reason);
  assert.ok(error instanceof ResponseError);
  assert.equal(error.response.status, 400);
  return InvalidErrorFromJSON(await error.response.json());
};

const main = async (): Promise<void> => {
  const configuration = new Configuration(key);
  const me = await new UsersApi(configuration).getMe();
  assert.equal(me.role, "ORG_ADMIN");
  const reviews = await new ReviewsApi(configuration).searchReviews({ ratingIn: [1, 2], perPage: 3 });
  assert.ok(reviews.count > 0 && reviews.reviews.every((review) => review.rating <= 2));

  // One error is a text, the other one has choices.
  const categories = new CategoriesApi(configuration);
  const fields = (await refusal(categories.searchCategories({ lang: "ZZ", perPage: 1000 }))).errors.json;
  assert.equal(typeof fields.per_page, "string");
  const choice: Choice = fields.lang;
  assert.ok(choice.explanation.length > 0 && choice.choices.includes("FR"));

  // An error of the request as a whole is a text.
  const other = new Configuration({ ...key, headers: { "x-api-key": "pk_other" } });
  const whole = await refusal(new UsersApi(other).getMe());
  assert.equal(typeof whole.errors.json, "string");
  console.log("TypeScript client of openapi-generator: the journey is done");
};

void main();
