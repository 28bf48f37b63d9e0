import { openapi, type operations } from '@rollcall/contracts';

/** The operations of section 4. */
export type OperationId = Exclude<
  keyof operations,
  'readHealth' | 'readReadiness' | 'readOpenapi' | 'userRegistered'
>;

/** The media types that a body can have. */
export type MediaType = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** The source of an operation's input, and its rules in openapi.yaml. */
export interface InputRules {
  readonly from: 'query' | 'body' | 'nowhere';
  /** The media types of a body; empty if there is none. */
  readonly mediaTypes: ReadonlySet<MediaType>;
  /** The maximum size of a body. */
  readonly maxBodyBytes: number;
  /** By name, without brackets. */
  readonly fields: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
  /** The fields that hold lists. */
  readonly lists: ReadonlySet<string>;
  /** If this field is left out, nothing is requested, and no other field is checked; null: the operation has none. */
  readonly first: string | null;
  /** An optional field that is empty or null counts as left out. */
  readonly isEmptyLeftOut: boolean;
  /** Fields and query parameters that the operation does not have are refused; otherwise they are ignored. */
  readonly isStrict: boolean;
}

const document = openapi();

/** The schemas that `#/components/schemas/…` refers to. */
export const sharedSchemas: Schema = document.components.schemas ?? {};

const operationsById = new Map<string, Operation>(
  Object.values(document.paths)
    .flatMap((path) => Object.values(path) as Partial<Operation>[])
    .flatMap((operation) =>
      operation.operationId === undefined ? [] : [[operation.operationId, operation as Operation]],
    ),
);

interface Operation {
  readonly operationId: string;
  readonly 'x-strict'?: boolean;
  readonly 'x-max-body-kb'?: number;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface RequestBody {
  readonly 'x-empty-left-out'?: boolean;
  readonly content: Readonly<Record<MediaType, { readonly schema: Schema }>>;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly 'x-first'?: boolean;
}

interface Parameter extends Field {
  readonly in: string;
}

interface Reference {
  readonly $ref: string;
}

const DEFAULT_MAX_BODY_KB = 100;

/** Returns the rules of openapi.yaml for an operation's input. Called once for each operation, at startup. */
export function inputRules(id: OperationId): InputRules {
  const operation = operationsById.get(id);
  if (operation === undefined) throw new Error(`openapi.yaml has no operation ${id}`);
  const isStrict = operation['x-strict'] === true;
  const maxBodyBytes = (operation['x-max-body-kb'] ?? DEFAULT_MAX_BODY_KB) * 1024;
  const others = { isStrict, maxBodyBytes };
  if (operation.requestBody !== undefined) return { ...bodyRules(operation.requestBody), ...others };
  const parameters = (operation.parameters ?? []).map(parameterOf);
  const rules = queryRules(parameters.filter((parameter) => parameter.in === 'query'));
  return { ...rules, from: isStrict ? 'query' : rules.from, ...others };
}

/** Returns the rules for the entries of a list that is marked with `x-each`. */
export function entryRules(id: OperationId, list: string): InputRules {
  const schema = operationsById.get(id)?.requestBody?.content['application/json'].schema ?? {};
  const { properties } = resolved(schema) as { readonly properties?: Readonly<Record<string, Schema>> };
  const items = properties?.[list]?.items;
  if (items === undefined) throw new Error(`openapi.yaml has no list ${list} in ${id}`);
  const content = { 'application/json': { schema: items } } as RequestBody['content'];
  return { ...inputRules(id), ...bodyRules({ content }) };
}

/** The status of the operation's successful answer. */
export function successStatus(id: OperationId): number {
  const statuses = Object.keys(operationsById.get(id)?.responses ?? {}).map(Number);
  const status = statuses.find((one) => one >= 200 && one <= 299);
  if (status === undefined) throw new Error(`openapi.yaml has no successful answer of ${id}`);
  return status;
}

function parameterOf(parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.slice(parameter.$ref.lastIndexOf('/') + 1);
  return document.components.parameters?.[name] as unknown as Parameter;
}

type RulesOfFields = Omit<InputRules, 'isStrict' | 'maxBodyBytes'>;

function bodyRules({ content, 'x-empty-left-out': isEmptyLeftOut = false }: RequestBody): RulesOfFields {
  const { properties, required = [] } = resolved(content['application/json'].schema) as {
    readonly properties: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    'x-first': schema['x-first'] === true,
  }));
  const mediaTypes = new Set(Object.keys(content) as MediaType[]);
  return { from: 'body', mediaTypes, ...fieldRules(fields), required, isEmptyLeftOut };
}

function queryRules(parameters: readonly Parameter[]): RulesOfFields {
  return {
    from: parameters.length === 0 ? 'nowhere' : 'query',
    mediaTypes: new Set(),
    ...fieldRules(parameters),
    required: [],
    isEmptyLeftOut: true,
  };
}

function fieldRules(fields: readonly Field[]): Pick<InputRules, 'fields' | 'first' | 'lists'> {
  const named = fields.map((field) => ({
    ...field,
    name: field.name.replace('[]', ''),
    schema: withoutEach(resolved(field.schema)),
  }));
  return {
    first: named.find((field) => field['x-first'] === true)?.name ?? null,
    fields: new Map(named.map(({ name, schema }) => [name, schema])),
    lists: new Set(
      named
        .filter(({ schema }) => schema.type === 'array' && schema['x-each'] !== true)
        .map(({ name }) => name),
    ),
  };
}

/** A list whose entries are checked one by one allows any entry at first. */
function withoutEach({ items, ...schema }: Schema): Schema {
  return schema['x-each'] === true || items === undefined ? schema : { items, ...schema };
}

/** The shared schema if the schema is a reference to it, else the schema itself. */
function resolved(schema: Schema): Schema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return schema;
  return sharedSchemas[reference.slice(reference.lastIndexOf('/') + 1)] as Schema;
}
