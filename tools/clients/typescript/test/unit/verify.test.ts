import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "../../src/index.js";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER = "whsec_HxweHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgE=";
const SECOND = 1_772_366_402;
const BODY = '{"type":"review.updated","timestamp":"2026-03-01T12:00:00.123Z","data":{"id":"Zoé"}}';
const now = SECOND * 1000;

/** Headers of a message as the public package signs it. */
function signed(secret = SECRET, body = BODY) {
  const signature = new Webhook(secret).sign("evt_1", new Date(now), body);
  return { "webhook-id": "evt_1", "webhook-timestamp": String(SECOND), "webhook-signature": signature };
}

test("a message that the public package signs is its event, in whatever form it comes", () => {
  const { "webhook-signature": signature, ...others } = signed();
  const capitals = { "Webhook-Id": "evt_1", "WEBHOOK-TIMESTAMP": String(SECOND), "Webhook-Signature": signature };
  const forms: [WebhookHeaders, string | Uint8Array, string | string[]][] = [
    [signed(), BODY, SECRET],
    [signed(), new TextEncoder().encode(BODY), SECRET.slice("whsec_".length)],
    [new Headers(signed()), BODY, SECRET],
    [capitals, BODY, SECRET],
    [{ ...others, "webhook-signature": [`v1,AAAA v1a,${signature.slice(3)}`, signature] }, BODY, SECRET],
    [signed(), BODY, [OTHER, SECRET]],
  ];
  for (const [headers, body, secret] of forms) {
    const event = verifyWebhook(headers, body, secret, { now });
    assert.deepEqual(event, { id: "evt_1", type: "review.updated", at: "2026-03-01T12:00:00.123Z", data: { id: "Zoé" } });
  }
});

test("a message that was changed, is too old, or has another secret is refused", () => {
  const refused = (headers: WebhookHeaders, body = BODY, at = now) => {
    assert.throws(() => verifyWebhook(headers, body, [SECRET], { now: at }), WebhookVerificationError);
  };
  refused(signed(OTHER));
  refused(signed(), BODY.replace("Zoé", "Zoe"));
  refused({ ...signed(), "webhook-id": "evt_2" });
  refused({ ...signed(), "webhook-timestamp": String(SECOND + 1) });
  for (const timestamp of ["", "soon", "1e9", "-1", " 1772366402"]) refused({ ...signed(), "webhook-timestamp": timestamp });
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) refused({ ...signed(), [name]: undefined });
  refused({ ...signed(), "webhook-signature": signed()["webhook-signature"].replace("v1,", "v1a,") });
  for (const seconds of [-301, 301]) refused(signed(), BODY, now + seconds * 1000);
  for (const seconds of [-300, 300]) verifyWebhook(signed(), BODY, SECRET, { now: now + seconds * 1000 });
  for (const body of ["", "[]", "null", "{}", '{"type":1}']) refused(signed(SECRET, body), body);
});

test("a secret that is none is a mistake of the caller", () => {
  for (const secret of ["", "whsec_", "whsec_é", []]) {
    assert.throws(() => verifyWebhook(signed(), BODY, secret, { now }), TypeError);
  }
});
