import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { datasetSchema, openapi, operatorApi } from '@rollcall/contracts';

/**
 * Generators of clients turn names into those of a language, and formats into its types. Each rule is one that a generator
 * for TypeScript, Java, Go, C#, Python, Rust, PHP, Kotlin or Swift stumbled over, or would.
 */

type Node = Readonly<Record<string, unknown>>;

const documents: Readonly<Record<string, Node>> = {
  'openapi.yaml': openapi(),
  'operator.yaml': operatorApi(),
};

/** Names that a language knows without an import. A generated type of this name hides it, or is hidden by it. */
const BUILT_IN = new Set(
  `any array arraylist attribute blob bool boolean box buffer bytes cell char character class clone closure comment
  comparable console copy countable date datetime debug decimal default delegate dict document double drop duration
  element enum err error event exception exit file float format formdata function generator guid hash headers history
  image int integer interface iterable iterator list location lock long map mixed module mutex never node none nothing
  notification null number object ok option optional override package pair path process promise proxy queue range rc
  record reflect regexp report request resource response result runnable runtime selection self sequence set short
  static storage stream string struct symbol system task text thread throwable timezone tuple type uint unit url uri
  variant vec version void warning weakmap weakset window worker`.split(/\s+/),
);

/** Words that cannot name a function in one of the languages. */
const RESERVED = new Set(
  `abstract actor as assert async await base break case catch class const continue debugger def default defer del delete
  do echo elif else empty end enum eval event except export extends extern false final finally fn for foreach from func
  function global go goto if impl implements import in init inline instanceof interface internal is isset lambda let
  list lock loop match mod move mut namespace new nil none not null object operator or out override package params pass
  print private protected protocol public raise range ref require return select self static struct super switch this
  throw trait true try type typeof union unsafe unset use using val var void when where while with yield`.split(
    /\s+/,
  ),
);

/** What generators add to the name of an operation for its types. */
const SUFFIXES =
  'Args Body Data Error Errors Headers Input Options Output Params Parameters Query Response Responses Result';

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

/** The name without what generators drop. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function duplicates(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.findIndex((one) => folded(one) === folded(name)) !== index);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** Every object in the document, with the path to it. */
function nodesIn(value: unknown, path = ''): readonly { readonly path: string; readonly node: Node }[] {
  if (!isNode(value)) return [];
  // What an example says is not a schema.
  if (/\/examples?$/.test(path)) return [];
  const inside = Object.entries(value).flatMap(([name, one]) => nodesIn(one, `${path}/${name}`));
  return Array.isArray(value) ? inside : [{ path, node: value }, ...inside];
}

function resolved(document: Node, node: Node): Node {
  if (typeof node.$ref !== 'string') return node;
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((parent, name) => (parent as Node)[name], document);
  return resolved(document, found as Node);
}

function typesOf({ type }: Node): readonly unknown[] {
  return [type].flat().filter((one) => one !== undefined && one !== 'null');
}

/** An id, or a number that does not fit into 32 bits. */
function isLong({ path, node }: { readonly path: string; readonly node: Node }): boolean {
  const [name = ''] = path
    .replace(/\/(?:items|anyOf\/\d+|oneOf\/\d+)$/, '')
    .split('/')
    .slice(-1);
  const isId = /(?:^|_)ids?$/i.test(name) || /^NumericId$|^group_leader$/.test(name);
  const [minimum, maximum] = [Number(node.minimum ?? 0), Number(node.maximum ?? 0)];
  return typesOf(node).includes('integer') && (isId || maximum >= 2 ** 31 || minimum < -(2 ** 31));
}

