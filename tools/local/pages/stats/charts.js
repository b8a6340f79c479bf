// Charts as SVG. They are as wide as their box, so that texts keep their size on every screen.

const SVG = "http://www.w3.org/2000/svg";
/** Heights in pixels of a bar with its gap, and of the chart of months. */
const BAR = 34;
const MONTHS = 240;
/** Room in pixels for the numbers beside the chart of months. */
const LEFT = 48;
const RIGHT = 30;
const BOTTOM = 26;
const TOP = 12;

/** Returns an SVG element with attributes and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const text = (x, y, content, anchor = "start") => element("text", { x, y, "text-anchor": anchor, "aria-hidden": "true" }, content);

/** Returns a picture with a description for screen readers. */
function picture(width, height, description, ...children) {
  return element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description }, ...children);
}

/** Draws a bar for each number of stars. */
export function drawStars(box, ratings) {
  const width = Math.max(240, box.clientWidth);
  const rows = Object.entries(ratings).reverse();
  const most = Math.max(1, ...rows.map(([, count]) => count));
  const room = width - 40 - 12 - 8 * String(most).length;
  const bars = rows.flatMap(([stars, count], row) => [
    text(28, row * BAR + 22, `${stars} ★`, "end"),
    element("rect", { class: "bar", x: 36, y: row * BAR + 5, width: Math.round(room * count / most), height: BAR - 10, rx: 3 }),
    text(42 + Math.round(room * count / most), row * BAR + 22, count.toLocaleString("en")),
  ]);
  const description = rows.map(([stars, count]) => `${stars} stars: ${count}`).join(", ");
  box.replaceChildren(picture(width, rows.length * BAR, description, ...bars));
}

/** Draws the number of reviews of each month and their average, as two lines over one axis. */
export function drawMonths(box, months) {
  const width = Math.max(240, box.clientWidth);
  if (months.length === 0) {
    box.replaceChildren(picture(width, 40, "No review", text(0, 24, "No review")));
    return;
  }
  const most = niceTop(Math.max(...months.map(month => month.count)));
  const x = number => LEFT + (width - LEFT - RIGHT) * (months.length === 1 ? 0.5 : number / (months.length - 1));
  const y = share => TOP + (MONTHS - TOP - BOTTOM) * (1 - share);
  const counts = months.map((month, number) => [x(number), y(month.count / most)]);
  // A month without a review has no average: the line has a gap there.
  const averages = months.map((month, number) => month.average === null ? null : [x(number), y((month.average - 1) / 4)]);
  const description = `${months.length} months from ${months[0].key} to ${months.at(-1).key}; the table below has the numbers`;
  box.replaceChildren(picture(width, MONTHS, description, ...grid(width, most, y), ...monthNames(months, x, width),
    ...line(counts, "count"), ...line(averages, "average")));
}

/** Returns the horizontal lines with the numbers of reviews on the left and the stars on the right. */
function grid(width, most, y) {
  return [0, 1, 2, 3, 4].flatMap(step => [
    element("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: y(step / 4), y2: y(step / 4) }),
    ...(most % 4 === 0 || step % 4 === 0 ? [text(LEFT - 6, y(step / 4) + 4, (most * step / 4).toLocaleString("en"), "end")] : []),
    text(width - RIGHT + 6, y(step / 4) + 4, String(step + 1)),
  ]);
}

/** Returns as many names of months as there is room for. */
function monthNames(months, x, width) {
  const fitting = Math.max(2, Math.floor((width - LEFT - RIGHT) / 80));
  const step = Math.max(1, Math.ceil(months.length / fitting));
  return months.flatMap((month, number) => number % step === 0 ? [text(x(number), MONTHS - 6, month.key, "middle")] : []);
}

/** Returns a line through the points, with a gap for each null. Points without neighbours are dots. */
function line(points, kind) {
  const runs = [[]];
  for (const point of points) {
    if (point) runs.at(-1).push(point); else runs.push([]);
  }
  const place = run => run.map(point => point.map(Math.round).join(",")).join(" ");
  return runs.filter(run => run.length > 0).map(run => run.length === 1
    ? element("circle", { class: kind, cx: run[0][0], cy: run[0][1], r: 3 })
    : element("polyline", { class: kind, points: place(run) }));
}

/** Returns the least round number from this one on: 4, 8, 20, 40, 80, 200 and so on. */
function niceTop(number) {
  for (let power = 1; ; power *= 10) {
    const top = [4, 8, 20].map(step => step * power).find(step => step >= number);
    if (top) return top;
  }
}

/** Returns five small bars, one for each number of stars. */
export function smallBars(ratings) {
  const most = Math.max(1, ...Object.values(ratings));
  const bars = Object.values(ratings).map((count, number) => {
    const height = Math.round(20 * count / most);
    return element("rect", { class: "bar", x: number * 18, y: 22 - height, width: 14, height });
  });
  const description = Object.entries(ratings).map(([stars, count]) => `${stars} stars: ${count}`).join(", ");
  return picture(90, 22, description, ...bars);
}
