/** The part of the OpenAPI document that the docs use. It is their only source about the API. */
export interface OpenApiDocument {
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation of the API, as the reference shows it. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  /** Null: a request has no body. */
  readonly body: Body | null;
  readonly answers: readonly Answer[];
}

export interface Parameter extends Field {
  readonly in: 'path' | 'query' | 'header';
}

/** A value in a request or an answer. */
export interface Field {
  /** Where it is, such as `webhook.url` or `meetings[].name`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Markdown. */
  readonly description: string;
  /** The only values that it can have. Empty: it has others. */
  readonly values: readonly string[];
  /** Undefined: there is none. */
  readonly example: unknown;
}

export interface Body {
  readonly mediaTypes: readonly string[];
  readonly fields: readonly Field[];
  readonly examples: readonly Example[];
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Answer {
  readonly status: string;
  /** Markdown. */
  readonly description: string;
  /** Whether many operations can answer this in the same way. */
  readonly isCommon: boolean;
  /** The values of `X-Error-Code`. Empty for answers that are no errors. */
  readonly codes: readonly string[];
  /** Empty for errors, whose bodies are all alike. */
  readonly fields: readonly Field[];
  readonly examples: readonly Example[];
}

type Node = Readonly<Record<string, unknown>>;

/** The statuses of errors that every operation can have, unless it explains them itself. */
const commonStatuses = ['401', '413', '415', '429', '431', '500', '503'];
/** What texts of a format are called. Formats of numbers are left out. */
const formats: Readonly<Record<string, string>> = {
  'date-time': 'ISO 8601',
  'idn-email': 'email address',
  uri: 'URL',
  uuid: 'UUID',
};
const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

export function readOperations(document: OpenApiDocument): readonly Operation[] {
  const read = reader(document);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined
        ? []
        : [read.operation({ path, method, item, operation: nodeOf(operation) })];
    }),
  );
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly item: Node;
  readonly operation: Node;
}

function reader(document: OpenApiDocument) {
  /** Follows `$ref`. What stands beside it, such as another description, wins. */
  function resolved(value: unknown): Node {
    const { $ref, ...beside } = nodeOf(value);
    if (typeof $ref !== 'string') return beside;
    const [, , kind = '', name = ''] = $ref.split('/');
    const target = document.components[kind]?.[name];
    if (target === undefined) throw new Error(`the OpenAPI document has no ${$ref}`);
    return { ...resolved(target), ...beside };
  }

  function operation({ path, method, item, operation }: Found): Operation {
    const given = [item.parameters, operation.parameters].flatMap(listOf);
    return {
      id: textOf(operation.operationId),
      tag: textOf(listOf(operation.tags)[0]),
      method: method.toUpperCase(),
      path,
      summary: textOf(operation.summary),
      description: textOf(operation.description),
      needsToken: !Array.isArray(operation.security) || operation.security.length > 0,
      parameters: given.map(parameter),
      body: operation.requestBody === undefined ? null : body(resolved(operation.requestBody)),
      answers: Object.entries(nodeOf(operation.responses)).map(([status, answer]) => ({
        status,
        description: textOf(resolved(answer).description),
        isCommon: nodeOf(answer).$ref !== undefined && commonStatuses.includes(status),
        codes: codesOf(resolved(answer)),
        ...(status.startsWith('2') ? content(resolved(answer)) : { fields: [], examples: [] }),
      })),
    };
  }

  function parameter(value: unknown): Parameter {
    const found = resolved(value);
    const schema = resolved(found.schema);
    return {
      in: found.in as Parameter['in'],
      name: textOf(found.name),
      type: typeOf(schema),
      isRequired: found.required === true,
      description: [found.description, schema.description].map(textOf).join('\n\n').trim(),
      values: valuesOf(schema),
      example: exampleOf(found) ?? exampleOf(schema),
    };
  }

  function body(requestBody: Node): Body {
    const mediaTypes = Object.keys(nodeOf(requestBody.content));
    return { mediaTypes, ...content(requestBody) };
  }

  /** Of several media types, JSON. */
  function content(of: Node): Pick<Body, 'fields' | 'examples'> {
    const types = nodeOf(of.content);
    const media = nodeOf(types['application/json'] ?? Object.values(types)[0]);
    const named = Object.values(nodeOf(media.examples)).map((example) => {
      const { summary, value } = resolved(example);
      return { summary: textOf(summary), value };
    });
    const examples = media.example === undefined ? named : [{ summary: '', value: media.example }];
    return { examples, fields: media.schema === undefined ? [] : fieldsOf(resolved(media.schema), '') };
  }

  /** The fields of an object, each before those within it. */
  function fieldsOf(schema: Node, prefix: string): readonly Field[] {
    const required = listOf(schema.required);
    const own = Object.entries(nodeOf(schema.properties)).flatMap(([name, value]) => {
      const property = resolved(value);
      const field: Field = {
        name: `${prefix}${name}`,
        type: typeOf(property),
        isRequired: required.includes(name),
        description: textOf(property.description),
        values: valuesOf(property),
        example: exampleOf(property),
      };
      return [field, ...within(property, field.name)];
    });
    const fieldsOfEach = (parts: unknown) => listOf(parts).map((part) => fieldsOf(resolved(part), prefix));
    const alternatives = [schema.oneOf, schema.anyOf]
      .flatMap(fieldsOfEach)
      .filter(({ length }) => length > 0);
    // What is required in one alternative only is not required in all. Within an object, it is where that object is.
    const isSure = ({ name }: Field) =>
      /[.[]/.test(name.slice(prefix.length)) ||
      alternatives.every((fields) => fields.some((field) => field.name === name && field.isRequired));
    const either = alternatives
      .flat()
      .map((field) => ({ ...field, isRequired: field.isRequired && isSure(field) }));
    const all = [...own, ...fieldsOfEach(schema.allOf).flat(), ...either];
    return [...new Map(all.map((field) => [field.name, field] as const)).values()];
  }

  function within(property: Node, name: string): readonly Field[] {
    if (property.items !== undefined) return fieldsOf(resolved(property.items), `${name}[].`);
    return fieldsOf(property, `${name}.`);
  }

  function typeOf(schema: Node): string {
    const alternatives = [schema.oneOf, schema.anyOf].flatMap(listOf).map((part) => typeOf(resolved(part)));
    if (alternatives.length > 0) return [...new Set(alternatives)].join(' or ');
    if (schema.type === undefined && schema.allOf !== undefined)
      return typeOf(resolved(listOf(schema.allOf)[0]));
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    const values = valuesOf(schema);
    if (values.length > 0) return values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`;
    const types = [schema.type ?? (schema.properties === undefined ? 'any' : 'object')].flat().map(String);
    const format = formats[textOf(schema.format)];
    const named = types.map((type) => {
      if (type === 'array') return `list of ${typeOf(resolved(schema.items))}`;
      return type === 'string' && format !== undefined ? `string (${format})` : type;
    });
    return named.join(' or ');
  }

  return { operation };
}

/** The schema of the header has a list of codes, or only one. */
function codesOf({ headers }: Node): readonly string[] {
  const { enum: codes, const: code } = nodeOf(nodeOf(nodeOf(headers)['X-Error-Code']).schema);
  return [...listOf(codes), code].filter((each) => typeof each === 'string');
}

function valuesOf(schema: Node): readonly string[] {
  return listOf(schema.enum).map(String);
}

function exampleOf({ example, examples, default: given }: Node): unknown {
  return example ?? listOf(examples)[0] ?? given;
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
