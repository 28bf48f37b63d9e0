/**
 * The contracts of the APIs, for programs: the OpenAPI documents, the schema of a dataset, and the generated types. Needs
 * Node: each call reads a file of this package.
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
  return read('../generated/openapi.json');
}

/** The document of the operator's API, `operator.yaml`. Every call returns a new copy, which you may change. */
export function operatorApi(): ApiDocument {
  return read('../generated/operator.json');
}

/** The schema of a dataset, `dataset.schema.json`. Every call returns a new copy, which you may change. */
export function datasetSchema(): DatasetSchema {
  return read('../dataset.schema.json');
}

/** The path is relative to `dist/`, the folder of the compiled file. */
function read<Document>(path: string): Document {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}
