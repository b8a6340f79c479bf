// Schemas of the description as tables: name, type, bounds and text of each field.

import { element } from "/pages/page.js";

/** Depth to which the fields of fields are shown. */
const MAX_DEPTH = 4;

/** Follows a reference into the description. */
export function resolve(description, value) {
  if (!value?.$ref) return value;
  const found = value.$ref.slice(2).split("/").reduce((part, name) => part[name], description);
  return resolve(description, found);
}

/** Returns the names of a schema's fields. */
export function fieldNames(description, reference) {
  const schema = resolve(description, reference) ?? {};
  return [schema, ...schema.allOf ?? []].flatMap(part => Object.keys(resolve(description, part).properties ?? {}));
}

/** Returns the table of a schema's fields, with those of the objects inside it. */
export function fieldsTable(description, schema) {
  const rows = fieldRows(description, schema, "", 0);
  if (!rows.length) return element("p", { textContent: typeName(description, schema) });
  const head = element("tr", {}, element("th", { textContent: "Field" }), element("th", { textContent: "Meaning" }));
  return element("table", { className: "fields" }, element("thead", {}, head), element("tbody", {}, ...rows));
}

function fieldRows(description, reference, prefix, depth) {
  const schema = resolve(description, reference);
  if (depth > MAX_DEPTH || !schema) return [];
  if (schema.items) return fieldRows(description, schema.items, `${prefix}[]`, depth);
  const parts = [schema, ...schema.allOf ?? [], ...schema.oneOf ?? [], ...schema.anyOf ?? []].slice(schema.properties ? 0 : 1);
  if (!schema.properties) return parts.flatMap(part => fieldRows(description, part, prefix, depth + 1));
  const isRequired = name => schema.required?.includes(name) ?? false;
  const fields = Object.entries(schema.properties).sort(([one], [other]) => isRequired(other) - isRequired(one));
  return fields.flatMap(([name, field]) => {
    const path = [prefix, name].filter(Boolean).join(".");
    return [fieldRow(description, path, field, isRequired(name)), ...fieldRows(description, field, path, depth + 1)];
  });
}

function fieldRow(description, name, reference, isRequired) {
  const field = resolve(description, reference);
  const facts = element("div", { className: "hint", textContent: [typeName(description, field), ...bounds(field)].join(", ") });
  const text = element("div");
  text.innerHTML = reference.description ?? field.description ?? "";
  const title = element("td", {}, element("code", { textContent: name }));
  if (isRequired) title.append(element("span", { className: "hint", textContent: " required" }));
  return element("tr", {}, title, element("td", {}, text, facts));
}

/** Returns the name of a type: `string`, `list of integer`, `string or null`. */
function typeName(description, reference) {
  const schema = resolve(description, reference) ?? {};
  if (schema.items) return `list of ${typeName(description, schema.items)}`;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map(choice => typeName(description, choice)))].join(" or ");
  return [schema.type ?? "any value"].flat().join(" or ");
}

/** Returns the bounds of a value in words. */
function bounds(schema) {
  const found = [];
  if (schema.enum) found.push(`one of ${schema.enum.filter(value => value !== null).join(", ")}`);
  if (schema.format) found.push(schema.format);
  if (schema.minimum !== undefined) found.push(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined) found.push(`at most ${schema.maximum}`);
  if (schema.minLength !== undefined) found.push(`at least ${schema.minLength} characters`);
  if (schema.maxLength !== undefined) found.push(`at most ${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) found.push(`at most ${schema.maxItems} items`);
  if (schema.default !== undefined) found.push(`otherwise ${schema.default}`);
  return found;
}
