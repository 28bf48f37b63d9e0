/** The part of the OpenAPI document that the docs use. It is their only source about the API. */
export interface OpenApiDocument {
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation of the API, as the reference shows it. */
export type Operation = ReturnType<typeof readOperations>[number];
export type Parameter = Operation['parameters'][number];
export type Answer = Operation['answers'][number];
export type Example = Answer['examples'][number];

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

/** All descriptions are Markdown. */
export function readOperations({ paths, components }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const operation = nodeOf(item[method]);
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
        /** Null: a request has no body. */
        body: operation.requestBody === undefined ? null : content(resolved(operation.requestBody)),
        answers: Object.entries(nodeOf(operation.responses)).map(([status, answer]) => ({
          status,
          description: textOf(resolved(answer).description),
          /** Whether many operations can answer this in the same way. */
          isCommon: nodeOf(answer).$ref !== undefined && commonStatuses.includes(status),
          /** The values of `X-Error-Code`. Empty for answers that are no errors. */
          codes: codesOf(resolved(answer)),
          // The bodies of errors are all alike.
          ...content(status.startsWith('2') ? resolved(answer) : {}),
        })),
      };
    }),
  );

  /** Follows `$ref`. What stands beside it, such as another description, wins. */
  function resolved(value: unknown): Node {
    const { $ref, ...beside } = nodeOf(value);
    if (typeof $ref !== 'string') return beside;
    const [, , kind = '', name = ''] = $ref.split('/');
    const target = components[kind]?.[name];
    if (target === undefined) throw new Error(`the OpenAPI document has no ${$ref}`);
    return { ...resolved(target), ...beside };
  }

  function parameter(value: unknown) {
    const found = resolved(value);
    const schema = resolved(found.schema);
    return {
      ...fieldOf(textOf(found.name), schema, found.required === true),
      in: found.in as 'path' | 'query' | 'header',
      description: [found.description, schema.description].map(textOf).join('\n\n').trim(),
      example: exampleOf(found) ?? exampleOf(schema),
    };
  }

  /** The fields and examples are those of JSON, if that is one of several media types. */
  function content(of: Node) {
    const types = nodeOf(of.content);
    const media = nodeOf(types['application/json'] ?? Object.values(types)[0]);
    const named = Object.values(nodeOf(media.examples)).map((example) => {
      const { summary, value } = resolved(example);
      return { summary: textOf(summary), value };
    });
    const examples = media.example === undefined ? named : [{ summary: '', value: media.example }];
    const fields = media.schema === undefined ? [] : fieldsOf(resolved(media.schema), '');
    return { mediaTypes: Object.keys(types), fields, examples };
  }

  /** The fields of an object, each before those within it. */
  function fieldsOf(schema: Node, prefix: string): readonly Field[] {
    const required = listOf(schema.required);
    const own = Object.entries(nodeOf(schema.properties)).flatMap(([name, value]) => {
      const property = resolved(value);
      const field = fieldOf(`${prefix}${name}`, property, required.includes(name));
      const { items } = property;
      const [inside, dot] = items === undefined ? [property, '.'] : [resolved(items), '[].'];
      return [field, ...fieldsOf(inside, `${field.name}${dot}`)];
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

  function fieldOf(name: string, schema: Node, isRequired: boolean): Field {
    return {
      name,
      type: typeOf(schema),
      isRequired,
      description: textOf(schema.description),
      values: valuesOf(schema),
      example: exampleOf(schema),
    };
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
