import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import { examplesIn } from '#test/support/guide-examples.js';
import { type PageClient, readableText } from '#test/support/page/client.js';
import { guidePaths as paths } from '#test/support/page/routes.js';
import { type PageSite, password, startPageSite } from '#test/support/page/site.js';

/** User 100 owns organizations 1 and 2 and is an admin of 3; user 101 is a member of 1. */
async function startSite(context: TestContext): Promise<PageSite> {
  const site = await startPageSite(context);
  const names = ['Northwind', 'Harbor <b>', 'Linden'];
  await site.load({ organizations: names.map((name, index) => anOrganization(index + 1, { name })) });
  await site.addUser({ id: 100, organizations: [1, 2, 3], role: 'owner' });
  await site.addUser({ id: 101, organizations: [1] });
  return site;
}

async function openGuide(client: PageClient, query = '') {
  const { status, text, words } = await client.open(`/docs/guide/quick-start${query}`);
  assert.equal(status, 200);
  const shown = words
    .replaceAll(/ (?=[,.])/g, '')
    .replace(/^.* (?=Run the commands)/, '')
    .slice(0, 300);
  return { text: shown, values: examplesIn(text).get('shell-given')?.split('\n').slice(1) };
}

const placeholders = ['ORGANIZATION=your-organization-number', 'ACCESS_KEY=your-24-digit-access-key'];

describe('The values in the guide', () => {
  test('are placeholders for a reader who is not signed in', async (t) => {
    const { visitor } = await startSite(t);
    const { text, values } = await openGuide(visitor());
    assert.deepEqual(values, placeholders);
    // To the OWASP Core Rule Set, it would be the source of the server.
    for (const path of paths)
      assert.doesNotMatch((await visitor().open(path)).text, /response\.(?:binary)?write/i, path);
    assert.match(text, /Fill in your organization’s number and access key first/);
    assert.match(text, /sign in to see your number here/);
  });

  test('are those of the reader’s organization, without its access key', async (t) => {
    const site = await startSite(t);
    const { text, values } = await openGuide(await site.signedIn(100));
    assert.deepEqual(values, ['ORGANIZATION=1', 'ACCESS_KEY=your-24-digit-access-key']);
    assert.match(text, /They are for Northwind, organization 1\. Fill in your access key first\./);
    assert.match(text, /Show them for Harbor <b> or Linden/);
  });

  test('can be those of another organization that the reader administers', async (t) => {
    const owner = await (await startSite(t)).signedIn(100);
    const { text, values } = await openGuide(owner, '?organization=2');
    assert.equal(values?.[0], 'ORGANIZATION=2');
    assert.match(text, /They are for Harbor <b>, organization 2/);
    for (const query of ['?organization=4', '?organization=x', '?organization=2&organization=3']) {
      assert.equal((await openGuide(owner, query)).values?.[0], 'ORGANIZATION=1', query);
    }
  });

  test('come with a section on mails', async (t) => {
    const { text } = await (await startSite(t)).visitor().open('/docs/guide/people');
    const [section = ''] = /<h2[^>]*id="mails".*?<\/section>/s.exec(text) ?? [];
    const words = readableText(section);
    for (const part of ['SMTP_URL', 'MAIL_FROM', '200 a day per organization', 'gives up after 3 days'])
      assert.ok(words.includes(part), part);
  });

  test('are placeholders for a member, who has no access key', async (t) => {
    const site = await startSite(t);
    assert.deepEqual((await openGuide(await site.signedIn(101))).values, placeholders);
  });

  test('stand in no other command', async (t) => {
    const site = await startSite(t);
    const owner = await site.signedIn(100);
    // The page for IT staff has no commands.
    assert.doesNotMatch((await owner.open('/docs/guide/sign-on')).text, /shell-|in one shell/);
    for (const path of paths.filter((path) => path !== '/docs/guide/sign-on')) {
      const { text } = await owner.open(path);
      const [first, ...others] = [...examplesIn(text)].filter(([id]) => id.startsWith('shell-'));
      assert.equal(first?.[0], 'shell-given', path);
      assert.ok(others.length > 0, path);
      for (const [id, command] of others)
        assert.doesNotMatch(command, /organizations\/\d|idp-0|[0-9a-f]{8}-[0-9a-f]{4}-|\b\d{24}\b/, id);
    }
  });
});