for (const [file, document] of Object.entries(documents)) {
  const components = document.components as Readonly<Record<string, Readonly<Record<string, Node>>>>;
  const items = Object.entries({ ...(document.paths as Node), ...(document.webhooks as Node) });
  const operations = items.flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Node>>)
      .filter(([method]) => METHODS.includes(method))
      .map(([, operation]) => ({
        id: String(operation.operationId),
        path,
        operation,
        parameters: [
          ...(((item as Node).parameters ?? []) as Node[]),
          ...((operation.parameters ?? []) as Node[]),
        ].map((parameter) => resolved(document, parameter)),
      })),
  );
  const ids = operations.map(({ id }) => id);
  const schemas = Object.entries(components.schemas ?? {});
  const nodes = nodesIn(document);

  describe(`Names and types in ${file}, as generators see them`, () => {
    test('parameters of an operation differ in letters or digits', () => {
      for (const { id, parameters } of operations)
        assert.deepEqual(duplicates(parameters.map(({ name }) => String(name))), [], id);
    });

    test('components and operations differ in letters or digits, whatever kind they are', () => {
      const names = Object.entries(components)
        .filter(([kind]) => kind !== 'securitySchemes')
        .flatMap(([, named]) => Object.keys(named));
      assert.deepEqual(duplicates([...names, ...ids]), []);
      const derived = ids.flatMap((id) => SUFFIXES.split(' ').map((suffix) => folded(`${id}${suffix}`)));
      assert.deepEqual(
        names.filter((name) => derived.includes(folded(name))),
        [],
      );
    });

    test('no schema is named like a type that a language has already, and no operation like a keyword', () => {
      assert.deepEqual(
        schemas.map(([name]) => name).filter((name) => BUILT_IN.has(folded(name))),
        [],
      );
      assert.deepEqual(
        ids.filter((id) => RESERVED.has(folded(id))),
        [],
      );
    });

    test('names begin with a letter, and only parameters and events have more than letters, digits and underscores', () => {
      for (const name of [...ids, ...Object.values(components).flatMap((named) => Object.keys(named))])
        assert.match(name, /^[A-Za-z][A-Za-z0-9]*$/);
      for (const { path, node } of nodes.filter(({ node: { properties } }) => isNode(properties)))
        for (const name of Object.keys(node.properties as Node))
          assert.match(name, /^[a-z][a-z0-9_]*$/, path);
    });

    test('fields of an object differ in letters or digits, from each other and from its name', () => {
      for (const { path, node } of nodes.filter(({ node: { properties } }) => isNode(properties))) {
        const names = Object.keys(node.properties as Node);
        const own = /^\/components\/schemas\/(\w+)$/.exec(path)?.[1] ?? [];
        assert.deepEqual(duplicates([own, names].flat()), [], path);
      }
    });

    test('a schema has one type, or that and null, and the values of an enum are of that type and differ in letters or digits', () => {
      for (const { path, node } of nodes) {
        if (path.endsWith('/properties')) continue;
        if (Array.isArray(node.type)) assert.equal(typesOf(node).length, 1, path);
        if (!Array.isArray(node.enum)) continue;
        assert.equal(
          new Set(node.enum.map((value) => (value === null ? 'null' : typeof value))).size,
          1,
          path,
        );
        assert.ok(!node.enum.includes(null), path);
        const isText = node.enum.every((value) => /[a-z]/i.test(String(value)));
        if (isText) assert.deepEqual(duplicates(node.enum.map(String)), [], path);
      }
    });

    test('every id is an int64', () => {
      const wrong = nodes.filter((one) => isLong(one) && one.node.format !== 'int64').map(({ path }) => path);
      assert.deepEqual(wrong, []);
      assert.ok(nodes.some(isLong));
    });

    test('answers have no format that only some programs know', () => {
      const known = ['date-time', 'uri', 'uuid', 'int64'];
      const seen = new Set<Node>();
      const check = (value: unknown, path: string): void => {
        if (!isNode(value)) return;
        const node = resolved(document, value);
        if (seen.has(node)) return;
        seen.add(node);
        if (typeof node.format === 'string')
          assert.ok(known.includes(node.format), `${path}: ${node.format}`);
        for (const [name, one] of Object.entries(node))
          if (!/^examples?$/.test(name)) check(one, `${path}/${name}`);
      };
      for (const { id, operation } of operations) check(operation.responses, id);
      check(document.webhooks, 'webhooks');
    });

    test('every example of a body has one of the same name in an answer that succeeds', () => {
      for (const { id, operation } of operations.filter(({ path }) => path.startsWith('/'))) {
        const body = resolved(document, (operation.requestBody ?? {}) as Node);
        const asked = Object.values((body.content ?? {}) as Readonly<Record<string, Node>>);
        const answered = Object.entries(operation.responses as Readonly<Record<string, Node>>)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, answer]) => Object.values(resolved(document, answer).content ?? {}) as Node[])
          .flatMap(({ examples }) => Object.keys(examples ?? {}));
        const missing = asked.flatMap(({ examples }) => Object.keys(examples ?? {}));
        assert.deepEqual(
          missing.filter((name) => !answered.includes(name)),
          [],
          id,
        );
      }
    });

    test('one base URL serves every path, and URLs are quoted', () => {
      assert.deepEqual(
        items.filter(([, item]) => 'servers' in (item as Node)).map(([path]) => path),
        [],
      );
      assert.deepEqual(
        operations.filter(({ operation }) => 'servers' in operation).map(({ id }) => id),
        [],
      );
      const text = readFileSync(new URL(`../../../contracts/${file}`, import.meta.url), 'utf8');
      assert.deepEqual(text.match(/^\s*(?:- )?[\w-]+: <?https?:.*$|[[{,] *\w+: https?:.*$/gm), null);
    });
  });
}

test('every id in dataset.schema.json is an int64', () => {
  const nodes = nodesIn(datasetSchema());
  assert.deepEqual(
    nodes.filter((one) => isLong(one) && one.node.format !== 'int64').map(({ path }) => path),
    [],
  );
  assert.ok(nodes.some(isLong));
});
