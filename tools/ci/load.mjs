// Part of tools/ci/load: node load.mjs PROGRAM RATE SECONDS [OPTION…]
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const [program, rate, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const IMPORT = "--import=";
const [imports, options] = [true, false].map(is => process.argv.slice(5).filter(option => option.startsWith(IMPORT) === is));
const rows = Number(imports[0]?.slice(IMPORT.length) ?? 0);
if (!Number.isSafeInteger(rows)) throw new Error(`${imports[0]} is no number of rows`);
// Requests that are due while so many are under way wait for a connection.
const CONNECTIONS = 256;
const TIMEOUT_MS = 30_000;
// Of the requests that were due. The last ones may take a second.
const LEAST_ANSWERED = 0.99;
const LAST_MS = 1000;
// The mean of a minute changes by 8 % in a steady stack beside other work; that of half an hour by 2 %.
const MEMORY_GROWTH = 1.03;
// The emulator keeps the token of each transaction for ten minutes, as DynamoDB does. Memory grows until then.
const GROWING_MINUTES = 11;

const folder = mkdtempSync(`${tmpdir()}/presence-load-`);
const stack = spawn(program, ["--json", "--port", "0", "--log", "json", "--data", folder, ...options], { stdio: ["ignore", "pipe", "pipe"] });
// Errors of the log, such as those of work behind the answers.
const logged = [];
createInterface({ input: stack.stderr }).on("line", line => line.includes('"level":"ERROR"') && logged.push(line));
const [line] = await Promise.race([
  createInterface({ input: stack.stdout })[Symbol.asyncIterator]().next().then(({ value }) => [value]),
  new Promise((_, reject) => stack.on("exit", code => reject(new Error(`the stack ended with ${code}`)))),
]);
const ready = JSON.parse(line);
const base = ready.base_url;
const keys = ready.keys;
const headers = { "x-api-key": keys.ORG_ADMIN };
const json = async path => (await fetch(base + path, { headers })).json();

// What a partner deleted has no other state.
const { reviews } = await json("/reviews?per_page=100&state=treated,not_treated");
const { users } = await json("/user/search?per_page=100&display_business_ids=false");
const [review, user] = [index => reviews[index % reviews.length].id, index => users[index % users.length].id];
// Answers of the first requests that failed.
const refused = [];
// Number of refusals, and of errors of the log, that are shown.
const FIRST_SHOWN = 5;

const read = path => ({ method: "GET", path });
const WORDS = ["martin", "lea", "dupont", "a", "mar"];
const requests = [
  read(() => "/user/me"),
  read(index => `/user/${user(index)}`),
  read(index => `/user/search?query=${WORDS[index % WORDS.length]}`),
  read(() => "/user/stats"),
  read(index => `/category/search?lang=FR&name=${WORDS[index % WORDS.length]}`),
  read(index => `/reviews?page=${(index % 50) + 1}`),
  read(index => `/reviews?rating__in=${(index % 5) + 1}&state=not_treated`),
  read(index => `/reviews?content__isnull=false&page=${(index % 9) + 1}`),
  read(() => "/reviews/stats?group_by=month"),
  read(index => `/reviews/${review(index)}`),
  read(() => "/events?limit=10"),
  read(() => "/user/me"),
  read(index => `/user/search?page=${(index % 2) + 1}`),
  read(index => `/reviews?page=${(index % 50) + 1}`),
  read(index => `/reviews/${review(index)}`),
  read(index => `/user/${user(index)}`),
  read(() => "/reviews/stats"),
  read(() => "/user/search?status=active"),
  read(index => `/reviews?partner__in=${reviews[index % reviews.length].partner}`),
  {
    method: "PUT",
    path: index => `/reviews/${review(index * 7)}`,
    // The other state in each round of the reviews.
    body: index => ({ state: Math.floor(index / reviews.length) % 2 ? "treated" : "not_treated" }),
  },
];

// The stack closes a connection on which nothing comes for 30 seconds.
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: 20_000 });
/** Returns a name of a request: its method and path, and when it was due. */
const nameOf = number => {
  const { method, path } = requests[number % requests.length];
  return `${method} ${path(0).split("?")[0]}, due after ${Math.round(number / rate)} s`;
};
/** Sends a request that was due at an instant. Returns the status, or what failed, and the instant of the last byte. */
const send = (number, due) => new Promise(resolve => {
  const { method, path, body } = requests[number % requests.length];
  const index = Math.floor(number / requests.length);
  const sent = body && JSON.stringify(body(index));
  const outgoing = request(base + path(index), { agent, method, headers: { ...headers, ...(sent && { "content-type": "application/json" }) } });
  const end = outcome => {
    clearTimeout(timer);
    resolve({ outcome, due, ended: performance.now() });
  };
  const timer = setTimeout(() => {
    end("timeout");
    outgoing.destroy();
  }, due + TIMEOUT_MS - performance.now());
  outgoing.on("error", () => end("error"));
  outgoing.on("response", answer => text(answer).then(content => {
    const status = answer.statusCode;
    if (status >= 300 && refused.length < FIRST_SHOWN) refused.push(`${status} to ${nameOf(number)}: ${content.slice(0, 300)}`);
    end(status);
  }).catch(() => end("error")));
  outgoing.end(sent);
});

