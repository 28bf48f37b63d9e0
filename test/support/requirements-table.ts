import assert from 'node:assert/strict';
import { test } from 'node:test';

/** A requirement of a standard, in a document that says of each whether the product meets it. */
export interface Requirement {
  readonly id: string;
  readonly status: string;
  /** What shows it: tests, documents or a reason. */
  readonly shownBy: string;
}

/**
 * The requirements in the sections that are named after the statuses: the rows of tables, with what shows it in the third
 * column, and the lines of lists, which end in the ids that they are about.
 */
export function requirementsIn(text: string, statuses: readonly string[]): readonly Requirement[] {
  return statuses.flatMap((status) => {
    const heading = `## ${status.charAt(0).toUpperCase()}${status.slice(1)}\n`;
    const section = text.split(heading)[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| ([\d.]+) \| [^|]+ \| (.*) \|$/gm)];
    const items = [...section.matchAll(/^- (.+): ([\d., ]+)$/gm)];
    return [
      ...rows.map(([, id = '', shownBy = '']) => ({ id, status, shownBy })),
      ...items.flatMap(([, shownBy = '', ids = '']) =>
        ids.split(', ').map((id) => ({ id, status, shownBy })),
      ),
    ];
  });
}

/** What is wrong unless the document has each requirement of the standard once, in its order, with what shows it. */
export function wrongIds(
  requirements: readonly Requirement[],
  standard: readonly string[],
): readonly string[] {
  const ids = requirements.map(({ id }) => id);
  return [
    ...standard.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
    ...ids.filter((id) => !standard.includes(id)).map((id) => `${id} is not in the standard`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`),
    ...requirements.filter(({ shownBy }) => shownBy.trim() === '').map(({ id }) => `${id}: no reason`),
  ];
}

/** What is wrong with the table that counts the requirements of each status. */
export function wrongCounts(text: string, requirements: readonly Requirement[]): readonly string[] {
  const rows = [...text.matchAll(/^\| ([a-z ]+) \| .* \| (\d+) \|$/gm)];
  return rows.flatMap(([, status, count]) => {
    const right = requirements.filter((one) => one.status === status).length;
    return Number(count) === right ? [] : [`${status}: ${count} is not ${right}`];
  });
}

type Mistake = readonly [mistake: string, find: RegExp | string, replacement: string];

/** Tests that each mistake, made in the document, is found. */
export function findsMistakes(
  document: string,
  problemsIn: (text: string) => readonly string[],
  mistakes: readonly Mistake[],
): void {
  for (const [mistake, find, replacement] of mistakes) {
    test(`would not pass if ${mistake}`, () => {
      const changed = document.replace(find, replacement);
      assert.notEqual(changed, document);
      assert.notDeepEqual(problemsIn(changed), []);
    });
  }
}
