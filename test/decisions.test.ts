import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const decisions = readFileSync(join(root, 'contracts/decisions.md'), 'utf8');
const numbers = [...decisions.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number));

describe('The decisions', () => {
  test('have unique numbers', () => {
    assert.ok(numbers.length > 100);
    assert.deepEqual(
      numbers.filter((number, index) => numbers.indexOf(number) !== index),
      [],
    );
  });

  test('are listed at the top, chapter by chapter and in the order of their numbers', () => {
    const written = writtenIn(decisions);
    assert.ok(written.length > 10, `${written.length} chapters`);
    assert.deepEqual(listedIn(decisions), written);
    assert.deepEqual(
      written.filter(({ numbers: chapter }) => !isAscending(chapter)),
      [],
    );
  });

  test('and the list of unused numbers leave out no number', () => {
    assert.ok(unusedIn(decisions).length > 50);
    assert.deepEqual(unusedIn(decisions), missingIn(decisions));
  });

  test('that were replaced link to the later one', () => {
    assert.ok(marksIn(decisions).length > 10);
    assert.deepEqual(marksIn(decisions).filter(isWrong), []);
  });

  test('are checked: mistakes that are planted in the list are noticed', () => {
    const listMistakes: readonly Planted[] = [
      ['a number is left out', ': 81, 82\n', ': 81\n'],
      ['a number has another place', ': 81, 82\n', ': 82, 81\n'],
      ['a number is in another chapter', ': 34, 133\n', ': 81, 34, 133\n'],
      ['a chapter is left out', /^- \[Time\].*\n/m, ''],
      ['a link leads elsewhere', '(#the-audit-trail)', '(#the-trail)'],
      ['a decision is not listed', '### 81. ', '### 9999. '],
    ];
    for (const planted of listMistakes) {
      const text = plant(planted);
      assert.notDeepEqual(listedIn(text), writtenIn(text), planted[0]);
    }
    const swapped = plant([
      'two decisions are swapped',
      /(### 81\. [\s\S]*?)(### 82\. [\s\S]*?)(?=^## )/m,
      '$2$1',
    ]);
    assert.equal(
      writtenIn(swapped).every(({ numbers: chapter }) => isAscending(chapter)),
      false,
    );
    const mark = plant(['an earlier decision replaces', 'replaced by [195](#195-', 'replaced by [19](#19-']);
    assert.equal(marksIn(mark).filter(isWrong).length, 1);
    const numberMistakes: readonly Planted[] = [
      ['an unused number is left out', ', 183 to 189,', ', 183 to 188,'],
      ['a used number is listed as unused', ', 183 to 189,', ', 182 to 189,'],
      ['a decision is removed', '### 81. ', '#### 81. '],
    ];
    for (const planted of numberMistakes) {
      const text = plant(planted);
      assert.notDeepEqual(unusedIn(text), missingIn(text), planted[0]);
    }
  });

  test('exist if code, tests or documents refer to them', () => {
    const folders = ['core', 'adapters', 'app', 'contracts', 'test'];
    const cited = folders.flatMap((folder) => sources(join(root, folder))).flatMap(citations);
    assert.ok(cited.length > 100, `${cited.length} citations`);
    assert.deepEqual(
      cited.filter(({ number }) => !numbers.includes(number)),
      [],
    );
  });
});

interface Chapter {
  readonly title: string;
  readonly anchor: string;
  readonly numbers: readonly number[];
}

/** A mistake, the text that it replaces and what it replaces it with. */
type Planted = readonly [mistake: string, found: string | RegExp, replacement: string];

function plant([mistake, found, replacement]: Planted): string {
  const text = decisions.replace(found, replacement);
  assert.ok(text !== decisions, mistake);
  return text;
}

function writtenIn(text: string): readonly Chapter[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => {
      const [title = ''] = chapter.split('\n');
      return {
        title,
        anchor: anchorOf(title),
        numbers: [...chapter.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number)),
      };
    });
}

function listedIn(text: string): readonly Chapter[] {
  return [...text.matchAll(/^- \[([^\]]+)\]\(#([^)]+)\): ([\d, ]+)$/gm)].map(
    ([, title = '', anchor = '', listed = '']) => ({
      title,
      anchor,
      numbers: listed.split(', ').map(Number),
    }),
  );
}

function isAscending(list: readonly number[]): boolean {
  return list.every((number, index) => index === 0 || number > (list[index - 1] ?? 0));
}

/** The numbers below the highest that no decision has. */
function missingIn(text: string): readonly number[] {
  const used = writtenIn(text).flatMap(({ numbers: chapter }) => chapter);
  return numbersBetween(1, Math.max(...used)).filter((number) => !used.includes(number));
}

/** The numbers of the sentence that begins with "Not in use:", such as "64 to 67, 71". */
function unusedIn(text: string): readonly number[] {
  const [, list = ''] = /^Not in use: ([^.]*)\./m.exec(text) ?? [];
  return [...list.matchAll(/(\d+)(?:\s+to\s+(\d+))?/g)].flatMap(([, first, last = first]) =>
    numbersBetween(Number(first), Number(last)),
  );
}

function numbersBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

interface Mark {
  readonly number: number;
  readonly by: number;
  readonly anchor: string;
}

function isWrong({ number, by, anchor }: Mark): boolean {
  return by <= number || anchor !== anchors(decisions).get(by);
}

/** The decisions that a later one has replaced, each with the number and the link of the later one. */
function marksIn(text: string): readonly Mark[] {
  return [...text.matchAll(/^### (\d+)\. .*\n\n\*\*(?:Partly replaced|Replaced) by (.*)\*\*/gm)].flatMap(
    ([, number, links = '']) =>
      [...links.matchAll(/\[(\d+)\]\(#([^)]+)\)/g)].map(([, by, anchor = '']) => ({
        number: Number(number),
        by: Number(by),
        anchor,
      })),
  );
}

function anchors(text: string): ReadonlyMap<number, string> {
  return new Map(
    [...text.matchAll(/^### ((\d+)\. .*)$/gm)].map(([, heading = '', number]) => [
      Number(number),
      anchorOf(heading),
    ]),
  );
}

/** The fragment that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|md|yaml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](dist|node_modules)[\\/]/.test(path));
}

function citations(path: string): readonly { readonly path: string; readonly number: number }[] {
  return [...readFileSync(path, 'utf8').matchAll(/\bdecisions? (\d+)(?: and (\d+))?/g)].flatMap(
    ([, ...found]) =>
      found.filter((number) => number !== undefined).map((number) => ({ path, number: Number(number) })),
  );
}
