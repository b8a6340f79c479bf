// Pages that a browser can open, by their names: those of the local stack, and those of an invitation.

/** Returns each page with its path. Lighthouse leaves out the audits of `skipped`. */
export async function pagesOf(stack) {
  const { email } = await stack.invite("en");
  const link = new URL((await stack.mail(email)).links[0]);
  // An invitation is for one reader: no search engine may list it, and its policy forbids the audit's own look at robots.txt.
  const skipped = ["is-crawlable", "robots-txt"];
  return [
    { name: "home", path: "/" },
    { name: "docs", path: "/docs" },
    { name: "requests", path: "/requests" },
    { name: "tables", path: "/tables?table=users&partition=1003" },
    { name: "mailbox", path: "/mailbox" },
    { name: "events", path: "/events" },
    { name: "webhooks", path: "/webhooks" },
    { name: "reviews", path: "/reviews" },
    { name: "stats", path: "/stats" },
    { name: "guide", path: "/guide/mistakes" },
    { name: "invitation", path: link.pathname + link.search, skipped },
    { name: "closed invitation", path: "/invitation?user=1&token=unknown", skipped: [...skipped, "http-status-code", "errors-in-console"] },
  ];
}
