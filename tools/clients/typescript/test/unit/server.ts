import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { PresenceClient } from "../../src/index.js";

/** Request as the fake server got it. */
export interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Answer of the fake server, `reset` for a connection that breaks, or `silence` for none. */
export type Step = { status: number; headers?: Record<string, string>; body?: unknown } | "reset" | "silence";

/** Runs a test against a server that plays the steps in order, with a client that notes its pauses. */
export async function withServer(
  steps: Step[],
  test: (client: PresenceClient, seen: Seen[], pauses: number[]) => Promise<void>,
  options: { timeoutMs?: number; maxRetries?: number } = {},
): Promise<void> {
  const seen: Seen[] = [];
  const pauses: number[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const step = steps[seen.length] ?? { status: 599 };
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    if (step === "silence") return;
    if (step === "reset") {
      request.socket.destroy();
      return;
    }
    response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
    response.end(typeof step.body === "string" ? step.body : JSON.stringify(step.body ?? {}));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const sleep = async (ms: number) => void pauses.push(ms);
  const retry = { random: () => 0.5, sleep, ...(options.maxRetries === undefined ? {} : { maxRetries: options.maxRetries }) };
  const timeoutMs = options.timeoutMs ?? 30_000;
  const client = new PresenceClient({
    baseUrl: `http://127.0.0.1:${port}/api/v2/`,
    apiKey: KEY,
    retry,
    timeoutMs,
    userAgent: "shop/1.2",
  });
  try {
    await test(client, seen, pauses);
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}

/** Key that no error may hold. */
export const KEY = "pk_SECRETsecretSECRETsecretSECRETsecret1";

/** Answer to create, update and delete. */
export const done: Step = { status: 200, body: { status: "success", id: "7" } };

/** Answer that refuses as a whole. */
export function refused(status: number, headers: Record<string, string> = {}): Step {
  return { status, headers, body: { errors: { json: "not now" } } };
}
