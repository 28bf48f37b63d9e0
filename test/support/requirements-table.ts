import assert from 'node:assert/strict';
import { test } from 'node:test';

/** A row of a document that says of each requirement of a standard whether the product meets it. */
export interface Requirement {
  readonly id: string;
  readonly status: string;
  /** What shows it: tests, documents or a reason. */
  readonly shownBy: string;
}

/** The rows that the pattern finds. Its groups are the id, the status and what shows it. */
export function requirementsIn(text: string, row: RegExp): readonly Requirement[] {
  return [...text.matchAll(row)].map(([, id = '', status = '', shownBy = '']) => ({ id, status, shownBy }));
}

export function idsOf(requirements: readonly Requirement[], status?: string): readonly string[] {
  return requirements.filter((one) => status === undefined || one.status === status).map(({ id }) => id);
}

/** The text of a section, without its heading; empty if there is no such section. */
export function sectionOf(text: string, heading: string): string {
  return text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

/** The ids in the first column of a section's table. */
export function listedIn(text: string, heading: string): readonly string[] {
  return [...sectionOf(text, heading).matchAll(/^\| ([\d.]+) \| /gm)].map(([, id = '']) => id);
}

/** What is wrong unless both lists have the same items in the same order. */
export function difference(
  what: string,
  found: readonly string[],
  right: readonly string[],
): readonly string[] {
  return found.join() === right.join() ? [] : [`${what}: ${found.join(' ')} instead of ${right.join(' ')}`];
}

/** What is wrong with the table that counts the requirements of each status. */
export function wrongCounts(
  text: string,
  statuses: readonly string[],
  requirements: readonly Requirement[],
): readonly string[] {
  return statuses.flatMap((status) => {
    const [, count] = new RegExp(`^\\| ${status} \\| .* \\| (\\d+) \\|$`, 'm').exec(text) ?? [];
    const right = idsOf(requirements, status).length;
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