describe('The guide', () => {
  test('has seven pages, each with the contents of all, and leads to the next', async (t) => {
    const reader = (await startSite(t)).visitor();
    assert.equal(paths.length, 7);
    const texts = new Map<string, string>();
    for (const path of ['/docs', '/docs/guide', ...paths]) texts.set(path, (await reader.open(path)).text);
    for (const path of ['/docs/guide', ...paths]) {
      const text = texts.get(path) ?? '';
      const [contents = ''] = /<nav class="docs-contents".*?<\/nav>/s.exec(text) ?? [];
      const links = [...contents.matchAll(/ href="([^"#]*)#?([^"]*)"/g)];
      assert.ok(links.length > 50, path);
      for (const [, to = '', id = ''] of links)
        assert.ok(
          texts.get(to || path)?.includes(id === '' ? '<h1>' : ` id="${id}"`),
          `${path}: ${to}#${id}`,
        );
      for (const [, to = '', id = ''] of text.matchAll(/ href="(\/docs[^"#]*)#([^"]+)"/g))
        assert.ok(texts.get(to)?.includes(` id="${id}"`), `${path}: ${to}#${id}`);
      const next = paths[paths.indexOf(path) + 1];
      if (path !== '/docs/guide' && next !== undefined)
        assert.ok(text.includes(`Next: <a href="${next}">`), path);
      const current = /<a href="[^"]*" aria-current="page">([^<]*)<\/a>/.exec(contents)?.[1];
      assert.equal(current, path === '/docs/guide' ? undefined : /<h1>([^<]*)<\/h1>/.exec(text)?.[1], path);
    }
  });

  test('says for each identity provider what to click for sign-on, and what to map for the directory', async (t) => {
    const { text } = await (await startSite(t)).visitor().open('/docs/guide/sign-on');
    const [mappings = ''] = /<h2[^>]*id="directory".*?<\/section>/s.exec(text) ?? [];
    const names = ['Microsoft Entra ID', 'Okta', 'Google Workspace', 'JumpCloud', 'OneLogin'];
    for (const name of names) assert.match(text, new RegExp(`<h3[^>]*>${name}</h3><ol>`), name);
    for (const name of [...names, 'Other providers'])
      assert.match(mappings, new RegExp(`<summary>${name}</summary><ol>.*?externalId`, 's'), name);
  });

  test('leads on from the sections of the page that it was, also without a script', async (t) => {
    const { text } = await (await startSite(t)).visitor().open('/docs/guide');
    const anchors =
      'quick-start people invitations mails webhooks rotating idempotency redelivery events exporting';
    for (const id of [...anchors.split(' '), 'errors', 'repeating', 'limits', 'versioning']) {
      const [, link = ''] =
        new RegExp(`<(?:h2|li) id="${id}" data-leads-on[^>]*><a href="([^"]*)"`).exec(text) ?? [];
      assert.match(link, /^\/docs\/guide\/[a-z-]+(?:#[a-z-]+)?$/, id);
    }
  });

  test('keeps the organization that the reader has chosen, also with another language', async (t) => {
    const owner = await (await startSite(t)).signedIn(100);
    const { text } = await owner.open('/docs/guide/webhooks?organization=2');
    assert.ok(text.includes('href="/docs/guide/events?organization=2#redelivery"'));
    assert.ok(text.includes('href="?organization=2&amp;language=go#receivers"'));
  });

  test('leads a reader who signs in back to the page', async (t) => {
    const reader = (await startSite(t)).visitor();
    const { text } = await reader.open('/docs/guide/exports');
    const [, link = ''] = / href="(\/sign-in\?next=[^"]*)"/.exec(text) ?? [];
    const { location } = await reader.fillIn(link, { email: 'user-100@example.test', password });
    assert.equal(location, '/docs/guide/exports');
  });
});
