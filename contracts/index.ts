/**
 * The contracts of the APIs, for programs: the OpenAPI documents, the schema of a dataset, and the generated types. Needs
 * Node: each document is read once, from the files of this package.
 */
import { readFileSync } from 'node:fs';

export type { components, operations, paths, webhooks } from './generated/openapi.js';
export type {
  components as operatorComponents,
  operations as operatorOperations,
  paths as operatorPaths,
} from './generated/operator.js';
export type { WebhookEvent } from './webhooks.js';

/** The parts of an OpenAPI document that programs use. The other parts are there too, without types. */
export interface ApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, Record<string, unknown>>>;
  /** The answers that any request can get, whatever its path, by status. */
  'x-any-path': { responses: Record<string, Record<string, unknown>> };
  [member: string]: unknown;
}

/** The document of the API for organizations, which has webhooks too. */
export interface OpenapiDocument extends ApiDocument {
  webhooks: Record<string, Record<string, unknown>>;
}

/** The schema of a dataset's records: one entry of `$defs` for each kind, and one for its removal (`…_removed`). */
export interface DatasetSchema {
  $schema: string;
  /** A reference to one kind of record begins with this: `` `${$id}#/$defs/meeting` ``. */
  $id: string;
  $defs: Record<string, Record<string, unknown>>;
  [member: string]: unknown;
}

/**
 * The OpenAPI document. It is written as `openapi.yaml`, and read as JSON, which takes 4 ms instead of 300. Every call
 * returns a new copy, which you may change.
 */
export function openapi(): OpenapiDocument {
  return JSON.parse(textOf('../generated/openapi.json'));
}

/** The document of the operator's API, `operator.yaml`. Every call returns a new copy, which you may change. */
export function operatorApi(): ApiDocument {
  return JSON.parse(textOf('../generated/operator.json'));
}

/** The schema of a dataset, `dataset.schema.json`. Every call returns a new copy, which you may change. */
export function datasetSchema(): DatasetSchema {
  return JSON.parse(textOf('../dataset.schema.json'));
}

const texts = new Map<string, string>();

/** The path is relative to `dist/`, the folder of the compiled file. A document takes a fifth of the memory as text. */
function textOf(path: string): string {
  const text = texts.get(path) ?? readFileSync(new URL(path, import.meta.url), 'utf8');
  texts.set(path, text);
  return text;
}
