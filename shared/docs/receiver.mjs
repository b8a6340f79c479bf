// Example receiver of webhooks: verifies each message, drops those that it has, and prints one line of JSON for each event.
//
//     WEBHOOK_SECRET=whsec_... node receiver.mjs PORT
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const KEY = Buffer.from((process.env.WEBHOOK_SECRET ?? "").replace(/^whsec_/, ""), "base64");
if (KEY.length === 0) throw new Error("WEBHOOK_SECRET is missing");
const TOLERANCE_SECONDS = 300;
// Messages are small. A longer body is none of the service.
const MAX_BYTES = 1 << 20;

// A real receiver keeps this in its database, in the transaction that handles the event.
const seen = new Set();

/** True if the message was signed with the secret within the last minutes. */
function isGenuine(headers, body) {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const code = createHmac("sha256", KEY).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const expected = Buffer.from(`v1,${code}`);
  // After a rotation there are two signatures for a day.
  return signatures.split(" ").some((one) => {
    const signature = Buffer.from(one);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

async function bodyOf(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new RangeError("the body is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  try {
    const body = await bodyOf(request);
    if (request.method !== "POST" || !isGenuine(request.headers, body)) return response.writeHead(401).end();
    const id = request.headers["webhook-id"];
    // Answer within seconds: what takes longer belongs into a queue of yours.
    if (!seen.has(id)) console.log(JSON.stringify({ id, ...JSON.parse(body) }));
    seen.add(id);
    return response.writeHead(204).end();
  } catch {
    // The service sends it again.
    return response.writeHead(400, { connection: "close" }).end();
  }
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
