import { openapi, type operations } from '@rollcall/contracts';
import type { MediaType } from './body.js';
import type { QueryRules } from './query.js';

/** What clients call; the webhook's own request is none of these. */
export type OperationId = Exclude<keyof operations, 'userRegistered'>;

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** Where an operation's input comes from, and what openapi.yaml asks of it. */
export interface InputRules {
  readonly from: 'query' | 'body' | 'nowhere';
  /** What a body may be; empty where there is none. */
  readonly mediaTypes: ReadonlySet<MediaType>;
  /** By name, without brackets. Lenient ones have no schema: anything goes. */
  readonly fields: ReadonlyMap<string, Schema | null>;
  readonly required: readonly string[];
  /** Without this field nothing is asked for, and no other is judged; null where there is no such field. */
  readonly first: string | null;
  /** The same fields as the reader of a query needs them. */
  readonly query: QueryRules;
  /** Whether the input is handed on as it came, because mistakes in it have an answer of their own. */
  readonly isLenient: boolean;
}

const document = openapi();

/** What `#/components/schemas/…` in a schema of `inputRules` means. */
export const sharedSchemas: Schema = document.components.schemas ?? {};

const found = new Map<string, Operation>(
  Object.values(document.paths)
    .flatMap((path) => Object.values(path) as Partial<Operation>[])
    .flatMap((operation) =>
      operation.operationId === undefined ? [] : [[operation.operationId, operation as Operation]],
    ),
);

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
}

interface RequestBody {
  readonly 'x-lenient'?: boolean;
  readonly content: Readonly<Record<MediaType, { readonly schema: { readonly $ref: string } }>>;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly 'x-lenient'?: boolean;
  readonly 'x-first'?: boolean;
}

interface Parameter extends Field {
  readonly in: string;
}

/** What openapi.yaml says of an operation's input; read once, at start. */
export function inputRules(id: OperationId): InputRules {
  const operation = found.get(id);
  if (operation === undefined) throw new Error(`openapi.yaml has no operation ${id}`);
  if (operation.requestBody !== undefined) return bodyRules(operation.requestBody);
  return queryRules(operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []);
}

function bodyRules({ content, 'x-lenient': isLenient = false }: RequestBody): InputRules {
  const { properties, required = [] } = sharedSchemas[nameOf(content['application/json'].schema.$ref)] as {
    readonly properties: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    'x-lenient': schema['x-lenient'] === true,
    'x-first': schema['x-first'] === true,
  }));
  return {
    from: 'body',
    mediaTypes: new Set(Object.keys(content) as MediaType[]),
    ...fieldRules(fields),
    required,
    isLenient,
  };
}

function queryRules(parameters: readonly Parameter[]): InputRules {
  return {
    from: parameters.length === 0 ? 'nowhere' : 'query',
    mediaTypes: new Set(),
    ...fieldRules(parameters),
    required: [],
    isLenient: false,
  };
}

function fieldRules(fields: readonly Field[]): Pick<InputRules, 'fields' | 'first' | 'query'> {
  const named = fields.map((field) => ({ ...field, name: field.name.replace('[]', '') }));
  const namesOf = (which: (field: Field) => boolean) => new Set(named.filter(which).map(({ name }) => name));
  const isLenient = (field: Field) => field['x-lenient'] === true;
  const isList = (field: Field) => field.schema.type === 'array';
  return {
    first: named.find((field) => field['x-first'] === true)?.name ?? null,
    fields: new Map(named.map((field) => [field.name, isLenient(field) ? null : field.schema])),
    query: {
      lists: namesOf(isList),
      scalars: namesOf((field) => !isList(field)),
      lenient: namesOf(isLenient),
    },
  };
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
