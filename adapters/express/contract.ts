import {
  type ApiDocument,
  openapi,
  type operations,
  operatorApi,
  type operatorOperations,
  type webhooks,
} from '@rollcall/contracts';

/** The operations of section 4. */
export type ApiOperationId = Exclude<
  keyof operations,
  'readHealth' | 'readReadiness' | 'readOpenapi' | WebhookId
>;

/** The requests that are sent to webhooks. */
type WebhookId = {
  [Id in keyof operations]: operations[Id] extends webhooks[keyof webhooks]['post'] ? Id : never;
}[keyof operations];

/** The operations of operator.yaml. */
export type OperatorOperationId = keyof operatorOperations;

/** The operations of both documents. */
export type OperationId = ApiOperationId | OperatorOperationId;

/** The media types that a body can have. */
export type MediaType =
  | 'application/json'
  | 'application/scim+json'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data';

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** The source of an operation's input, and its rules in its document. */
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
  /** The schemas that `#/components/schemas/…` refers to. */
  readonly sharedSchemas: Schema;
}

const operationsById = new Map<string, OperationOf>([openapi(), operatorApi()].flatMap(operationsOf));

/** An operation with its document. */
interface OperationOf {
  readonly operation: Operation;
  readonly document: ApiDocument;
}

function operationsOf(document: ApiDocument): readonly (readonly [string, OperationOf])[] {
  return Object.values(document.paths)
    .flatMap((path) => Object.values(path) as Partial<Operation>[])
    .flatMap((operation) =>
      operation.operationId === undefined
        ? []
        : [[operation.operationId, { operation: operation as Operation, document }]],
    );
}

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

/**
 * Returns the rules of the document for an operation's input. Called once for each operation, at startup. A body that is
 * not JSON, such as records, is read by the route itself.
 */
export function inputRules(id: OperationId): InputRules {
  const { operation, document } = operationOf(id);
  const isStrict = operation['x-strict'] === true;
  const maxBodyBytes = (operation['x-max-body-kb'] ?? DEFAULT_MAX_BODY_KB) * 1024;
  const others = { isStrict, maxBodyBytes, sharedSchemas: document.components.schemas ?? {} };
  if (operation.requestBody?.content['application/json'] !== undefined)
    return { ...bodyRules(document, operation.requestBody), ...others };
  const parameters = (operation.parameters ?? []).map((parameter) => parameterOf(document, parameter));
  const rules = queryRules(
    document,
    parameters.filter((parameter) => parameter.in === 'query'),
  );
  return { ...rules, from: isStrict ? 'query' : rules.from, ...others };
}

function operationOf(id: OperationId): OperationOf {
  const found = operationsById.get(id);
  if (found === undefined) throw new Error(`no document has the operation ${id}`);
  return found;
}

/** Returns the rules for the entries of a list that is marked with `x-each`. */
export function entryRules(id: OperationId, list: string): InputRules {
  const { operation, document } = operationOf(id);
  const schema = operation.requestBody?.content['application/json'].schema ?? {};
  const { properties } = resolved(document, schema) as {
    readonly properties?: Readonly<Record<string, Schema>>;
  };
  const items = properties?.[list]?.items;
  if (items === undefined) throw new Error(`the operation ${id} has no list ${list}`);
  const content = { 'application/json': { schema: items } } as RequestBody['content'];
  return { ...inputRules(id), ...bodyRules(document, { content }) };
}

/** The status of the operation's successful answer. */
export function successStatus(id: OperationId): number {
  const statuses = Object.keys(operationOf(id).operation.responses).map(Number);
  const status = statuses.find((one) => one >= 200 && one <= 299);
  if (status === undefined) throw new Error(`the operation ${id} has no successful answer`);
  return status;
}

function parameterOf(document: ApiDocument, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.slice(parameter.$ref.lastIndexOf('/') + 1);
  return document.components.parameters?.[name] as unknown as Parameter;
}

type RulesOfFields = Omit<InputRules, 'isStrict' | 'maxBodyBytes' | 'sharedSchemas'>;

function bodyRules(
  document: ApiDocument,
  { content, 'x-empty-left-out': isEmptyLeftOut = false }: RequestBody,
): RulesOfFields {
  const { properties, required = [] } = resolved(document, content['application/json'].schema) as {
    readonly properties: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    'x-first': schema['x-first'] === true,
  }));
  const mediaTypes = new Set(Object.keys(content) as MediaType[]);
  return { from: 'body', mediaTypes, ...fieldRules(document, fields), required, isEmptyLeftOut };
}

function queryRules(document: ApiDocument, parameters: readonly Parameter[]): RulesOfFields {
  return {
    from: parameters.length === 0 ? 'nowhere' : 'query',
    mediaTypes: new Set(),
    ...fieldRules(document, parameters),
    required: [],
    isEmptyLeftOut: true,
  };
}

function fieldRules(
  document: ApiDocument,
  fields: readonly Field[],
): Pick<InputRules, 'fields' | 'first' | 'lists'> {
  const named = fields.map((field) => ({
    ...field,
    name: field.name.replace('[]', ''),
    schema: withoutEach(resolved(document, field.schema)),
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
function resolved(document: ApiDocument, schema: Schema): Schema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return schema;
  return document.components.schemas?.[reference.slice(reference.lastIndexOf('/') + 1)] as Schema;
}
