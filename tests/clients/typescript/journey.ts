// Some calls with a client whose types are generated from the description of the API. That it compiles proves the description;
// that it runs proves the API.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/api.js";

type User = components["schemas"]["User"];
type UserCreation = components["schemas"]["UserCreation"];
type ReviewFilters = NonNullable<paths["/api/v2/reviews"]["get"]["parameters"]["query"]>;
type StatsQuery = NonNullable<paths["/api/v2/reviews/stats"]["get"]["parameters"]["query"]>;

const env = (name: string): string => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
};

const baseUrl = env("PRESENCE_URL");
const client = createClient<paths>({ baseUrl, headers: { "x-api-key": env("PRESENCE_ORG_ADMIN") } });
const done = <T>(answer: { data?: T; response: Response }): T => {
  assert.equal(answer.response.status, 200);
  assert.ok(answer.data !== undefined);
  return answer.data;
};

const get = (user_id: string) => client.GET("/api/v2/user/{user_id}", { params: { path: { user_id } } });

// Users: me → create → get → update → search → delete.
const me: User = done(await client.GET("/api/v2/user/me"));
assert.equal(me.role, "ORG_ADMIN");
const business = me.business_ids?.[0];
assert.ok(business);

const email = "typescript@client.example";
const names = { email, first_name: "Type", last_name: "Script" };
const body: UserCreation = { ...names, status: "invited", send_invitation: false, business_ids: [business] };
const created = done(await client.POST("/api/v2/user", { body }));
const id = created.id;
assert.ok(id);
const before = done(await get(id));
assert.deepEqual([before.status, before.role, before.org_id, before.phone], ["invited", "BUSINESS_MANAGER", me.org_id, null]);

const path = { user_id: id };
done(await client.POST("/api/v2/user/{user_id}", { params: { path }, body: { last_name: "Skript", phone: "+33 1 00" } }));
const query = { query: "skrpt", display_business_ids: false, per_page: 5 };
const found = done(await client.GET("/api/v2/user/search", { params: { query } }));
assert.deepEqual([found.count, found.users[0]?.id, found.users[0]?.business_ids], [1, id, undefined]);
const stats = done(await client.GET("/api/v2/user/stats"));
assert.equal(stats.count, stats.invited_count + stats.activate_count);
done(await client.POST("/api/v2/user/{user_id}/invite", { params: { path } }));
const again = await client.POST("/api/v2/user/{user_id}/invite", { params: { path } });
assert.equal(again.response.status, 429);
assert.ok(Number(again.response.headers.get("retry-after")) > 0);

// Errors have the described shapes.
const twice = await client.POST("/api/v2/user", { body });
assert.equal(twice.response.status, 400);
assert.ok(twice.error && "errors" in twice.error && "json" in twice.error.errors); // 431 is of the gateway, and has another form.
assert.deepEqual(twice.error.errors.json, { email: `${email} already exists in db` });

done(await client.DELETE("/api/v2/user/{user_id}", { params: { path } }));
const gone = await get(id);
assert.equal(gone.response.status, 404);
assert.deepEqual(gone.error, { errors: { json: "not found" } });

// Categories.
const categories = done(await client.GET("/api/v2/category/search", { params: { query: { lang: "FR", name: "boulangerie" } } }));
const categoryId = categories.categories[0]?.id;
assert.ok(categoryId);
const category = done(await client.GET("/api/v2/category/{categoryId}", { params: { path: { categoryId }, query: { lang: "GB" } } }));
assert.equal(category.name, "Bakery");
assert.ok(category.partners.partner_4.every(({ id, name }) => id && name));

// Reviews, with filters and lists.
const filters: ReviewFilters = { rating__in: [1, 2], partner__in: ["partner_8", "partner_1"], business__in: [business], per_page: 3 };
const reviews = done(await client.GET("/api/v2/reviews", { params: { query: filters } }));
assert.ok(reviews.count > 0 && reviews.reviews.length <= 3);
assert.ok(reviews.reviews.every((review) => review.rating <= 2 && review.business_id === business));
const first = reviews.reviews[0];
assert.ok(first);
const review = done(await client.GET("/api/v2/reviews/{review_id}", { params: { path: { review_id: first.id } } }));
assert.deepEqual(review, first);
const counted: StatsQuery = { rating__in: [1, 2], partner__in: ["partner_8", "partner_1"], business__in: [business], group_by: "month" };
const statistics = done(await client.GET("/api/v2/reviews/stats", { params: { query: counted } }));
assert.equal(statistics.count, reviews.count);
assert.equal(statistics.groups?.reduce((sum, group) => sum + group.count, 0), statistics.count);
const shops = done(await client.GET("/api/v2/business/search", { params: { query: { query: "maison", per_page: 100 } } }));
assert.ok(shops.businesses.some((shop) => shop.id === business));
// @ts-expect-error A mistyped filter does not compile, and the API refuses it.
const mistyped = await client.GET("/api/v2/reviews", { params: { query: { raiting: 1 } } });
assert.equal(mistyped.response.status, 400);

// Without a key.
const nobody = createClient<paths>({ baseUrl });
const refused = await nobody.GET("/api/v2/user/me");
assert.equal(refused.response.status, 401);
console.log("TypeScript client: the journey is done");
