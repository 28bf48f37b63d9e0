import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@rollcall/core';
import { compileCheck } from '#adapters/express/check.js';
import { entryRules, inputRules, type OperationId } from '#adapters/express/contract.js';
import { ruleAnswers } from '#adapters/express/rule-answers.js';

const accepted = (input: Readonly<Record<string, unknown>>) => ({ input, problems: [] });

const refusalOf = (id: OperationId, input: unknown): Refusal => {
  try {
    compileCheck(id)(input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('the input was not refused');
};

describe('The check of an operation’s input against openapi.yaml', () => {
  test('a valid input passes, without fields that the operation does not have', () => {
    const names = { first_name: 'Dana', last_name: 'Kim' };
    const input = { email: 'dana@northwind.test', ...names, age: 40 };
    assert.deepEqual(compileCheck('inviteUser')(input), accepted({ email: 'dana@northwind.test', ...names }));
  });

  test('a refusal names the first problem of each field, in the order of the fields', () => {
    const refusal = refusalOf('inviteUser', { last_name: ' ', first_name: 7 });
    assert.equal(refusal.code, 'invalid-request');
    assert.deepEqual(refusal.problems, [
      { field: 'email', code: 'required', message: 'is required' },
      { field: 'firstName', code: 'wrong-type', message: 'must be a string' },
      { field: 'lastName', code: 'empty', message: 'must not be empty' },
    ]);
  });

  test('a body that is not an object is refused', () => {
    assert.equal(refusalOf('inviteUser', ['a']).message, 'The body must be a JSON object');
  });

  for (const input of ['a', [], {}, { access_key: 1 }, { access_key: '1'.repeat(23) }, { access_key: 'x' }]) {
    test(`authenticate: ${JSON.stringify(input)} is read as an input without an access key`, () => {
      assert.deepEqual(compileCheck('authenticate')(input), accepted({}));
    });
  }

  for (const [given, read] of [
    [0, 1],
    [2.5, 2],
    ['3', 3],
    [101, 100],
    ['many', 10],
    [true, 10],
  ] as const) {
    test(`items ${JSON.stringify(given)} is read as ${read}`, () => {
      assert.deepEqual(compileCheck('listUpcomingMeetings')({ items: given }), accepted({ items: read }));
    });
  }

  test('a field that has already failed gets its default', () => {
    const failed = { path: 'page', keyword: 'once', code: 'malformed', message: 'is not used' } as const;
    assert.deepEqual(compileCheck('listUpcomingMeetings')({}, [failed]), accepted({ page: 1 }));
  });

  test('the problems of a webhook are reported, and the invalid fields are left out', () => {
    const webhook = { url: 'http://a.test', enabled: 'yes', events: ['user.registered', 'x'] };
    const { input, problems } = compileCheck('createWebhook')({ webhook, regenerate_secret: 'no' });
    assert.deepEqual(input, { webhook: {} });
    assert.deepEqual(
      problems.map(({ field, code }) => [field, code]),
      [
        ['webhook.url', 'malformed'],
        ['webhook.enabled', 'wrong-type'],
        ['webhook.events', 'not-allowed'],
        ['regenerateSecret', 'not-allowed'],
      ],
    );
  });

  test('an empty URL and an empty list of events are left to the core', () => {
    const webhook = { url: '', enabled: true, events: [] };
    assert.deepEqual(compileCheck('changeWebhook')({ webhook }), accepted({ webhook }));
  });

  test('without a column, no other field of an export is checked', () => {
    assert.deepEqual(compileCheck('exportMeetings')({ column: [''], report_type: 'x' }), accepted({}));
  });

  test('each rule with a special answer names a field of its operation', () => {
    for (const [id, answers] of Object.entries(ruleAnswers)) {
      const { fields } = id === 'inviteUsers' ? entryRules(id, 'users') : inputRules(id as OperationId);
      for (const path of Object.keys(answers)) assert.ok(isField(path, fields), `${id}: ${path}`);
    }
  });
});

function isField(path: string, fields: ReadonlyMap<string, unknown>): boolean {
  const [first = '', ...inner] = path.split('.');
  let schema = fields.get(first) as { readonly properties?: Readonly<Record<string, object>> } | undefined;
  for (const name of inner) schema = schema?.properties?.[name];
  return path === '' || schema !== undefined;
}
