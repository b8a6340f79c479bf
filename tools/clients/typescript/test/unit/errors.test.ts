import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as errors from "../../src/errors.js";
import { VERSION } from "../../src/version.js";

const of = (status: number, body: unknown, headers = {}) =>
  errors.errorOf(status, new Headers(headers), typeof body === "string" ? body : JSON.stringify(body), 0);

test("each status has its class", () => {
  const kinds: [number, unknown][] = [
    [302, errors.ApiError],
    [400, errors.InvalidRequestError],
    [401, errors.AuthenticationError],
    [403, errors.AuthorizationError],
    [404, errors.NotFoundError],
    [409, errors.ConflictError],
    [413, errors.InvalidRequestError],
    [415, errors.InvalidRequestError],
    [422, errors.InvalidRequestError],
    [429, errors.TooManyRequestsError],
    [431, errors.InvalidRequestError],
    [500, errors.ServiceError],
    [503, errors.ServiceError],
  ];
  for (const [status, kind] of kinds) assert.equal(of(status, {}).constructor, kind, String(status));
});

test("the envelope gives message and fields", () => {
  const choice = { explanation: "is unknown", choices: ["a", "b"] };
  const error = of(400, { errors: { json: { email: "is required", role: choice } } }, { "x-request-id": "r-1" });
  assert.equal(error.message, "400: email is required; role is unknown (a, b) (request r-1)");
  assert.deepEqual(
    { ...error.fields },
    { email: { message: "is required" }, role: { message: "is unknown", choices: ["a", "b"] } },
  );
  assert.equal(error.requestId, "r-1");
  assert.equal(of(401, { errors: { authentication: "no key" } }).message, "401: no key");
  assert.equal(of(403, { errors: { authorization: "no right" } }).message, "403: no right");
  assert.equal(of(404, { errors: { json: "not found" } }).message, "404: not found");
});

test("a body of a gateway or a proxy is no envelope", () => {
  assert.equal(of(503, { message: "Service Unavailable" }).message, "503: Service Unavailable");
  for (const body of ["<html>", "", "null", "[]", { errors: null }, { errors: { json: null } }]) {
    assert.equal(of(503, body).message, "503: no explanation");
  }
  const strange = { errors: { json: { constructor: "is unknown", ["__proto__"]: 7 } } };
  assert.deepEqual(Object.keys(of(400, strange).fields), ["constructor", "__proto__"]);
});

test("Retry-After is seconds or a date", () => {
  assert.equal(errors.retryAfter("7", 0), 7000);
  assert.equal(errors.retryAfter("Thu, 01 Jan 1970 00:00:09 GMT", 2000), 7000);
  assert.equal(errors.retryAfter("Thu, 01 Jan 1970 00:00:01 GMT", 2000), 0);
  assert.equal(errors.retryAfter("soon", 0), undefined);
  assert.equal(errors.retryAfter(null, 0), undefined);
});

test("the version is that of the package", () => {
  assert.equal(VERSION, JSON.parse(readFileSync("package.json", "utf8")).version);
});
