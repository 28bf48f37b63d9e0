import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readableText } from '#test/support/page/client.js';
import { startViews } from '#test/support/page/views.js';

const root = new URL('../../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Entry {
  readonly term: string;
  readonly inApi: readonly string[];
  /** Null: the pages do not show it. */
  readonly onPages: string | null;
}

function entriesIn(document: string): readonly Entry[] {
  const rows = [...document.matchAll(/^\| (.+?) \| .+? \| (.+?) \| (.+?) \|$/gm)].slice(1);
  return rows
    .filter(([, term]) => term !== '---')
    .map(([, term = '', api = '', page = '']) => ({
      term,
      inApi: [...api.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      onPages: page === '–' ? null : page,
    }));
}

/** What the entries say that is not so. */
function problemsIn(entries: readonly Entry[], openapi: string, pages: string): readonly string[] {
  const sorted = entries.map(({ term }) => term).sort((one, other) => one.localeCompare(other, 'en'));
  const names = (name: string) => new RegExp(`(?<![\\w-])${name.replaceAll(/[[\]]/g, '\\$&')}(?![\\w-])`);
  return [
    ...entries.flatMap(({ term }, at) => (term === sorted[at] ? [] : [`${term} is not in its place`])),
    ...entries.flatMap(({ inApi }) =>
      inApi.flatMap((name) => (names(name).test(openapi) ? [] : [`${name} is not in the API`])),
    ),
    ...entries.flatMap(({ onPages }) =>
      onPages === null || pages.includes(onPages) ? [] : [`${onPages} is not on a page`],
    ),
  ];
}

test('The glossary is sorted, and its names are those of openapi.yaml and of the pages', async (t) => {
  const { views } = await startViews(t);
  const pages = views.map(({ answer }) => readableText(answer.text)).join('\n');
  const openapi = textOf('contracts/openapi.yaml');
  const entries = entriesIn(textOf('contracts/glossary.md'));
  assert.ok(entries.length > 30, `${entries.length} entries`);
  assert.deepEqual(problemsIn(entries, openapi, pages), []);

  const wrong = [
    { term: 'b', inApi: ['invented_name'], onPages: 'Invented title' },
    { term: 'a', inApi: ['idp'], onPages: null },
  ];
  assert.deepEqual(problemsIn(wrong, openapi, pages), [
    'b is not in its place',
    'a is not in its place',
    'invented_name is not in the API',
    'idp is not in the API',
    'Invented title is not on a page',
  ]);
});
