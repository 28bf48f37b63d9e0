import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ApiCall } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { type PageClient, readableText } from '#test/support/page/client.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';

const page = '/organizations/1/calls';
const password = 'a good password';

function aCall(fields: Partial<ApiCall> = {}): ApiCall {
  return {
    ...{ organizationId: 1, at: new Date('2026-11-20T11:00:05.000Z'), method: 'GET', operation: 'listUsers' },
    ...{ path: '/api/v2/organizations/1/users?email', status: 200, errorCode: null, errorText: null },
    ...{ requestId: 'request-1', milliseconds: 1234 },
    ...fields,
  };
}

async function startSite(t: TestContext): Promise<{ readonly site: PageSite; readonly owner: PageClient }> {
  const site = await startPageSite(t);
  await site.load({ organizations: [anOrganization(1), anOrganization(2)] });
  await site.addUser({ id: 100, password, organizations: [1], role: 'owner' });
  const owner = site.visitor();
  await owner.fillIn('/sign-in', { email: aUser(100).email, password });
  return { site, owner };
}

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) => readableText(`<body>${row}`));

test('lists the calls of the organization, newest first, with answer, error code, request ID and time', async (t) => {
  const { site, owner } = await startSite(t);
  assert.match(readableText((await owner.open(page)).text), /No calls yet\. The guide shows/);
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
  const { site, owner } = await startSite(t);
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
  assert.match(readableText(none.text), /No calls match\. Show all calls/);
  assert.ok(Buffer.byteLength((await owner.open(page)).text) < 60_000);
});

test('is linked from the settings and from the access key', async (t) => {
  const { site, owner } = await startSite(t);
  await site.core.generateAccessKey({ organizationId: 1 });
  for (const path of ['/organizations/1/settings', '/organizations/1/access-key'])
    assert.ok((await owner.open(path)).text.includes(`href="${page}"`), path);
});
