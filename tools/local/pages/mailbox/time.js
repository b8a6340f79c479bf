// Time in words: "3 minutes ago". The exact time is in the title.

/** Seconds of each unit, from the longest. */
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];
const WORDS = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Returns the time since an instant in words. `now` is in milliseconds. */
export function since(instant, now) {
  const seconds = Math.max(0, (now - Date.parse(instant)) / 1000);
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ["minute", 60];
  return seconds < length ? "just now" : WORDS.format(-Math.floor(seconds / length), unit);
}

/** Returns an element with the time since an instant, and the function that writes it again. */
export function timeIn(instant) {
  const element = document.createElement("time");
  element.dateTime = instant;
  element.title = instant;
  const refresh = () => {
    const words = since(instant, Date.now());
    if (element.textContent !== words) element.textContent = words;
  };
  refresh();
  return { element, refresh };
}
