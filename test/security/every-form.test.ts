import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileTexts } from '@rollcall/core/testing';
import { formFields, type PageClient } from '../support/page/client.js';
import { sampleOf, startFullSite, users } from '../support/page/routes.js';
import type { PageSite } from '../support/page/site.js';

interface FoundForm {
  readonly path: string;
  /** As in the page. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Every form on the pages of an owner, except those that create another session (see hostile-forms). */
async function formsOf(site: PageSite, client: PageClient): Promise<readonly FoundForm[]> {
  const found = new Map<string, FoundForm>();
  for (const { path, methods } of site.routes) {
    if (!methods.includes('get')) continue;
    const page = await sampleOf(site, path);
    const { text } = await client.open(page);
    for (const [html, action = page] of text.matchAll(
      /<form method="post"[^>]*?(?: action="([^"]*)")?>.*?<\/form>/gs,
    )) {
      const others = [...html.matchAll(/<(?:select|textarea)[^>]* name="([^"]*)"/g)];
      const fields = {
        ...Object.fromEntries(others.map(([, name = '']) => [name, ''])),
        ...formFields(html),
      };
      found.set(`${action} ${Object.keys(fields)}`, { path: action, fields });
    }
  }
  return [...found.values()].filter(({ path }) => !/^\/(?:sign-out|login|invitations)\b/.test(path));
}

/** A form can contain NUL, and PostgreSQL refuses it. */
const texts = [...hostileTexts, 'a\0b'];

/** Of the texts, each field gets every third, and the next field those that follow. */
const TEXTS_APART = 3;

test('Every form answers hostile texts in every field with a page that shows them as text', async (t) => {
  const site = await startFullSite(t, 'postgres');
  const owner = await site.signedIn(users.owner);
  const forms = await formsOf(site, owner);
  assert.ok(forms.some(({ fields }) => 'time_zone' in fields) && forms.length > 5);
  let first = 0;
  for (const { path, fields } of forms) {
    for (const name of Object.keys(fields)) {
      first = (first + 1) % TEXTS_APART;
      for (const text of texts.filter((_text, index) => index % TEXTS_APART === first)) {
        const { status, text: html } = await owner.send({ path, fields: { ...fields, [name]: text } });
        const request = `${path} with ${JSON.stringify(text).slice(0, 60)} as ${name}`;
        const expected = name === 'form_token' ? [403, 413] : [200, 303, 400, 404, 409, 410, 413, 422, 429];
        assert.ok(expected.includes(status), `${status}: ${request}`);
        assert.doesNotMatch(html, /<script>alert|&amp;lt;script/, request);
      }
    }
  }
  assert.deepEqual(site.reports, []);
  assert.equal((await owner.open('/organizations/1')).status, 200);
});
