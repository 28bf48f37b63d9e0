import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { readOperations } from '#adapters/express/pages/docs/read-operations.js';
import { samplesOf } from '#adapters/express/pages/docs/samples.js';
import { type PageClient, plainText, readableText } from '#test/support/page/client.js';
import { referencePaths as pages } from '#test/support/page/routes.js';
import { startPageSite } from '#test/support/page/site.js';
import { withWebhook } from '#test/support/page/webhook-site.js';

const operations = readOperations(openapi());

/** Other ways to make a call, and what is for those who run the service. They stand in one list. */
const minor = [
  'issueLoginLinkBySegment',
  'exportMeetingsByPost',
  'readHealth',
  'readReadiness',
  'readOpenapi',
];

/** The parts of the page by their ids: each operation from its heading on. */
function operationsIn(html: string): ReadonlyMap<string, string> {
  const parts = html.split('<article class="operation" aria-labelledby="').slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('"')), part]));
}

describe('The reference', () => {
  test('shows every operation of the document, with each parameter, field and error code, without a script', async (t) => {
    const { visitor } = await startPageSite(t);
    const texts = await Promise.all(pages.map(async (path) => (await visitor().open(path)).text));
    const ids = Object.values(openapi().paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => (operation as { operationId?: string }).operationId ?? []),
    );
    assert.deepEqual(operations.map(({ id }) => id).sort(), ids.sort());
    const shown = new Map(texts.flatMap((text) => [...operationsIn(text)]));
    for (const { id, path, parameters, body, answers } of operations) {
      const text = shown.get(id);
      if (text === undefined) {
        assert.ok(minor.includes(id), id);
        const [, line = ''] = new RegExp(`<dt id="${id}">(.*?)</dt>`, 's').exec(texts[0] ?? '') ?? [];
        assert.ok(line.includes(path), id);
        continue;
      }
      assert.match(text, new RegExp(`<h2 id="${id}"><a href="#${id}">`));
      // What is in `details` is closed.
      const open = text.replaceAll(/<details.*?<\/details>/gs, '');
      const fields = [...parameters, ...(body?.fields ?? []), ...answers.flatMap((answer) => answer.fields)];
      for (const { name, type } of fields) {
        assert.ok(open.includes(`<code>${name}</code>`), `${id}: ${name}`);
        assert.doesNotMatch(type, /undefined|any|^$|\[object/, `${id}: ${name}`);
      }
      for (const { codes, isCommon } of answers)
        for (const code of isCommon ? [] : codes)
          assert.ok(open.includes(`<a href="/docs#error-${code}">${code}</a>`), `${id}: ${code}`);
      assert.ok(open.includes(`<code id="${id}-curl">curl `), id);
    }
    assert.deepEqual([...minor].sort(), ids.filter((id) => !shown.has(id)).sort());
    for (const text of texts) assert.doesNotMatch(readableText(text), /undefined|\[object Object\]/);
    const exported = `<body "${shown.get('exportMeetings')}`;
    assert.match(readableText(exported), /metadata object metadata\.page integer, required/);
    assert.match(
      readableText(exported),
      /end_time string.*`?MM\/DD\/YYYY HH:MM AM\/PM.* Example: 11\/30\/2026 11:59 PM/,
    );
    assert.match(readableText(exported), /everything : all meetings, of every status and time/);
    assert.ok(exported.indexOf('>Parameters<') < exported.indexOf('<details class="try"'));
  });

  test('has the codes of all errors in one table', async (t) => {
    const { visitor } = await startPageSite(t);
    const texts = await Promise.all(pages.map(async (path) => (await visitor().open(path)).text));
    const codes = openapi().components.schemas?.ErrorCode?.enum as readonly string[];
    for (const code of codes) assert.equal(texts.join('').split(`<code id="error-${code}">`).length, 2, code);
    assert.equal(texts.join('').split(' role="table"').length, 2, 'one table');
  });

  test('leads from the contents to every operation, and from where each was before', async (t) => {
    const { visitor } = await startPageSite(t);
    const texts = new Map<string, string>();
    for (const path of pages) texts.set(path, (await visitor().open(path)).text);
    for (const [path, text] of texts) {
      const [contents = ''] = /<nav class="docs-contents".*?<\/nav>/s.exec(text) ?? [];
      const links = [...contents.matchAll(/ href="([^"#]*)#([^"]+)"/g)];
      assert.ok(links.length > 50, path);
      for (const [, to = '', id = ''] of links)
        assert.ok(texts.get(to || path)?.includes(` id="${id}"`), `${path}: ${to}#${id}`);
    }
    const old = [...operations.map(({ id }) => id), 'users', 'invitations', 'meetings', 'webhook', 'events'];
    for (const id of [...old, 'operation', 'errors'])
      assert.ok(texts.get('/docs')?.includes(` id="${id}"`), id);
  });

  test('shows the language of a link, also without a script, and keeps it for the other pages', async (t) => {
    const { visitor } = await startPageSite(t);
    const reader = visitor();
    const shownOn = async (path: string) => {
      const { status, text } = await reader.open(path);
      assert.equal(status, 200);
      const parts = [...text.matchAll(/<div data-language="(\w+)"( hidden)?>/g)];
      return new Set(parts.flatMap(([, id, hidden]) => (hidden === undefined ? [id] : [])));
    };
    assert.deepEqual([...(await shownOn('/docs/users'))], ['curl']);
    const { text } = await reader.open('/docs/users');
    const [, link = ''] = /href="(\?language=python#listUsers-samples)"/.exec(text) ?? [];
    assert.ok(text.includes('<div class="languages" id="listUsers-samples">'));
    assert.deepEqual([...(await shownOn(`/docs/users${link.split('#')[0]}`))], ['python']);
    assert.deepEqual([...(await shownOn('/docs/meetings'))], ['python']);
    assert.deepEqual([...(await shownOn('/docs/guide/webhooks'))], ['python']);
    assert.deepEqual([...(await shownOn('/docs/guide/webhooks?language=ruby'))], ['ruby']);
    for (const other of ['', '?language=cobol', '?language=a&language=b', '?language=%0d%0aX:1'])
      assert.deepEqual([...(await shownOn(`/docs/users${other}`))], ['curl'], other);
  });

  test('offers an owner or admin to try calls with what is in the own organization', async (t) => {
    const site = await withWebhook(t);
    await site.started.invite({ email: 'ada@example.test', firstName: 'Ada' });
    const deliveryId = await site.register('Grace');
    const valuesFor = async (client: PageClient, path: string) => {
      const [, values] = / data-own="([^"]*)"/.exec((await client.open(path)).text) ?? [];
      return values === undefined ? null : JSON.parse(plainText(values));
    };
    const admin = await site.started.signedIn(101);
    const organization = { id: 1 };
    const { items: members } = await site.started.core.listUsers({ organization, role: 'member' });
    const { items: invited } = await site.started.core.findInvitations({ organization });
    const users = await valuesFor(admin, '/docs/users');
    assert.deepEqual([users.organization, users.uuid], ['1', members[0]?.user.uuid]);
    assert.equal((await valuesFor(admin, '/docs/invitations')).uuid, invited[0]?.userUuid);
    assert.equal((await valuesFor(admin, '/docs/webhook')).delivery_id, String(deliveryId));
    assert.equal((await valuesFor(await site.started.signedIn(103), '/docs/users')).uuid, '');
    for (const client of [site.started.visitor(), await site.started.signedIn(102)])
      assert.equal(await valuesFor(client, '/docs/users'), null);
  });

  test('quotes what its samples send', () => {
    const [first] = operations.filter(({ id }) => id === 'inviteUser');
    assert.ok(first?.body);
    const body = {
      ...first.body,
      examples: [{ summary: '', value: { name: `O'Neill "x" \\`, of: null, is: true } }],
    };
    assert.deepEqual(samplesOf({ ...first, body }, 'https://api.test'), {
      curl: [
        'curl -sS -X POST "https://api.test/organizations/1/invite_user" \\',
        '  -H "Authorization: Bearer $TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        String.raw`  -d '{"name":"O'\''Neill \"x\" \\","of":null,"is":true}'`,
      ].join('\n'),
      javascript: `import { env } from 'node:process';
import { createClient } from '@rollcall/contracts/client';

const rollcall = createClient({ baseUrl: 'https://api.test', accessKey: env.ACCESS_KEY });
const answer = await rollcall.post('/organizations/{id}/invite_user', {
  params: {
    path: {
      id: '1',
    },
  },
  body: {
    name: 'O\\'Neill "x" \\\\',
    of: null,
    is: true,
  },
});
console.log(answer);
`,
      python: `import json, os, urllib.parse, urllib.request

request = urllib.request.Request(
    "https://api.test/organizations/1/invite_user",
    method="POST",
    headers={"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"},
    data=json.dumps({"name": "O'Neill \\"x\\" \\\\", "of": None, "is": True}).encode(),
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))
`,
    });
  });
});
