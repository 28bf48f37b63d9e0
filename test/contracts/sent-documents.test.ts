import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiDocument, openapi, operatorApi } from '@rollcall/contracts';
import { fixedClock, plainPasswords, recordingSender } from '@rollcall/core/testing';
import { ID } from '#app/assembly/identifiers.js';
import { commandContextOf } from '#app/command-context.js';
import { prepareDemo } from '#app/demo/prepare-demo.js';
import { sampleFacts } from '#app/sample/sample-facts.js';
import { sampleUuid } from '#app/sample/sample-uuid.js';
import { type HttpClient, httpClient, type Sent } from '../support/http/client.js';
import {
  type OperatorService,
  operatorToken,
  startOperatorService,
} from '../support/http/operator-service.js';
import type { Reply } from '../support/http/reply.js';

type Node = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Node;
  readonly example?: unknown;
}

/** A value of a request, by the place where it is sent. */
interface Value {
  readonly in: string;
  readonly name: string;
  readonly value: unknown;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The examples of the body, by media type. */
  readonly bodies: readonly { readonly type: string; readonly name: string; readonly value: unknown }[];
  readonly bodySchema: Node | null;
}

/** What was sent with an example, and the answer. */
interface Answered {
  readonly what: string;
  readonly reply: Reply;
}

const documents = {
  'openapi.yaml': { document: openapi(), base: '/api/v2' },
  'operator.yaml': { document: operatorApi(), base: '/operator/v1' },
} as const;

/** What a default is tried with. */
type Twin = Readonly<Record<string, string>>;

/** Two equal people, where the first request would change what the second answers. */
const twins: Readonly<Record<string, readonly [Twin, Twin]>> = {
  removeUser: [{ uuid: sampleUuid(51) }, { uuid: sampleUuid(52) }],
  eraseUser: [{ email: 'amara.okafor@example.test' }, { email: 'sam.oneill@example.test' }],
};

/** Whether it changes nothing. */
function isRead({ method, id }: Operation): boolean {
  return method === 'GET' || id === 'exportMeetingsByPost';
}

describe('What the documents show, sent to the data of the demo', () => {
  let service: OperatorService;
  let api: HttpClient;
  let token: string;
  before(async () => {
    service = await startOperatorService({
      database: 'sqlite',
      override(container) {
        // The examples name days of this month.
        const clock = fixedClock(new Date('2026-11-27T12:00:00.000Z'));
        container
          .rebind(ID.clock)
          .toConstantValue({ ...clock, measure: async () => {}, aheadMs: () => null });
        container.rebind(ID.passwords).toConstantValue(plainPasswords());
        container.rebind(ID.webhookSender).toConstantValue(recordingSender());
      },
    });
    await prepareDemo({
      context: commandContextOf(service.assembly),
      receiverUrl: 'https://127.0.0.1:3443/webhook',
      onLoading() {},
    });
    api = httpClient(service.publicPort);
    const { accessKey } = sampleFacts.organization;
    const signedIn = await api.send('POST', '/api/v2/authenticate', { json: { access_key: accessKey } });
    token = signedIn.json.token;
  });
  after(async () => {
    api.close();
    await service.stop();
  });

  for (const [name, { document, base }] of Object.entries(documents)) {
    const operations = operationsOf(document);
    const isPublic = name === 'openapi.yaml';
    const send = (operation: Operation, values: readonly Value[], sent: Sent = {}): Promise<Reply> => {
      const { path, headers } = requestOf(operation, values);
      const authorization = `Bearer ${isPublic ? token : operatorToken}`;
      return (isPublic ? api : service.client).send(operation.method, `${base}${path}`, {
        ...sent,
        headers: { Authorization: authorization, ...headers, ...sent.headers },
      });
    };

    describe(name, () => {
      test('no default changes the answer when it is sent', async () => {
        const changed: string[] = [];
        const tried = new Set<Node>();
        for (const operation of operations) {
          const needed = examplesOf(operation).filter(isNeeded);
          const [first] = operation.bodies;
          for (const { schema, ...value } of defaultsOf(document, operation)) {
            tried.add(schema);
            const [one, other] = twins[operation.id] ?? [{}, {}];
            const sendTwin = (twin: Twin, added: readonly Value[], fields: object = {}): Promise<Reply> =>
              send(
                operation,
                [...needed.map((path) => ({ ...path, value: twin[path.name] ?? path.value })), ...added],
                first === undefined
                  ? {}
                  : bodyOf(
                      first.type,
                      isJson(first) ? { ...unpaged(first.value), ...twin, ...fields } : first.value,
                    ),
              );
            if (operation.id === 'importRecords') await sendTwin(one, []);
            const without = await sendTwin(one, []);
            const sent =
              value.in === 'body'
                ? await sendTwin(other, [], { [value.name]: value.value })
                : await sendTwin(other, [value]);
            assert.ok(without.status < 300, without.text);
            if (sent.status !== without.status || sent.text !== without.text)
              changed.push(`${operation.id}: ${value.in} ${value.name}=${value.value}`);
          }
        }
        assert.deepEqual(changed, []);
        assert.deepEqual(
          schemasWithDefault(document).filter((schema) => !tried.has(schema)),
          [],
        );
      });

      for (const operation of operations) {
        test(`${operation.id}: the examples work, one by one and together`, async () => {
          const answers: Answered[] = [];
          for (const { what, values, sent } of requestsOf(operation))
            answers.push({ what, reply: await send(operation, values, sent) });
          assert.ok(answers.length > 0);
          for (const { what, reply } of answers) {
            assert.ok(reply.status < 300, `${what}: ${reply.status} ${reply.text}`);
            if (isRead(operation)) assert.deepEqual(emptyLists(reply.json), [], what);
          }
        });
      }
    });
  }
});

