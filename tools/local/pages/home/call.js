// A call in each language, and its answer beside it.

import { byId, element } from "/pages/page.js";
import { caller } from "/pages/home/key.js";
import { PACKAGES_AND_CURL } from "/pages/docs/samples.js";
import { codeSamples, sendRequest } from "/pages/request.js";

const { calls } = JSON.parse(byId("data").textContent);
/** Number in the address of an invited user: each call invites another one. */
let invited = Date.now() % 100_000;

/** Returns the request of a call, with the key of the chosen role. */
export function requestOf({ method, path, body }) {
  const headers = { "x-api-key": caller.key };
  if (body === null) return { method, url: caller.base + path, headers };
  return { method, url: caller.base + path, headers: { ...headers, "content-type": "application/json" }, body: body.replace("lea@", `lea-${invited}@`) };
}

/** Call that invites a user. */
export const INVITATION = calls.find(({ method }) => method === "POST");

/** Takes another address for the next invitation. */
export function forgetAddress() {
  invited += 1;
  samples.refresh();
}

const choice = element("select");
choice.append(...calls.map(({ title }) => new Option(title)));
const chosen = () => calls[choice.selectedIndex];
const samples = codeSamples(() => requestOf(chosen()), PACKAGES_AND_CURL);
const answer = element("div", { className: "answer" }, element("p", { className: "quiet", textContent: "Run the call, and its answer is here." }));
answer.setAttribute("aria-live", "polite");
const run = element("button", { type: "button", className: "main", textContent: "Run" });
run.onclick = async () => {
  const { body } = chosen();
  await sendRequest(requestOf(chosen()), answer, run);
  if (body !== null) forgetAddress();
};
choice.onchange = samples.refresh;
caller.onchange(samples.refresh);
samples.refresh();
byId("task").append(element("label", {}, "Task ", choice), run);
byId("code").append(...samples.elements);
byId("call").append(answer);
