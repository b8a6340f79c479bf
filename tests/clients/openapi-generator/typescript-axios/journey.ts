// Some calls with the client that openapi-generator makes for axios.
import assert from "node:assert/strict";
import { isAxiosError } from "axios";
import { CategoriesApi, Configuration, ReviewsApi, UsersApi } from "./generated/index";
import type { Choice, InvalidError, ReviewsApiGetReviewStatsRequest } from "./generated/index";

const env = (name: string): string => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
};

const key = { basePath: env("PRESENCE_URL"), accessToken: env("PRESENCE_ORG_ADMIN") };

// Returns the body of the 400 that a call ends with.
const refusal = async (call: Promise<unknown>): Promise<InvalidError> => {
  const error: unknown = await call.then(() => assert.fail("the call was not refused"), (reason: unknown) => reason);
  assert.ok(isAxiosError<InvalidError>(error) && error.response);
  assert.equal(error.response.status, 400);
  return error.response.data;
};

const main = async (): Promise<void> => {
  const configuration = new Configuration(key);
  const users = new UsersApi(configuration);
  assert.equal((await users.getMe()).data.role, "ORG_ADMIN");
  const names = { first_name: "Élodie", last_name: "L'Étang" };
  const userCreation = { email: "axios@client.example", status: "invited", send_invitation: false, ...names } as const;
  const { id } = (await users.createUser({ userCreation })).data;
  assert.ok(id);
  const found = (await users.searchUsers({ query: "Élodie" })).data.users;
  assert.deepEqual(found.map((user) => [user.id, user.first_name, user.last_name]), [[id, ...Object.values(names)]]);
  await users.deleteUser({ userId: id });

  const reviews = new ReviewsApi(configuration);
  const lists: ReviewsApiGetReviewStatsRequest = { ratingIn: [1, 2], partnerIn: ["partner_8", "partner_1"], businessCity: "Saint-Étienne" };
  const page = (await reviews.searchReviews({ ...lists, perPage: 3 })).data;
  assert.ok(page.count > 0 && page.reviews.every((review) => review.rating <= 2));
  const { ratings } = (await reviews.getReviewStats(lists)).data;
  assert.deepEqual([ratings["1"] + ratings["2"], ratings["5"]], [page.count, 0]);

  // One error is a text, the other one has choices.
  const fields = (await refusal(new CategoriesApi(configuration).searchCategories({ lang: "ZZ", name: "\u0301" }))).errors.json;
  assert.equal(typeof fields.name, "string");
  const choice: Choice = fields.lang;
  assert.ok(choice.explanation.length > 0 && choice.choices.includes("FR"));

  // An error of the request as a whole is a text.
  const other = new Configuration({ ...key, baseOptions: { headers: { "x-api-key": "pk_other" } } });
  assert.equal(typeof (await refusal(new UsersApi(other).getMe())).errors.json, "string");
  console.log("axios client of openapi-generator: the journey is done");
};

void main();
