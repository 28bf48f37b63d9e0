import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  findsMistakes,
  type Requirement,
  requirementsIn,
  wrongCounts,
  wrongIds,
} from '../support/requirements-table.js';

/** The numbers of the requirements of OWASP ASVS 5.0.0 by section: those of level 1, and those that level 2 adds. */
const numbers: Readonly<Record<string, { readonly level1?: string; readonly level2?: string }>> = {
  '1.1': { level2: '1 2' },
  '1.2': { level1: '1 2 3 4 5', level2: '6 7 8 9' },
  '1.3': { level1: '1 2', level2: '3 4 5 6 7 8 9 10 11' },
  '1.4': { level2: '1 2 3' },
  '1.5': { level1: '1', level2: '2' },
  '2.1': { level1: '1', level2: '2 3' },
  '2.2': { level1: '1 2', level2: '3' },
  '2.3': { level1: '1', level2: '2 3 4' },
  '2.4': { level2: '1' },
  '3.2': { level1: '1 2' },
  '3.3': { level1: '1', level2: '2 3 4' },
  '3.4': { level1: '1 2', level2: '3 4 5 6' },
  '3.5': { level1: '1 2 3', level2: '4 5' },
  '3.7': { level2: '1 2' },
  '4.1': { level1: '1', level2: '2 3' },
  '4.2': { level2: '1' },
  '4.3': { level2: '1 2' },
  '4.4': { level1: '1', level2: '2 3 4' },
  '5.1': { level2: '1' },
  '5.2': { level1: '1 2', level2: '3' },
  '5.3': { level1: '1 2' },
  '5.4': { level2: '1 2 3' },
  '6.1': { level1: '1', level2: '2 3' },
  '6.2': { level1: '1 2 3 4 5 6 7 8', level2: '9 10 11 12' },
  '6.3': { level1: '1 2', level2: '3 4' },
  '6.4': { level1: '1 2', level2: '3 4' },
  '6.5': { level2: '1 2 3 4 5' },
  '6.6': { level2: '1 2 3' },
  '6.8': { level2: '1 2 3 4' },
  '7.1': { level2: '1 2 3' },
  '7.2': { level1: '1 2 3 4' },
  '7.3': { level2: '1 2' },
  '7.4': { level1: '1 2', level2: '3 4 5' },
  '7.5': { level2: '1 2' },
  '7.6': { level2: '1 2' },
  '8.1': { level1: '1', level2: '2' },
  '8.2': { level1: '1 2', level2: '3' },
  '8.3': { level1: '1' },
  '8.4': { level2: '1' },
  '9.1': { level1: '1 2 3' },
  '9.2': { level1: '1', level2: '2 3 4' },
  '10.1': { level2: '1 2' },
  '10.2': { level2: '1 2' },
  '10.3': { level2: '1 2 3 4' },
  '10.4': { level1: '1 2 3 4 5', level2: '6 7 8 9 10 11' },
  '10.5': { level2: '1 2 3 4 5' },
  '10.6': { level2: '1 2' },
  '10.7': { level2: '1 2 3' },
  '11.1': { level2: '1 2' },
  '11.2': { level2: '1 2 3' },
  '11.3': { level1: '1 2', level2: '3' },
  '11.4': { level1: '1', level2: '2 3 4' },
  '11.5': { level2: '1' },
  '11.6': { level2: '1' },
  '12.1': { level1: '1', level2: '2 3' },
  '12.2': { level1: '1 2' },
  '12.3': { level2: '1 2 3 4' },
  '13.1': { level2: '1' },
  '13.2': { level2: '1 2 3 4 5' },
  '13.3': { level2: '1 2' },
  '13.4': { level1: '1', level2: '2 3 4 5' },
  '14.1': { level2: '1 2' },
  '14.2': { level1: '1', level2: '2 3 4' },
  '14.3': { level1: '1', level2: '2 3' },
  '15.1': { level1: '1', level2: '2 3' },
  '15.2': { level1: '1', level2: '2 3' },
  '15.3': { level1: '1', level2: '2 3 4 5 6 7' },
  '16.1': { level2: '1' },
  '16.2': { level2: '1 2 3 4 5' },
  '16.3': { level2: '1 2 3 4' },
  '16.4': { level2: '1 2 3' },
  '16.5': { level2: '1 2 3' },
  '17.1': { level2: '1' },
  '17.2': { level2: '1 2 3 4' },
  '17.3': { level2: '1 2' },
};

/** The ids of all requirements of levels 1 and 2, in the order of the standard. */
const asvsIds: readonly string[] = Object.entries(numbers).flatMap(
  ([section, { level1 = '', level2 = '' }]) =>
    `${level1} ${level2}`
      .trim()
      .split(' ')
      .map(Number)
      .sort((one, other) => one - other)
      .map((number) => `${section}.${number}`),
);

const root = fileURLToPath(new URL('../../../', import.meta.url));
const document = readFileSync(join(root, 'contracts/asvs.md'), 'utf8');

describe('contracts/asvs.md', () => {
  test('has every requirement of levels 1 and 2 once, and names existing files', () => {
    assert.equal(asvsIds.length, 253);
    assert.deepEqual(problemsIn(document), []);
  });

  findsMistakes(document, problemsIn, [
    ['a requirement is missing', /^\| 3\.4\.6 .*\n/m, ''],
    ['a requirement is there twice', /^(\| 3\.4\.6 .*\n)/m, '$1$1'],
    ['a requirement is not in the standard', /^\| 3\.4\.6 /m, '| 3.4.9 '],
    ['a file does not exist', 'test/security/takeover.test.ts', 'test/security/invented.test.ts'],
    ['a requirement is met without a file', /^(\| 3\.4\.6 \| [^|]+ \|).*/m, '$1 Believe us |'],
    ['an open requirement has no reason', /^(\| 7\.5\.2 \| [^|]+ \|).*/m, '$1  |'],
    ['a status is unknown', '## Open', '## Done'],
    ['a requirement that does not apply is not listed', 'No GraphQL: 4.3.1, 4.3.2', 'No GraphQL: 4.3.1'],
    ['a count is wrong', /^(\| open \| .*\|) (\d+) \|$/m, '$1 1$2 |'],
    ['a section that is linked is missing', '## Connections', '## Other'],
  ]);
});

function problemsIn(text: string): readonly string[] {
  const all = requirementsIn(text, ['met', 'not applicable', 'deployment', 'open']);
  const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  return [
    ...wrongIds(all, asvsIds),
    ...all.flatMap((requirement) => problemsOf(requirement, titles)),
    ...wrongCounts(text, all),
  ];
}

function problemsOf({ id, status, shownBy }: Requirement, titles: readonly string[]): readonly string[] {
  const files = [...shownBy.matchAll(/`((?:test|contracts|core)\/[^`]+|SECURITY\.md)`/g)].map(
    ([, path = '']) => path,
  );
  const sections = [...shownBy.matchAll(/\[Above\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
  const isShown = files.length > 0 || sections.length > 0;
  return [
    ...(status === 'met' && !isShown ? [`${id}: nothing shows it`] : []),
    ...files.filter((path) => !existsSync(join(root, path))).map((path) => `${id}: ${path} does not exist`),
    ...sections
      .filter((anchor) => !titles.includes(anchor))
      .map((anchor) => `${id}: there is no section #${anchor}`),
  ];
}
