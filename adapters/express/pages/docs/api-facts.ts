import { type OpenApiDocument, type Operation, readOperations } from './read-operations.js';

/** One line of the list of values of `X-Error-Code`. */
export interface ErrorFact {
  readonly code: string;
  readonly status: string;
  readonly meaning: string;
  readonly advice: string;
}

interface ColumnFact {
  readonly key: string;
  /** The key in the response. */
  readonly responseKey: string;
  readonly type: string;
}

interface PresetFact {
  readonly values: readonly string[];
  readonly meaning: string;
}

export interface ApiFacts {
  readonly operations: readonly Operation[];
  readonly errors: readonly ErrorFact[];
  readonly columns: readonly ColumnFact[];
  readonly presets: readonly PresetFact[];
  readonly reportTypes: readonly string[];
}

/** The facts of the document, which is read when they are first asked for. */
export function apiFacts(openapi: () => OpenApiDocument): () => ApiFacts {
  let facts: ApiFacts | undefined;
  return () => {
    facts ??= readApiFacts(openapi());
    return facts;
  };
}

/** Reads the facts. Throws if the document lacks one of them. */
export function readApiFacts(document: OpenApiDocument): ApiFacts {
  return {
    operations: readOperations(document),
    errors: errorsIn(document),
    columns: columnsIn(document),
    presets: presetsIn(document),
    reportTypes: schemaIn(document, 'ReportType').enum ?? [],
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

const ERROR_ROW = /^\| `([a-z-]+)` \| (\d{3}) \| (.+?) \| (.+?) \|$/gm;

/** The table at the head of the document. */
function errorsIn(document: OpenApiDocument): readonly ErrorFact[] {
  const rows = [...String(document.info.description).matchAll(ERROR_ROW)];
  const errors = rows.map(([, code = '', status = '', meaning = '', advice = '']) => ({
    code,
    status,
    meaning,
    advice,
  }));
  const listed = errors.map(({ code }) => code);
  const missing = (schemaIn(document, 'ErrorCode').enum ?? []).filter((code) => !listed.includes(code));
  if (missing.length > 0) throw new Error(`the OpenAPI document does not explain ${missing.join(', ')}`);
  return errors;
}

function columnsIn(document: OpenApiDocument): readonly ColumnFact[] {
  const properties = schemaIn(document, 'ExportedMeeting').properties ?? {};
  return (schemaIn(document, 'Column').enum ?? []).map((key) => {
    const name = Object.hasOwn(properties, key) ? key : key.replace(/_id$/, '');
    const schema = properties[name];
    if (schema === undefined) throw new Error(`the OpenAPI document has no column ${key} in its response`);
    return { key, responseKey: name, type: typeOf(schema) };
  });
}

function typeOf({ type, $ref = '' }: Schema): string {
  if ($ref.endsWith('/Timestamp')) return 'string, ISO 8601 in UTC';
  return [type ?? 'string'].flat().join(' or ');
}

const PRESET = /^- ((?:`\w+`(?:, )?)+): (.+)$/gm;

function presetsIn(document: OpenApiDocument): readonly PresetFact[] {
  const { description = '', enum: values = [] } = schemaIn(document, 'ReportingDays');
  const presets = [...description.matchAll(PRESET)].map(([, names = '', meaning = '']) => ({
    values: names.replaceAll('`', '').split(', '),
    meaning,
  }));
  const listed = presets.flatMap((preset) => preset.values);
  const missing = values.filter((value) => !listed.includes(value));
  if (missing.length > 0) throw new Error(`the OpenAPI document does not explain ${missing.join(', ')}`);
  return presets;
}
