// One mail: what it looks like on a phone and at a desk, its text, its source and its headers.

import { copyButton, element } from "/pages/page.js";
import { timeIn } from "/pages/mailbox/time.js";

/** Widths of the preview. The choice is kept from one mail to the next. */
const WIDTHS = ["phone", "desk"];
let width = matchMedia("(max-width: 40rem)").matches ? "phone" : "desk", chosenTab = "HTML";

/** Shows a mail in the article. `remove` deletes it. */
export function showMail(article, mail, remove) {
  const panel = element("div", { id: "mail-panel", tabIndex: 0 });
  panel.setAttribute("role", "tabpanel");
  const forms = { HTML: () => preview(mail), Text: () => preformatted(mail.text), Source: () => source(mail.html), Headers: () => headers(mail) };
  const facts = element("p", { className: "facts" }, `from ${mail.from} to ${mail.to}, `, timeIn(mail.sent_at).element);
  const link = mail.links.find(link => link.includes("/invitation?"));
  const deleting = element("button", { type: "button", className: "delete", textContent: "Delete" });
  deleting.onclick = remove;
  const bar = element("div", { className: "bar" }, ...link ? [invitation(link)] : [], deleting);
  article.replaceChildren(element("h3", { textContent: mail.subject }), facts, bar, tabs(forms, panel), panel);
}

function invitation(href) {
  return element("a", { className: "button main", href, target: "_blank", rel: "noopener noreferrer", textContent: "Open invitation" });
}

/** Returns the tabs, and shows the chosen one in the panel. */
function tabs(forms, panel) {
  const bar = element("div", { className: "tabs" });
  bar.setAttribute("role", "tablist");
  bar.ariaLabel = "Form of the mail";
  const choose = name => {
    chosenTab = name;
    for (const tab of bar.children) {
      tab.ariaSelected = tab.textContent === name;
      tab.tabIndex = tab.textContent === name ? 0 : -1;
    }
    panel.ariaLabel = name;
    panel.replaceChildren(...forms[name]());
  };
  const names = Object.keys(forms);
  for (const name of names) {
    const tab = element("button", { type: "button", textContent: name });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    tab.onclick = () => choose(name);
    bar.append(tab);
  }
  bar.onkeydown = ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    choose(names.at((names.indexOf(chosenTab) + step) % names.length));
    bar.querySelector("[aria-selected=true]").focus();
  };
  choose(chosenTab);
  return bar;
}

/** Returns the mail in a frame, and the buttons of its width. The frame runs no script. */
function preview(mail) {
  const frame = element("iframe", { sandbox: "", src: `/mailbox/mails/${mail.id}/html`, title: mail.subject });
  // On a phone, the keyboard scrolls to the right half of a desk.
  const box = element("div", { tabIndex: 0 }, frame);
  box.setAttribute("role", "group");
  box.ariaLabel = "Preview";
  const bar = element("div", { className: "bar" }, element("span", { className: "quiet", textContent: "Width" }));
  const buttons = WIDTHS.map(name => element("button", { type: "button", textContent: name }));
  const choose = name => {
    width = name;
    box.className = `preview ${name}`;
    for (const button of buttons) button.ariaPressed = button.textContent === name;
  };
  for (const button of buttons) button.onclick = () => choose(button.textContent);
  choose(width);
  bar.append(...buttons);
  return [bar, box];
}

function preformatted(text) {
  return [element("pre", { textContent: text })];
}

function source(html) {
  return [element("div", { className: "bar" }, copyButton("the source", () => html)), ...preformatted(html)];
}

function headers(mail) {
  const rows = mail.headers.map(([name, value]) => {
    const title = element("th", { textContent: name });
    title.scope = "row";
    return element("tr", {}, title, element("td", { textContent: value }));
  });
  return [element("table", {}, element("tbody", {}, ...rows))];
}
