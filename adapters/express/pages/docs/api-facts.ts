import { type OpenApiDocument, readOperations } from './read-operations.js';

export type ApiFacts = ReturnType<typeof readApiFacts>;

/** The facts of the document, which is read when they are first asked for. */
export function apiFacts(openapi: () => OpenApiDocument): () => ApiFacts {
  let facts: ApiFacts | undefined;
  return () => {
    facts ??= readApiFacts(openapi());
    return facts;
  };
}

/** For what takes long to make, such as HTML, and stays the same for the facts of one service. */
export function madeOnce<Made>() {
  const byFacts = new WeakMap<ApiFacts, Map<string, Made>>();
  return (facts: ApiFacts, key: string, make: () => Made): Made => {
    const known = byFacts.get(facts) ?? new Map<string, Made>();
    const made = known.get(key) ?? make();
    byFacts.set(facts, known.set(key, made));
    return made;
  };
}

/** Reads the facts. Throws if the document lacks one of them. */
export function readApiFacts(document: OpenApiDocument) {
  return {
    operations: readOperations(document),
    errors: errorsIn(document),
    columns: columnsIn(document),
    presets: presetsIn(document),
    reportTypes: valuesOf(document, 'ReportType'),
  };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

function schemaIn({ components }: OpenApiDocument, name: string): Schema {
  const schema = components.schemas?.[name];
  if (schema === undefined) throw new Error(`the OpenAPI document has no schema ${name}`);
  return schema as Schema;
}

function valuesOf(document: OpenApiDocument, name: string): readonly string[] {
  return schemaIn(document, name).enum ?? [];
}

function checkExplained(document: OpenApiDocument, name: string, explained: readonly string[]): void {
  const missing = valuesOf(document, name).filter((value) => !explained.includes(value));
  if (missing.length > 0) throw new Error(`the OpenAPI document does not explain ${missing.join(', ')}`);
}

const ERROR_ROW = /^\| `([a-z-]+)` \| (\d{3}) \| (.+?) \| (.+?) \|$/gm;

/** The table at the head of the document: the values of `X-Error-Code`. */
function errorsIn(document: OpenApiDocument) {
  const rows = [...String(document.info.description).matchAll(ERROR_ROW)];
  const errors = rows.map(([, code = '', status = '', meaning = '', advice = '']) => ({
    ...{ code, status, meaning, advice },
  }));
  const codes = errors.map(({ code }) => code);
  checkExplained(document, 'ErrorCode', codes);
  return errors;
}

/** Each with its key in the response. */
function columnsIn(document: OpenApiDocument) {
  const properties = schemaIn(document, 'ExportedMeeting').properties ?? {};
  return valuesOf(document, 'Column').map((key) => {
    const responseKey = Object.hasOwn(properties, key) ? key : key.replace(/_id$/, '');
    const schema = properties[responseKey];
    if (schema === undefined) throw new Error(`the OpenAPI document has no column ${key} in its response`);
    return { key, responseKey, type: typeOf(schema) };
  });
}

function typeOf({ type, $ref = '' }: Schema): string {
  if ($ref.endsWith('/Timestamp')) return 'string, ISO 8601 in UTC';
  return [type ?? 'string'].flat().join(' or ');
}

const PRESET = /^- ((?:`\w+`(?:, )?)+): (.+)$/gm;

function presetsIn(document: OpenApiDocument) {
  const { description = '' } = schemaIn(document, 'ReportingDays');
  const presets = [...description.matchAll(PRESET)].map(([, names = '', meaning = '']) => ({
    values: names.replaceAll('`', '').split(', '),
    meaning,
  }));
  const values = presets.flatMap((preset) => preset.values);
  checkExplained(document, 'ReportingDays', values);
  return presets;
}
