import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import { examplesIn } from '#test/support/guide-examples.js';
import { type PageClient, readableText } from '#test/support/page/client.js';
import { password, signInAs } from '#test/support/page/sign-in-as.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';

/** User 100 owns organizations 1 and 2 and is an admin of 3; user 101 is a member of 1. */
async function startSite(context: TestContext): Promise<PageSite> {
  const site = await startPageSite(context);
  const names = ['Northwind', 'Harbor <b>', 'Linden'];
  await site.load({ organizations: names.map((name, index) => anOrganization(index + 1, { name })) });
  await site.addUser({ id: 100, password, organizations: [1, 2, 3], role: 'owner' });
  await site.addUser({ id: 101, password, organizations: [1] });
  return site;
}

async function openGuide(client: PageClient, query = '') {
  const { status, text } = await client.open(`/docs/guide${query}`);
  assert.equal(status, 200);
  const shown = readableText(text)
    .replaceAll(/ (?=[,.])/g, '')
    .slice(0, 400);
  return { text: shown, values: examplesIn(text).get('shell-given')?.split('\n').slice(1) };
}

const placeholders = ['ORGANIZATION=your-organization-number', 'ACCESS_KEY=your-24-digit-access-key'];

describe('The values in the guide', () => {
  test('are placeholders for a reader who is not signed in', async (t) => {
    const { visitor } = await startSite(t);
    const { text, values } = await openGuide(visitor());
    assert.deepEqual(values, placeholders);
    // To the OWASP Core Rule Set, it would be the source of the server.
    assert.doesNotMatch((await visitor().open('/docs/guide')).text, /response\.(?:binary)?write/i);
    assert.match(text, /Fill in your organization’s number and access key first/);
    assert.match(text, /sign in to see your number here/);
  });

  test('are those of the reader’s organization, without its access key', async (t) => {
    const site = await startSite(t);
    const { text, values } = await openGuide(await signInAs(site, 100));
    assert.deepEqual(values, ['ORGANIZATION=1', 'ACCESS_KEY=your-24-digit-access-key']);
    assert.match(text, /They are for Northwind, organization 1\. Fill in your access key first\./);
    assert.match(text, /Show them for Harbor <b> or Linden/);
  });

  test('can be those of another organization that the reader administers', async (t) => {
    const owner = await signInAs(await startSite(t), 100);
    const { text, values } = await openGuide(owner, '?organization=2');
    assert.equal(values?.[0], 'ORGANIZATION=2');
    assert.match(text, /They are for Harbor <b>, organization 2/);
    for (const query of ['?organization=4', '?organization=x', '?organization=2&organization=3']) {
      assert.equal((await openGuide(owner, query)).values?.[0], 'ORGANIZATION=1', query);
    }
  });

  test('come with a section on mails', async (t) => {
    const { text } = await (await startSite(t)).visitor().open('/docs/guide');
    const [section = ''] = /<h2[^>]*id="mails".*?<h2/s.exec(text) ?? [];
    const words = readableText(`<body>${section}`);
    for (const part of ['SMTP_URL', 'MAIL_FROM', '200 a day per organization', 'gives up after 3 days'])
      assert.ok(words.includes(part), part);
  });

  test('are placeholders for a member, who has no access key', async (t) => {
    const site = await startSite(t);
    assert.deepEqual((await openGuide(await signInAs(site, 101))).values, placeholders);
  });

  test('stand in no other command', async (t) => {
    const site = await startSite(t);
    const { text } = await (await signInAs(site, 100)).open('/docs/guide');
    const [, ...others] = [...examplesIn(text)].filter(([id]) => id.startsWith('shell-'));
    for (const [id, command] of others)
      assert.doesNotMatch(command, /organizations\/\d|idp-0|[0-9a-f]{8}-[0-9a-f]{4}-|\b\d{24}\b/, id);
  });
});