/** Without a column, nothing is exported. */
function isNeeded({ in: place, name }: Value): boolean {
  return place === 'path' || name === 'column[]';
}

function isJson({ type }: { readonly type: string }): boolean {
  return type === 'application/json';
}

/** One field that turns pages on would hide what another one does. */
function unpaged(body: unknown): object {
  const { page, per_page, ...rest } = Object(body) as Node;
  return rest;
}

/** The lists of an answer that have no item. */
function emptyLists(json: unknown): readonly string[] {
  return Object.entries(Object(json))
    .filter(([name]) => /^(meetings|users|invitations|deliveries|events|changes|memberships)$/.test(name))
    .filter(([, list]) => Array.isArray(list) && list.length === 0)
    .map(([name]) => name);
}

/** Each example of a parameter beside those that the request needs, all of them together, and each body. */
function requestsOf(operation: Operation) {
  const all = examplesOf(operation);
  const needed = all.filter(isNeeded);
  const optional = all.filter((value) => !needed.includes(value));
  const bodies = operation.bodies.map(({ type, name, value }) => ({
    what: `the body ${name} as ${type}`,
    values: needed,
    sent: bodyOf(type, value),
  }));
  const [first] = bodies;
  const together = { what: 'all parameters', values: all, sent: first?.sent ?? {} };
  const alone = optional.map((value) => ({
    what: `${value.in} ${value.name}`,
    values: [...needed, value],
    sent: first?.sent ?? {},
  }));
  return isRead(operation) ? [...alone, together, ...bodies] : [...alone, ...(first ? bodies : [together])];
}

function bodyOf(type: string, value: unknown): Sent {
  if (isJson({ type })) return { json: value };
  if (type === 'application/x-ndjson') return { headers: { 'Content-Type': type }, body: String(value) };
  const fields = Object.entries(Object(value)).map(
    ([name, text]) => [name, String(text)] as [string, string],
  );
  if (type === 'application/x-www-form-urlencoded')
    return { headers: { 'Content-Type': type }, body: new URLSearchParams(fields).toString() };
  assert.equal(type, 'multipart/form-data');
  const parts = fields.map(
    ([name, text]) => `--part\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return { headers: { 'Content-Type': `${type}; boundary=part` }, body: `${parts.join('')}--part--\r\n` };
}

function requestOf({ path }: Operation, values: readonly Value[]) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const { in: place, name, value } of values) {
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'header') headers[name] = String(value);
    else for (const one of [value].flat()) query.append(name, String(one));
  }
  assert.doesNotMatch(filled, /[{}]/, `${path}: a parameter has no example`);
  return { path: query.size === 0 ? filled : `${filled}?${query}`, headers };
}

function examplesOf({ parameters }: Operation): readonly Value[] {
  return parameters.flatMap(({ in: place, name, example, schema }) => {
    const value = example ?? (schema.examples as readonly unknown[] | undefined)?.[0];
    return value === undefined ? [] : [{ in: place, name, value }];
  });
}

/** Every default of a parameter or of a field of the body. */
function defaultsOf(document: ApiDocument, { parameters, bodySchema }: Operation) {
  const ofParameters = parameters
    .filter(({ schema }) => schema.default !== undefined)
    .map(({ in: place, name, schema }) => ({ in: place, name, value: schema.default, schema }));
  const fields = Object.entries(Object(bodySchema?.properties) as Readonly<Record<string, Node>>);
  const ofBody = fields.flatMap(([name, schema]) => {
    const found = resolved(document, schema);
    return found.default === undefined ? [] : [{ in: 'body', name, value: found.default, schema: found }];
  });
  return [...ofParameters, ...ofBody];
}

/** Every schema of the document with a default, wherever it is. */
function schemasWithDefault(node: unknown, name = ''): readonly Node[] {
  if (typeof node !== 'object' || node === null) return [];
  const within = Object.entries(node).flatMap(([key, value]) => schemasWithDefault(value, key));
  return 'default' in node && name !== 'responses' ? [node as Node, ...within] : within;
}

function operationsOf(document: ApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Node>>)
      .filter(([method]) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
      .map(([method, operation]): Operation => {
        const listed = [item, operation].flatMap(({ parameters = [] }) => parameters as readonly Node[]);
        const parameters = listed.map((one): Parameter => {
          const parameter = resolved(document, one) as unknown as Parameter;
          return { ...parameter, schema: resolved(document, parameter.schema) };
        });
        // A parameter of the operation replaces one of the path.
        const byName = new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]));
        const content = Object((operation.requestBody as Node | undefined)?.content) as Readonly<
          Record<string, { readonly schema: Node; readonly examples?: Readonly<Record<string, Node>> }>
        >;
        const [body] = Object.values(content);
        return {
          id: String(operation.operationId),
          method: method.toUpperCase(),
          path,
          parameters: [...byName.values()],
          bodies: Object.entries(content).flatMap(([type, { examples = {} }]) =>
            Object.entries(examples).map(([name, example]) => ({
              type,
              name,
              value: resolved(document, example).value,
            })),
          ),
          bodySchema: body === undefined ? null : resolved(document, body.schema),
        };
      }),
  );
}

function resolved(document: ApiDocument, node: Node): Node {
  const { $ref } = node;
  if (typeof $ref !== 'string') return node;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((parent, name) => (parent as Node)[name], document);
  return resolved(document, found as Node);
}
