// Pictures with a palette: a picture of a page has few colours, so that it takes a third of the bytes of the browser's own.

import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Largest number of colours of a palette. */
const COLOURS = 64;
/** Kind of colour in the header: numbers of a palette, of eight bits each. */
const INDEXED = Buffer.from([8, 3, 0, 0, 0]);

/** Returns the size and the pixels of a PNG, four bytes each, as the browser decodes it. */
async function decode(page, png) {
  const { width, height, base64 } = await page.evaluate(async source => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const bytes = context.getImageData(0, 0, image.width, image.height).data;
    let text = "";
    for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
    return { width: image.width, height: image.height, base64: btoa(text) };
  }, png.toString("base64"));
  return { width, height, pixels: Buffer.from(base64, "base64") };
}

/** Returns the sum of the squared differences of two colours. */
const distance = (one, other) => [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

/** Returns the commonest colours, and for each colour of the picture the number of the nearest of them. */
function palette(colours) {
  const counts = new Map();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const chosen = [...counts].sort(([, one], [, other]) => other - one).slice(0, COLOURS).map(([colour]) => colour);
  const nearest = colour => chosen.reduce((best, candidate, number) =>
    distance(colour, candidate) < distance(colour, chosen[best]) ? number : best, 0);
  return { chosen, numbers: new Map([...counts.keys()].map(colour => [colour, nearest(colour)])) };
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** Returns a PNG with a palette that looks the same. The page decodes it. */
export async function withPalette(page, png) {
  const { width, height, pixels } = await decode(page, png);
  const colours = Array.from({ length: width * height }, (_, pixel) => pixels.readUIntBE(pixel * 4, 3));
  const { chosen, numbers } = palette(colours);
  const rows = Buffer.alloc(height * (width + 1));
  colours.forEach((colour, pixel) => {
    const row = Math.floor(pixel / width);
    rows[row * (width + 1) + 1 + pixel % width] = numbers.get(colour);
  });
  const header = Buffer.alloc(8);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const table = Buffer.from(chosen.flatMap(colour => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(rows, { level: 9 });
  const chunks = [["IHDR", Buffer.concat([header, INDEXED])], ["PLTE", table], ["IDAT", data], ["IEND", Buffer.alloc(0)]];
  return Buffer.concat([SIGNATURE, ...chunks.map(([type, content]) => chunk(type, content))]);
}
