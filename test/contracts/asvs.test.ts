import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asvsIds } from '../support/asvs-ids.js';
import {
  difference,
  findsMistakes,
  idsOf,
  listedIn,
  type Requirement,
  requirementsIn,
  sectionOf,
  wrongCounts,
} from '../support/requirements-table.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const document = readFileSync(join(root, 'contracts/asvs.md'), 'utf8');
const statuses = ['met', 'n/a', 'deployment', 'open', 'later'];

describe('contracts/asvs.md', () => {
  test('has every requirement of levels 1 and 2 once, names existing files, and lists what is open', () => {
    assert.equal(asvsIds.length, 253);
    assert.deepEqual(problemsIn(document), []);
  });

  findsMistakes(document, problemsIn, [
    ['a requirement is missing', /^\| 3\.4\.6 .*\n/m, ''],
    ['a requirement is there twice', /^(\| 3\.4\.6 .*\n)/m, '$1$1'],
    ['a requirement is not in the standard', /^\| 3\.4\.6 /m, '| 3.4.9 '],
    ['a file does not exist', 'test/security/takeover.test.ts', 'test/security/invented.test.ts'],
    ['a requirement is met without a file', /^(\| 3\.4\.6 .*\| met \|).*/m, '$1 Believe us |'],
    ['a status is unknown', '| met |', '| done |'],
    ['an open requirement is not listed', /^(\| 3\.4\.6 .*\|) met \|/m, '$1 open |'],
    ['a requirement for later is not listed', /^(\| 3\.4\.6 .*\|) met \|/m, '$1 later |'],
    ['a listed requirement is not open', /^(\| 6\.3\.3 .*\|) open \|/m, '$1 n/a |'],
    ['a count is wrong', /^(\| open \| .*\|) (\d+) \|$/m, '$1 1$2 |'],
    ['a section that is linked is missing', '## Connections', '## Other'],
  ]);
});

function problemsIn(text: string): readonly string[] {
  const rows = requirementsIn(text, /^\| ([\d.]+) \| [^|]+ \| ([^|]+) \| (.*) \|$/gm);
  const later = [...sectionOf(text, 'Later').matchAll(/\b\d+\.\d+\.\d+\b/g)].map(([id]) => id);
  const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  return [
    ...difference('requirements', idsOf(rows), asvsIds),
    ...difference('open', listedIn(text, 'Open'), idsOf(rows, 'open')),
    ...difference('later', later, idsOf(rows, 'later')),
    ...rows.flatMap((row) => problemsOf(row, titles)),
    ...wrongCounts(text, statuses, rows),
  ];
}

function problemsOf({ id, status, shownBy }: Requirement, titles: readonly string[]): readonly string[] {
  const files = [...shownBy.matchAll(/`((?:test|contracts|core)\/[^`]+|SECURITY\.md)`/g)].map(
    ([, path = '']) => path,
  );
  const sections = [...shownBy.matchAll(/\[Above\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
  const isShown = files.length > 0 || sections.length > 0;
  return [
    ...(statuses.includes(status) ? [] : [`${id}: ${status} is not a status`]),
    ...(status === 'met' && !isShown ? [`${id}: nothing shows it`] : []),
    ...(shownBy.trim() === '' ? [`${id}: no reason`] : []),
    ...files.filter((path) => !existsSync(join(root, path))).map((path) => `${id}: ${path} does not exist`),
    ...sections
      .filter((anchor) => !titles.includes(anchor))
      .map((anchor) => `${id}: there is no section #${anchor}`),
  ];
}
