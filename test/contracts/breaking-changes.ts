/**
 * Compares two OpenAPI 3.1 documents, and describes every change that can break a client of the first: one sentence
 * each. Additions are no breaking changes: new paths, operations, optional parameters and fields, error statuses, and
 * values that a response did not have before, as clients are told to expect them.
 */
export function breakingChanges(released: unknown, current: unknown): readonly string[] {
  const [before, now] = [documentOf(released), documentOf(current)];
  return [
    ...[...before.operations].flatMap(([name, operation]) => changesOf(name, operation, now.operations)),
    ...[...before.webhooks].flatMap(([name, operation]) => changesOf(name, operation, now.webhooks)),
  ];
}

type Node = Readonly<Record<string, unknown>>;

/** Which side writes the value. A client breaks if a request accepts less, or if a response contains other things. */
type Direction = 'request' | 'response';

interface Located {
  readonly root: Node;
  readonly node: Node;
}

interface Operation extends Located {
  /** Parameters of the path and of the operation. */
  readonly parameters: ReadonlyMap<string, Located>;
  /** Of its parameters and body: a client sends them to a path, and the service sends them to a webhook. */
  readonly direction: Direction;
  readonly isPublic: boolean;
}

interface Description {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly webhooks: ReadonlyMap<string, Operation>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

function documentOf(source: unknown): Description {
  const root = nodeOf(source);
  const operationsIn = (section: string, direction: Direction): ReadonlyMap<string, Operation> =>
    new Map(
      Object.entries(nodeOf(root[section])).flatMap(([path, value]) => {
        const item = resolve({ root, node: nodeOf(value) });
        return METHODS.filter((method) => method in item).map((method) => {
          const node = nodeOf(item[method]);
          const listed = [...listOf(item.parameters), ...listOf(node.parameters)];
          const parameters = listed.map((one) => resolve({ root, node: nodeOf(one) }));
          const security = listOf(node.security ?? root.security);
          const operation = {
            root,
            node,
            direction,
            parameters: new Map(parameters.map((one) => [`${one.in} ${one.name}`, { root, node: one }])),
            isPublic: security.length === 0 || security.some((one) => Object.keys(nodeOf(one)).length === 0),
          };
          return [`${method.toUpperCase()} ${path}`, operation] as const;
        });
      }),
    );
  return {
    operations: operationsIn('paths', 'request'),
    webhooks: operationsIn('webhooks', 'response'),
  };
}

function changesOf(
  name: string,
  before: Operation,
  operations: ReadonlyMap<string, Operation>,
): readonly string[] {
  const now = operations.get(name);
  if (now === undefined) return [`${name} was removed.`];
  const changes: string[] = [];
  if (before.node.operationId !== now.node.operationId)
    changes.push(`${name} is no longer named ${before.node.operationId}.`);
  if (before.isPublic && !now.isPublic) changes.push(`${name} now needs a token.`);
  return [
    ...changes,
    ...parameterChanges(name, before, now),
    ...bodyChanges(name, before, now),
    ...responseChanges(name, before, now),
  ];
}

function parameterChanges(name: string, before: Operation, now: Operation): readonly string[] {
  const { direction } = before;
  const kept = [...before.parameters].flatMap(([key, parameter]) => {
    const other = now.parameters.get(key);
    if (other === undefined) return [`${name}: the parameter ${key} was removed.`];
    const isNewlyRequired = parameter.node.required !== true && other.node.required === true;
    return [
      ...(isNewlyRequired && direction === 'request'
        ? [`${name}: the parameter ${key} is now required.`]
        : []),
      ...schemaChanges(`${name}, parameter ${key}`, {
        before: within(parameter, 'schema'),
        now: within(other, 'schema'),
        direction,
      }),
    ];
  });
  const added = [...now.parameters]
    .filter(() => direction === 'request')
    .filter(([key, { node }]) => node.required === true && !before.parameters.has(key))
    .map(([key]) => `${name}: the new parameter ${key} is required.`);
  return [...kept, ...added];
}

function bodyChanges(name: string, before: Operation, now: Operation): readonly string[] {
  const bodyOf = ({ root, node }: Operation): Located | null =>
    node.requestBody === undefined ? null : { root, node: resolve({ root, node: nodeOf(node.requestBody) }) };
  const [body, other] = [bodyOf(before), bodyOf(now)];
  if (other === null) return body === null ? [] : [`${name}: the request body was removed.`];
  const isNewlyRequired = other.node.required === true && body?.node.required !== true;
  return [
    ...(isNewlyRequired && before.direction === 'request'
      ? [`${name}: the request body is now required.`]
      : []),
    ...(body === null
      ? []
      : contentChanges(`${name}, request`, { before: body, now: other, direction: before.direction })),
  ];
}

function responseChanges(name: string, before: Operation, now: Operation): readonly string[] {
  const responsesOf = ({ node }: Operation): Node => nodeOf(node.responses);
  return Object.entries(responsesOf(before)).flatMap(([status, value]) => {
    const place = `${name}, response ${status}`;
    const other = responsesOf(now)[status];
    // A client that handles an error that no longer occurs still works.
    if (other === undefined) return status.startsWith('2') ? [`${place} was removed.`] : [];
    const response = { root: before.root, node: resolve({ root: before.root, node: nodeOf(value) }) };
    const current = { root: now.root, node: resolve({ root: now.root, node: nodeOf(other) }) };
    const headers = Object.keys(nodeOf(response.node.headers)).flatMap((header) => {
      const [one, two] = [headerOf(response, header), headerOf(current, header)];
      if (two === null) return [`${place}: the header ${header} was removed.`];
      return one === null
        ? []
        : schemaChanges(`${place}, header ${header}`, {
            before: within(one, 'schema'),
            now: within(two, 'schema'),
            direction: 'response',
          });
    });
    return [...headers, ...contentChanges(place, { before: response, now: current, direction: 'response' })];
  });
}

function headerOf({ root, node }: Located, name: string): Located | null {
  const header = nodeOf(node.headers)[name];
  return header === undefined ? null : { root, node: resolve({ root, node: nodeOf(header) }) };
}

interface Pair {
  readonly before: Located;
  readonly now: Located;
  readonly direction: Direction;
}

function contentChanges(place: string, { before, now, direction }: Pair): readonly string[] {
  const [types, others] = [nodeOf(before.node.content), nodeOf(now.node.content)];
  return Object.keys(types).flatMap((type) => {
    if (!(type in others)) return [`${place}: ${type} was removed.`];
    return schemaChanges(place, {
      before: within({ root: before.root, node: nodeOf(types[type]) }, 'schema'),
      now: within({ root: now.root, node: nodeOf(others[type]) }, 'schema'),
      direction,
    });
  });
}

/** Deeper levels are not compared, because schemas can contain themselves. */
const MAX_DEPTH = 12;

function schemaChanges(place: string, pair: Pair, depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  const [before, now] = [flattened(pair.before), flattened(pair.now)];
  const alternatives = alternativesOf(before);
  if (alternatives !== null || alternativesOf(now) !== null)
    return alternativeChanges(place, { ...pair, before, now }, depth);
  return [
    ...valueChanges(place, { ...pair, before, now }),
    ...fieldChanges(place, { ...pair, before, now }, depth),
    ...nestedChanges(place, { ...pair, before, now }, depth),
  ];
}

function alternativesOf({ node }: Located): readonly unknown[] | null {
  const alternatives = node.oneOf ?? node.anyOf;
  return Array.isArray(alternatives) ? alternatives : null;
}

function alternativeChanges(
  place: string,
  { before, now, direction }: Pair,
  depth: number,
): readonly string[] {
  const each = (schema: Located): readonly Located[] =>
    (alternativesOf(schema) ?? [schema.node]).map((one) => ({ root: schema.root, node: nodeOf(one) }));
  return each(before).flatMap((one) => {
    const tries = each(now).map((other) =>
      schemaChanges(place, { before: one, now: other, direction }, depth + 1),
    );
    const best = tries.sort((a, b) => a.length - b.length)[0];
    return best ?? [`${place}: an alternative was removed.`];
  });
}

function valueChanges(place: string, { before, now, direction }: Pair): readonly string[] {
  const changes: string[] = [];
  const [types, others] = [typesOf(before.node), typesOf(now.node)];
  const lost = types.filter((type) => !covers(others, type));
  const gained = others.filter((type) => !covers(types, type));
  if (direction === 'request' && lost.length > 0)
    changes.push(`${place} no longer accepts ${lost.join(' or ')}.`);
  if (direction === 'response' && gained.length > 0)
    changes.push(`${place} can now be ${gained.join(' or ')}.`);
  const values = valuesOf(before.node);
  const allowed = valuesOf(now.node);
  if (values !== null && allowed !== null) {
    const removed = values.filter((value) => !allowed.includes(value));
    if (removed.length > 0) changes.push(`${place}: ${removed.join(', ')} was removed from its values.`);
  }
  if (direction === 'request' && values === null && allowed !== null)
    changes.push(`${place} accepts only ${allowed.join(', ')} now.`);
  for (const key of ['format', 'pattern'] as const) {
    const [one, other] = [before.node[key], now.node[key]];
    if (one === other) continue;
    // A format less is no change for a client that sends, and a format more is none for one that reads.
    if ((direction === 'request' ? other : one) !== undefined)
      changes.push(`${place}: its ${key} was ${one ?? 'free'}, and is ${other ?? 'free'} now.`);
  }
  if (direction === 'request') changes.push(...limitChanges(place, before.node, now.node));
  return changes;
}

/** Limits of requests, and whether a greater number allows less. */
const LIMITS: Readonly<Record<string, 'lowest' | 'highest'>> = {
  minimum: 'lowest',
  minLength: 'lowest',
  minItems: 'lowest',
  maximum: 'highest',
  maxLength: 'highest',
  maxItems: 'highest',
};

function limitChanges(place: string, before: Node, now: Node): readonly string[] {
  return Object.entries(LIMITS).flatMap(([limit, kind]) => {
    const [one, other] = [before[limit], now[limit]];
    if (typeof other !== 'number') return [];
    const isNarrower = typeof one !== 'number' || (kind === 'lowest' ? other > one : other < one);
    return isNarrower ? [`${place}: its ${limit} was ${one ?? 'free'}, and is ${other} now.`] : [];
  });
}

function fieldChanges(place: string, { before, now, direction }: Pair, depth: number): readonly string[] {
  const [fields, others] = [nodeOf(before.node.properties), nodeOf(now.node.properties)];
  const [required, requiredNow] = [listOf(before.node.required), listOf(now.node.required)];
  const changes = Object.keys(fields).flatMap((field) => {
    const path = `${place}, field ${field}`;
    if (!(field in others)) return [`${path} was removed.`];
    const isLost = direction === 'response' && required.includes(field) && !requiredNow.includes(field);
    return [
      ...(isLost ? [`${path} can now be left out.`] : []),
      ...schemaChanges(
        path,
        {
          before: { root: before.root, node: nodeOf(fields[field]) },
          now: { root: now.root, node: nodeOf(others[field]) },
          direction,
        },
        depth + 1,
      ),
    ];
  });
  if (direction === 'response') return changes;
  const newlyRequired = requiredNow.filter((field) => !required.includes(field));
  return [
    ...changes,
    ...newlyRequired.map((field) => `${place}, field ${field} is now required.`),
    ...(before.node.additionalProperties !== false && now.node.additionalProperties === false
      ? [`${place} no longer accepts other fields.`]
      : []),
  ];
}

function nestedChanges(place: string, { before, now, direction }: Pair, depth: number): readonly string[] {
  return (['items', 'additionalProperties'] as const).flatMap((key) => {
    if (!isNode(before.node[key]) || !isNode(now.node[key])) return [];
    const path = key === 'items' ? `${place}, each item` : `${place}, each value`;
    return schemaChanges(path, { before: within(before, key), now: within(now, key), direction }, depth + 1);
  });
}

const ALL_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'];

function typesOf({ type, enum: values, const: only }: Node): readonly string[] {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  const listed = only === undefined ? values : [only];
  if (!Array.isArray(listed)) return ALL_TYPES;
  return [...new Set(listed.map((value) => (value === null ? 'null' : typeof value)))];
}

function covers(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function valuesOf({ enum: values, const: only }: Node): readonly unknown[] | null {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? values : null;
}

/** The schema without references, and with the parts of `allOf` as one. */
function flattened({ root, node }: Located): Located {
  const { allOf, ...own } = resolve({ root, node });
  const parts = [...listOf(allOf).map((part) => flattened({ root, node: nodeOf(part) }).node), own];
  const merged = Object.assign({}, ...parts) as Node;
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  const required = [...new Set(parts.flatMap((part) => listOf(part.required)))];
  return { root, node: { ...merged, properties, required } };
}

/** Follows references. What is written beside a reference is added to what it refers to. */
function resolve({ root, node }: Located): Node {
  const { $ref, ...beside } = node;
  if (typeof $ref !== 'string') return node;
  let found: unknown = root;
  for (const part of $ref.replace(/^#\//, '').split('/'))
    found = nodeOf(found)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  if (!isNode(found)) throw new Error(`${$ref} does not exist`);
  return { ...resolve({ root, node: found }), ...beside };
}

function within({ root, node }: Located, key: string): Located {
  return { root, node: nodeOf(node[key]) };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