let stopped = false;
/** Sends requests at the rate, whether those before are answered or not, until it is stopped or the time is over. */
const sendAll = async () => {
  const [sent, started] = [[], performance.now()];
  const end = started + seconds * 1000;
  const due = number => started + number * 1000 / rate;
  let now = started;
  while (now < end && !stopped) {
    while (due(sent.length) <= now) sent.push(send(sent.length, due(sent.length)));
    await sleep(1);
    now = performance.now();
  }
  return { started, ended: Math.min(now, end), results: await Promise.all(sent) };
};

/** Writes rows about new reviews of the sample's businesses. Returns the file. */
const writeRows = () => {
  const [file, businesses] = [`${folder}/rows.jsonl`, [...new Set(reviews.map(one => one.business_id))]];
  const output = openSync(file, "w");
  for (let start = 0; start < rows; start += 1000) {
    const row = (_, at) => {
      const number = start + at;
      const date = new Date(Date.UTC(2020, 0, 1) + (number * 7919 % 1800) * 86_400_000).toISOString();
      const place = { business_id: businesses[number % businesses.length], partner: "partner_8", partner_id: `load-${number}` };
      return JSON.stringify({ ...place, date, rating: number % 5 + 1, state: "not_treated", content: "Très bon accueil. ".repeat(number % 9) });
    };
    writeSync(output, Array.from({ length: Math.min(1000, rows - start) }, row).join("\n") + "\n");
  }
  return file;
};
/** Imports a file. Returns the exit code. */
const importReviews = file => {
  const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: ready.dynamodb_url, AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const ops = spawn(`${dirname(program)}/ops`, ["--json", "import", "reviews", file], { env, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise(resolve => ops.on("exit", resolve));
};
const countReviews = async () => (await json("/reviews?per_page=1")).count;
const before = await countReviews();
// Before the load, because it blocks what sends requests.
const file = writeRows();

const samples = [];
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${stack.pid}/status`, "utf8"))[1]) / 1024;
const sampling = setInterval(() => samples.push(memory()), 1000);
const started = Date.now();
const load = sendAll();
const imported = rows === 0 ? 0 : await importReviews(file);
if (rows > 0) {
  console.log(`the import of ${rows} rows ended with ${imported} after ${Math.round((Date.now() - started) / 1000)} s`);
  stopped = true;
}
const { started: first, ended, results } = await load;
agent.destroy();
clearInterval(sampling);
const lost = imported === 0 ? rows - ((await countReviews()) - before) : rows;
const mean = part => part.reduce((sum, one) => sum + one, 0) / Math.max(part.length, 1);
const minutes = Array.from({ length: Math.floor(samples.length / 60) }, (_, minute) => mean(samples.slice(minute * 60, minute * 60 + 60)));
const steady = minutes.slice(GROWING_MINUTES);
const half = Math.floor(steady.length / 2);
const [earlier, later] = [steady.slice(0, half), steady.slice(steady.length - half)].map(mean);
stack.kill("SIGTERM");
await new Promise(resolve => (stack.exitCode === null ? stack.on("exit", resolve) : resolve()));
rmSync(folder, { recursive: true });

const counts = {};
for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
const { error: errors = 0, timeout: timeouts = 0, ...statusCounts } = counts;
const statuses = Object.entries(statusCounts).map(([status, number]) => `${number} of ${status}`);
const other = results.filter(({ outcome }) => outcome >= 300).length;
const failed = errors + timeouts + other;
const duration = (ended - first) / 1000;
console.log(`${results.length} requests in ${duration.toFixed(2)} s: ${failed} failed (${errors} errors, ${timeouts} timeouts, ${other} of another status); statuses: ${statuses.join(", ")}`);
for (const line of [...refused, ...logged.slice(0, FIRST_SHOWN)]) console.error(line);
if (logged.length > 0) console.error(`the stack logged ${logged.length} errors`);
const times = Float64Array.from(results, result => result.ended - result.due).sort();
const slowest = results.findIndex(({ due, ended }) => ended - due === times.at(-1));
const percentile = percent => Math.round(times[Math.max(Math.ceil(times.length * percent / 100) - 1, 0)]);
console.log(`milliseconds: p50 ${percentile(50)}, p90 ${percentile(90)}, p99 ${percentile(99)}, p99.9 ${percentile(99.9)}, most ${percentile(100)} (${nameOf(slowest)})`);
console.log(`memory, MB in each minute: ${minutes.map(one => one.toFixed(1)).join(", ")}`);
if (lost !== 0) console.error(`${lost} reviews are missing from the count`);
// An import adds reviews to what the caches hold.
const grows = rows === 0 && later > earlier * MEMORY_GROWTH;
if (grows) console.error(`the memory grows from ${earlier.toFixed(1)} to ${later.toFixed(1)} MB`);
const answered = results.filter(result => Number.isInteger(result.outcome) && result.ended <= ended + LAST_MS).length;
const slow = answered < duration * rate * LEAST_ANSWERED;
if (slow) console.error(`only ${answered} of ${Math.floor(duration * rate)} requests were answered at the end`);
process.exit(failed > 0 || slow || grows || lost !== 0 || logged.length > 0 ? 1 : 0);
