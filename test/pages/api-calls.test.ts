import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiCall } from '@rollcall/core';
import { readableText } from '#test/support/page/client.js';
import { startOwnedSite } from '#test/support/page/site.js';

const page = '/organizations/1/calls';

function aCall(fields: Partial<ApiCall> = {}): ApiCall {
  return {
    ...{ organizationId: 1, at: new Date('2026-11-20T11:00:05.000Z'), method: 'GET', operation: 'listUsers' },
    ...{ path: '/api/v2/organizations/1/users?email', status: 200, errorCode: null, errorText: null },
    ...{ requestId: 'request-1', milliseconds: 1234 },
    ...fields,
  };
}

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) => readableText(row));

test('lists the calls of the organization, newest first, with answer, error code, request ID and time', async (t) => {
  const { site, owner } = await startOwnedSite(t);
  assert.match(await owner.read(page), /No calls yet\. The guide shows/);
  await site.storage.apiCalls.add([
    aCall(),
    aCall({ organizationId: 2, requestId: 'of another' }),
    aCall({
      status: 404,
      errorCode: 'member-not-found',
      errorText: 'No <b>',
      requestId: 'request-2',
      milliseconds: 3,
    }),
    aCall({ status: null, requestId: '<b>' }),
  ]);
  const { text } = await owner.open(page);
  const call = 'GET /api/v2/organizations/1/users?email listUsers';
  assert.deepEqual(rowsOf(text), [
    `20 Nov 2026, 11:00:05 ${call} Cut off <b> 1,234`,
    `20 Nov 2026, 11:00:05 ${call} 404 No <b> member-not-found request-2 3`,
    `20 Nov 2026, 11:00:05 ${call} 200 request-1 1,234`,
  ]);
  assert.match(text, /<a [^>]*href="\/docs#error-member-not-found">member-not-found<\/a>/);
});

test('shows only failed calls, and only those of one operation, also on its pages', async (t) => {
  const { site, owner } = await startOwnedSite(t);
  const failed = Array.from({ length: 60 }, (_, index) =>
    aCall({ status: 500, requestId: `failed-${index}` }),
  );
  await site.storage.apiCalls.add([...failed, aCall(), aCall({ operation: 'readUser', status: 404 })]);
  const count = async (query: string) => rowsOf((await owner.open(`${page}?${query}`)).text).length;
  assert.deepEqual([await count(''), await count('page=2')], [50, 12]);
  assert.deepEqual([await count('state=failed&page=2'), await count('operation=readUser')], [11, 1]);
  assert.equal(await count('state=failed&operation=listUsers&page=2'), 10);
  const { text } = await owner.open(`${page}?state=failed&operation=listUsers`);
  assert.match(text, /<option value="listUsers" selected>/);
  assert.match(text, /href="\?state=failed&amp;operation=listUsers&amp;page=2"/);
  assert.match(text, /href="\/organizations\/1\/calls\?operation=listUsers">All</);
  const none = await owner.open(`${page}?operation=nothing`);
  assert.match(none.words, /No calls match\. Show all calls/);
  assert.ok(Buffer.byteLength((await owner.open(page)).text) < 60_000);
});

test('is linked from the settings and from the access key', async (t) => {
  const { site, owner } = await startOwnedSite(t);
  await site.core.generateAccessKey({ organizationId: 1 });
  for (const path of ['/organizations/1/settings', '/organizations/1/access-key'])
    assert.ok((await owner.open(path)).text.includes(`href="${page}"`), path);
});
