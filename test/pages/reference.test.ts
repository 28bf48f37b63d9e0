import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { readOperations } from '#adapters/express/pages/docs/read-operations.js';
import { samplesOf } from '#adapters/express/pages/docs/samples.js';
import { readableText } from '#test/support/page/client.js';
import { startPageSite } from '#test/support/page/site.js';

const operations = readOperations(openapi());

describe('The reference', () => {
  test('shows every operation of the document, with each parameter, field and error code', async (t) => {
    const { visitor } = await startPageSite(t);
    const { text } = await visitor().open('/docs');
    const ids = Object.values(openapi().paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => (operation as { operationId?: string }).operationId ?? []),
    );
    assert.deepEqual(operations.map(({ id }) => id).sort(), ids.sort());
    for (const { id, parameters, body, answers } of operations) {
      assert.ok(text.includes(`<h3 id="${id}">`), id);
      assert.ok(text.includes(`href="#${id}"`), id);
      const fields = [...parameters, ...(body?.fields ?? []), ...answers.flatMap((answer) => answer.fields)];
      for (const { name, type } of fields) {
        assert.ok(text.includes(`<code>${name}</code>`), `${id}: ${name}`);
        assert.doesNotMatch(type, /undefined|any|^$|\[object/, `${id}: ${name}`);
      }
    }
    for (const code of ['invalid-access-key', 'too-many-requests', 'unavailable'])
      assert.ok(text.includes(`<code>${code}</code>`), code);
    assert.doesNotMatch(readableText(text), /undefined|\[object Object\]/);
  });

  test('shows the language that the reader has chosen last, and curl for any other value', async (t) => {
    const { visitor } = await startPageSite(t);
    for (const [kept, chosen] of Object.entries({
      python: 'python',
      javascript: 'javascript',
      cobol: 'curl',
    })) {
      const { text } = await visitor().open('/docs', { headers: { Cookie: `sample_language=${kept}` } });
      const [, checked] = /<input[^>]* value="(\w+)"[^>]* checked/.exec(text) ?? [];
      assert.equal(checked, chosen, kept);
    }
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
