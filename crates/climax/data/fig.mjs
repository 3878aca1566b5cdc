// Writes the specifications of the npm package @withfig/autocomplete as JSON, a line each: a command line with its
// sub-commands, options and arguments. The package's folder is the last argument. Its modules are run to be read.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv.at(-1));
const build = existsSync(path.join(folder, "build")) ? path.join(folder, "build") : folder;
const deepest = 6;

const list = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);
const text = (value) => (typeof value === "string" ? value : "");

async function module(name) {
  const file = path.join(build, `${name}.js`);
  if (!file.startsWith(build + path.sep) || !existsSync(file)) return undefined;
  const found = (await import(pathToFileURL(file))).default;
  return typeof found === "object" ? found : undefined;
}

function option(found) {
  const values = list(found.args);
  return {
    flags: list(found.name).filter((name) => typeof name === "string"),
    about: text(found.description),
    value: values.length > 0 ? text(values[0].name) || "value" : null,
    equals: found.requiresSeparator === true || found.requiresSeparator === "=" || found.requiresEquals === true,
    required: found.isRequired === true,
    // A number says how often at most.
    repeats: found.isRepeatable === true || found.isRepeatable > 1,
    variadic: values.length === 1 && values[0].isVariadic === true,
  };
}

const argument = (found, at) => ({
  name: text(found.name) || `argument${at + 1}`,
  about: text(found.description),
  required: found.isOptional !== true,
  variadic: found.isVariadic === true,
});

async function command(found, depth) {
  let spec = found;
  if (typeof found.loadSpec === "string" && depth < deepest) {
    const loaded = await module(found.loadSpec).catch(() => undefined);
    if (loaded) spec = { ...loaded, name: found.name, description: found.description ?? loaded.description };
  }
  const commands = [];
  if (depth < deepest) {
    for (const inner of list(spec.subcommands)) {
      if (inner && list(inner.name).length > 0) commands.push(await command(inner, depth + 1));
    }
  }
  return {
    name: text(list(spec.name)[0]),
    about: text(spec.description),
    commands,
    options: list(spec.options).filter(Boolean).map(option),
    arguments: list(spec.args).filter(Boolean).map(argument),
  };
}

const index = await import(pathToFileURL(path.join(build, "index.js")));
// `aws/s3` is a part of `aws`; `@scope/name` is a command line of its own.
const whole = (name) => name.split("/").length === (name.startsWith("@") ? 2 : 1);
let unread = 0;
for (const name of index.default.filter(whole)) {
  try {
    const found = await module(name);
    if (found) process.stdout.write(`${JSON.stringify(await command(found, 0))}\n`);
    else unread += 1;
  } catch {
    unread += 1;
  }
}
if (unread > 0) console.error(`${unread} specifications could not be read`);
