import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from '#test/support/page/client.js';
import { signedIn, webhookSite } from '#test/support/page/webhook-site.js';

/** The links at the top of a long page, as `[id, title]`. */
function linksOf(html: string): readonly (readonly [string, string])[] {
  const [, list = ''] = /<nav class="on-this-page" aria-label="On this page">(.*?)<\/nav>/s.exec(html) ?? [];
  return [...list.matchAll(/<a href="#([^"]*)">([^<]*)<\/a>/g)].map(([, id = '', title = '']) => [
    id,
    plainText(title),
  ]);
}

/** Whether the id is that of one element: a section, or the heading that names one. */
function leadsToSection(html: string, id: string): boolean {
  const elements = html.match(new RegExp(`<\\w+[^>]* id="${id}"`, 'g')) ?? [];
  const isSection = elements[0]?.startsWith('<section') === true;
  const isHeading = elements[0]?.startsWith('<h2') === true && html.includes(`aria-labelledby="${id}"`);
  return elements.length === 1 && (isSection || isHeading);
}

test('Long pages begin with a link to each of their sections', async (t) => {
  const started = await webhookSite(t);
  const owner = await signedIn(started, 100);
  const expected = {
    '/organizations/1/export?meetings=all_past&column=name': [
      ...['What to export', 'Preview', 'Export with the API'],
    ],
  };
  for (const [path, titles] of Object.entries(expected)) {
    const { status, text } = await owner.open(path);
    assert.equal(status, 200, path);
    const links = linksOf(text);
    assert.deepEqual(
      links.map(([, title]) => title),
      titles,
      path,
    );
    const broken = links.filter(([id]) => !leadsToSection(text, id));
    assert.deepEqual(broken, [], path);
  }
});
