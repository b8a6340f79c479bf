// Minimal function on Node.js: AWS SDK v3, one GetItem. The loop does only the work of the managed runtime.
import { request } from "node:http";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({});
const handler = async () => {
  const key = { key_hash: { S: "-" } };
  const { Item } = await client.send(new GetItemCommand({ TableName: "presence-api-keys", Key: key }));
  return { statusCode: 200, body: JSON.stringify(Item ?? null) };
};

const call = (method, path, body) =>
  new Promise((resolve, reject) => {
    const sent = request(`http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`, { method }, (got) => {
      const chunks = [];
      got.on("data", (chunk) => chunks.push(chunk));
      got.on("end", () => resolve({ id: got.headers["lambda-runtime-aws-request-id"], text: Buffer.concat(chunks) }));
    });
    sent.on("error", reject);
    sent.end(body);
  });

for (;;) {
  const { id, text } = await call("GET", "invocation/next");
  await call("POST", `invocation/${id}/response`, JSON.stringify(await handler(JSON.parse(text))));
}
