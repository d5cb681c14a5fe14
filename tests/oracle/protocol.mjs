// The skill protocol, version 1, in JavaScript: a second implementation, written from the contract's text, that judges the
// same vectors as the Rust parsers. JavaScript is the contract's own language, so what it says of trimming, lengths, order,
// case, numbers, times and URLs is the rule.
//
// Reads a file of protocol vectors on standard input and writes a JSON array: for each vector null if the input is accepted,
// else the path of the first fault.
import { readFileSync } from 'node:fs';

class Refusal extends Error {}

function demand(holds, at) {
  if (!holds) throw new Refusal(at);
}

function object(value, at) {
  demand(typeof value === 'object' && value !== null && !Array.isArray(value), at);
  return value;
}

function array(value, at) {
  demand(Array.isArray(value), at);
  return value;
}

function text(value, at, max) {
  demand(typeof value === 'string' && value.length >= 1 && value.length <= max && value.trim() === value, at);
  return value;
}

function matching(value, at, pattern) {
  demand(typeof value === 'string' && pattern.test(value), at);
  return value;
}

function integer(value, at, min) {
  demand(Number.isSafeInteger(value) && value >= min, at);
  return value;
}

function schema(value, at) {
  demand(value === 1, at);
}

const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?$/i;

function slug(value, at) {
  matching(value, at, /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
  demand(!DEVICE.test(value), at);
  return value;
}

function path(value, at) {
  demand(typeof value === 'string' && value.length >= 1 && value.length <= 240, at);
  demand(value.normalize('NFC') === value, at);
  demand(!/[\u0000-\u001f\\:*?"<>|]/.test(value), at);
  for (const segment of value.split('/')) {
    demand(segment !== '' && segment !== '.' && segment !== '..', at);
    demand(!/[. ]$/.test(segment) && !DEVICE.test(segment), at);
  }
  return value;
}

const sha256 = (value, at) => matching(value, at, /^[0-9a-f]{64}$/);
const skillId = (value, at) => matching(value, at, /^c[a-z0-9]{24}$/);

function time(value, at) {
  matching(value, at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  const date = new Date(value);
  demand(!Number.isNaN(date.getTime()) && date.toISOString() === value, at);
}

function httpsUrl(value, at) {
  demand(typeof value === 'string' && value.length <= 4096 && URL.canParse(value), at);
  demand(new URL(value).protocol === 'https:', at);
}

function manifest(value) {
  const { schemaVersion, ...fields } = object(value, 'manifest');
  schema(schemaVersion, 'manifest.schemaVersion');
  const parsed = {
    slug: slug(fields.slug, 'manifest.slug'),
    name: text(fields.name, 'manifest.name', 100),
    description: text(fields.description, 'manifest.description', 500),
    version: text(fields.version, 'manifest.version', 64),
  };
  files(array(fields.files, 'manifest.files').map((file, i) => fileEntry(file, `manifest.files[${i}]`)));
  return parsed;
}

function fileEntry(value, at) {
  const file = object(value, at);
  return {
    path: path(file.path, `${at}.path`),
    sizeBytes: integer(file.sizeBytes, `${at}.sizeBytes`, 0),
    sha256: sha256(file.sha256, `${at}.sha256`),
  };
}

function files(entries) {
  entries.forEach((file, i) => demand(i === 0 || entries[i - 1].path < file.path, `manifest.files[${i}].path`));
  const seen = new Set();
  entries.forEach((file, i) => {
    demand(!seen.has(file.path.toLowerCase()), `manifest.files[${i}].path`);
    seen.add(file.path.toLowerCase());
  });
  const main = entries.find((file) => file.path === 'SKILL.md');
  demand(main !== undefined && main.sizeBytes > 0, 'manifest.files');
}

function skill(value, at) {
  const { currentVersion, ...fields } = object(value, at);
  const parsed = {
    id: skillId(fields.id, `${at}.id`),
    slug: slug(fields.slug, `${at}.slug`),
    name: text(fields.name, `${at}.name`, 100),
    description: text(fields.description, `${at}.description`, 500),
  };
  visibility(fields.scope, fields.organizationId, at);
  return { ...parsed, currentVersion: version(currentVersion, `${at}.currentVersion`) };
}

function visibility(scope, organizationId, at) {
  demand(['public', 'organization', 'personal'].includes(scope), `${at}.scope`);
  const named = typeof organizationId === 'string' && organizationId.length >= 1 && organizationId.length <= 128;
  demand(scope === 'organization' ? named : organizationId === null, `${at}.organizationId`);
}

function version(value, at) {
  const fields = object(value, at);
  text(fields.id, `${at}.id`, 128);
  const number = text(fields.version, `${at}.version`, 64);
  sha256(fields.sha256, `${at}.sha256`);
  integer(fields.sizeBytes, `${at}.sizeBytes`, 1);
  time(fields.publishedAt, `${at}.publishedAt`);
  return { version: number, manifest: fields.manifest };
}

function list(value) {
  const { schemaVersion, skills, nextCursor } = object(value, 'response');
  schema(schemaVersion, 'response.schemaVersion');
  array(skills, 'response.skills').forEach((item, i) => skill(item, `skills[${i}]`));
  if (nextCursor !== null) skillId(nextCursor, 'response.nextCursor');
}

function get(value) {
  const response = object(value, 'response');
  schema(response.schemaVersion, 'response.schemaVersion');
  const outer = skill(response.skill, 'response.skill');
  const inner = manifest(outer.currentVersion.manifest);
  for (const field of ['slug', 'name', 'description']) {
    demand(outer[field] === inner[field], `response.skill.${field}`);
  }
  demand(outer.currentVersion.version === inner.version, 'response.skill.currentVersion.manifest.version');
}

function download(value) {
  const response = object(value, 'response');
  httpsUrl(response.url, 'response.url');
  sha256(response.sha256, 'response.sha256');
  integer(response.sizeBytes, 'response.sizeBytes', 1);
  time(response.expiresAt, 'response.expiresAt');
}

const parsers = {
  slug: (value) => slug(value, 'slug'),
  path: (value) => path(value, 'path'),
  manifest,
  manifest_raw: manifest,
  list,
  get,
  download,
};

function judge({ kind, input }) {
  try {
    parsers[kind](JSON.parse(input));
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const { vectors } = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(vectors.map(judge)));
