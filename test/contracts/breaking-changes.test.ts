import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { breakingChanges } from './breaking-changes.js';

/**
 * Changes that break no client, although the rules find them. Each is written as the rules report it, with its reason.
 * One that no longer occurs has to be removed.
 */
const accepted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0.1.0': {
    ...reasons('0.1.0 refused the same values, with the same response; its document did not say so.', [
      'POST /authenticate, request, field access_key no longer accepts array or boolean or null or number or object.',
      'POST /authenticate, request, field access_key: its pattern was free, and is ^[0-9]{24}$ now.',
      'POST /authenticate, request, field access_key is now required.',
    ]),
    ...reasons('The new pattern also allows an empty text.', [
      'POST /organizations/{organization_id}/webhook, request, field webhook, field url: its pattern was ^[Hh][Tt][Tt][Pp][Ss]://, and is ^([Hh][Tt][Tt][Pp][Ss]://|$) now.',
      'PATCH /organizations/{organization_id}/webhook, request, field webhook, field url: its pattern was ^[Hh][Tt][Tt][Pp][Ss]://, and is ^([Hh][Tt][Tt][Pp][Ss]://|$) now.',
    ]),
    ...reasons('The same values, type by type: most generators cannot read an enum of several types.', [
      'POST /organizations/{organization_id}/webhook, request, field regenerate_secret no longer accepts string or number.',
      'PATCH /organizations/{organization_id}/webhook, request, field regenerate_secret no longer accepts string or number.',
    ]),
    ...reasons('`column` is still read. Generators that drop brackets cannot tell it from `column[]`.', [
      'GET /organizations/{id}/export_meetings: the parameter query column was removed.',
    ]),
    ...reasons('The same addresses: programs whose formats know ASCII only refused some of them.', [
      'POST /organizations/{id}/invite_user, response 200, field user, field email: its format was idn-email, and is free now.',
      'POST user.registered, request, field user, field email: its format was idn-email, and is free now.',
    ]),
    ...reasons('A URL without a limit could not be stored and shown safely; no receiver has a longer one.', [
      'POST /organizations/{organization_id}/webhook, request, field webhook, field url: its maxLength was free, and is 2048 now.',
      'PATCH /organizations/{organization_id}/webhook, request, field webhook, field url: its maxLength was free, and is 2048 now.',
    ]),
    ...reasons(
      'Values outside are still accepted and clamped (decision 8); the document names what is useful.',
      [
        'POST /organizations/{id}/export_meetings, request, field page no longer accepts array or boolean or null or number or object or string.',
        'POST /organizations/{id}/export_meetings, request, field page: its minimum was free, and is 1 now.',
        'POST /organizations/{id}/export_meetings, request, field per_page no longer accepts array or boolean or null or number or object or string.',
        'POST /organizations/{id}/export_meetings, request, field per_page: its minimum was free, and is 1 now.',
        'POST /organizations/{id}/export_meetings, request, field per_page: its maximum was free, and is 100 now.',
      ],
    ),
  },
};

function reasons(reason: string, changes: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(changes.map((change) => [change, reason]));
}

const current = readFileSync(new URL('../../../contracts/openapi.yaml', import.meta.url), 'utf8');

const fixtures = new URL('../../fixtures/', import.meta.url);

/** The releases whose API was recorded. */
for (const release of readdirSync(fixtures)) {
  test(`The API breaks no client of release ${release}`, () => {
    const recorded = readFileSync(new URL(`${release}/openapi.yaml`, fixtures), 'utf8');
    const changes = breakingChanges(parse(recorded), parse(current));
    assert.deepEqual([...changes].sort(), Object.keys(accepted[release] ?? {}).sort());
  });
}

const released = {
  openapi: '3.1.0',
  security: [{ bearer: [] }],
  paths: {
    '/users/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: {
        operationId: 'readUser',
        security: [],
        parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', maximum: 100 } }],
        responses: {
          '200': {
            headers: { 'X-Code': { schema: { enum: ['one', 'two'] } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
          },
          '404': { description: 'No such user.' },
        },
      },
      post: {
        operationId: 'changeUser',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['role'],
                properties: {
                  role: { enum: ['admin', 'member'] },
                  name: { type: ['string', 'null'], minLength: 1, maxLength: 50 },
                  tags: { type: 'array', items: { type: 'string' } },
                },
              },
            },
          },
        },
        responses: { '200': { description: 'Changed.' } },
      },
    },
  },
  webhooks: {
    joined: {
      post: {
        operationId: 'joined',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
        },
        responses: {},
      },
    },
  },
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: ['integer', 'string'] } } },
    schemas: {
      Named: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      User: {
        allOf: [
          { $ref: '#/components/schemas/Named' },
          {
            required: ['id', 'at'],
            properties: {
              id: { type: 'integer' },
              at: { type: 'string', format: 'date-time' },
              friends: { type: 'array', items: { $ref: '#/components/schemas/User' } },
              place: { oneOf: [{ type: 'string' }, { type: 'null' }] },
            },
          },
        ],
      },
    },
  },
};

/** The document after a change of its text. */
function changed(from: string, to: string): unknown {
  const text = JSON.stringify(released);
  assert.ok(text.includes(from), from);
  return JSON.parse(text.replaceAll(from, to));
}

describe('breakingChanges', () => {
  const [get, post] = ['GET /users/{id}', 'POST /users/{id}'];
  const [answer, request] = [`${get}, response 200`, `${post}, request`];
  const breaks: readonly (readonly [from: string, to: string, changes: readonly string[]])[] = [
    ['"/users/{id}":', '"/people/{id}":', [`${get} was removed.`, `${post} was removed.`]],
    ['"post":{"operationId":"changeUser"', '"patch":{"operationId":"changeUser"', [`${post} was removed.`]],
    ['"readUser"', '"fetchUser"', [`${get} is no longer named readUser.`]],
    ['"security":[],', '', [`${get} now needs a token.`]],
    ['"name":"page"', '"name":"offset"', [`${get}: the parameter query page was removed.`]],
    ['"in":"query",', '"in":"query","required":true,', [`${get}: the parameter query page is now required.`]],
    [
      '"parameters":[{"name":"page"',
      '"parameters":[{"name":"by","in":"query","required":true},{"name":"page"',
      [`${get}: the new parameter query by is required.`],
    ],
    [
      '"type":["integer","string"]',
      '"type":"integer"',
      [
        `${get}, parameter path id no longer accepts string.`,
        `${post}, parameter path id no longer accepts string.`,
      ],
    ],
    ['"maximum":100', '"maximum":50', [`${get}, parameter query page: its maximum was 100, and is 50 now.`]],
    [
      '"responses":{"200":{"description":"Changed."}}',
      '"responses":{}',
      [`${post}, response 200 was removed.`],
    ],
    ['"X-Code":', '"X-Other":', [`${answer}: the header X-Code was removed.`]],
    ['["one","two"]', '["one"]', [`${answer}, header X-Code: two was removed from its values.`]],
    [
      '"requestBody":{"content":{"application/json":{"schema":{"type"',
      '"requestBody":{"content":{"text/plain":{"schema":{"type"',
      [`${request}: application/json was removed.`],
    ],
    [
      '"requestBody":{"content":{"application/json":{"schema":{"type"',
      '"requestBody":{"required":true,"content":{"application/json":{"schema":{"type"',
      [`${post}: the request body is now required.`],
    ],
    ['"required":["role"]', '"required":["role","name"]', [`${request}, field name is now required.`]],
    ['["admin","member"]', '["admin"]', [`${request}, field role: member was removed from its values.`]],
    [
      '["string","null"],"minLength":1',
      '["string"],"minLength":1',
      [`${request}, field name no longer accepts null.`],
    ],
    ['"minLength":1', '"minLength":2', [`${request}, field name: its minLength was 1, and is 2 now.`]],
    ['"maxLength":50', '"maxLength":40', [`${request}, field name: its maxLength was 50, and is 40 now.`]],
    [
      '"minLength":1',
      '"minLength":1,"pattern":"^a"',
      [`${request}, field name: its pattern was free, and is ^a now.`],
    ],
    [
      '"items":{"type":"string"}',
      '"items":{"enum":["a"]}',
      [`${request}, field tags, each item accepts only a now.`],
    ],
    [
      '"required":["role"]',
      '"additionalProperties":false,"required":["role"]',
      [`${request} no longer accepts other fields.`],
    ],
    ['"tags":', '"labels":', [`${request}, field tags was removed.`]],
    ['"joined":{"post"', '"left":{"post"', ['POST joined was removed.']],
  ];
  for (const [from, to, changes] of breaks)
    test(`finds: ${changes[0]}`, () => {
      assert.deepEqual(breakingChanges(released, changed(from, to)), changes);
    });

  const inBoth = (change: string): readonly string[] => [
    `${answer}${change}`,
    `POST joined, request${change}`,
  ];
  const responses: readonly (readonly [from: string, to: string, changes: readonly string[]])[] = [
    ['"at":{', '"on":{', inBoth(', field at was removed.')],
    ['"required":["id","at"]', '"required":["id"]', inBoth(', field at can now be left out.')],
    ['"id":{"type":"integer"}', '"id":{"type":["integer","null"]}', inBoth(', field id can now be null.')],
    ['"id":{"type":"integer"}', '"id":{"type":"number"}', inBoth(', field id can now be number.')],
    [
      '"format":"date-time"',
      '"format":"date"',
      inBoth(', field at: its format was date-time, and is date now.'),
    ],
    [
      '"oneOf":[{"type":"string"},{"type":"null"}]',
      '"oneOf":[{"type":"string"},{"type":"integer"}]',
      inBoth(', field place can now be string.'),
    ],
  ];
  for (const [from, to, changes] of responses)
    test(`finds in responses and webhooks: ${changes[0]}`, () => {
      const found = breakingChanges(released, changed(from, to));
      // Users contain users, so a change is found at several depths.
      assert.deepEqual(
        found.filter((change) => !change.includes('field friends')),
        changes,
      );
    });

  const additions: readonly (readonly [what: string, from: string, to: string])[] = [
    ['a path', '"paths":{', '"paths":{"/more":{"get":{"responses":{}}},'],
    [
      'an optional parameter',
      '"parameters":[{"name":"page"',
      '"parameters":[{"name":"by","in":"query"},{"name":"page"',
    ],
    ['an optional field of a request', '"tags":', '"more":{"type":"string"},"tags":'],
    ['a field of a response', '"at":{', '"more":{"type":"string"},"at":{'],
    ['a value of a request', '["admin","member"]', '["admin","member","owner"]'],
    ['a value of a response', '["one","two"]', '["one","two","three"]'],
    ['a type of a request', '"type":["integer","string"]', '"type":["number","string"]'],
    ['a greater limit', '"maximum":100', '"maximum":200'],
    ['an error status', '"404":', '"409":{},"404":'],
    ['an error status less', '"404":{"description":"No such user."}', '"409":{}'],
    [
      'a header that a webhook always has',
      '"operationId":"joined"',
      '"operationId":"joined","parameters":[{"name":"X-Id","in":"header","required":true}]',
    ],
  ];
  for (const [what, from, to] of additions)
    test(`accepts ${what}`, () => {
      assert.deepEqual(breakingChanges(released, changed(from, to)), []);
    });
});
