import type { Field, Problem, ProblemCode } from '@rollcall/core';
import { problemText } from '@rollcall/core/adapters';

/** The labels of a form's fields. */
export type Labels = Readonly<Partial<Record<Field, string>>>;

type Words = (label: string) => string;

/** The message for any field with a problem of this kind. */
const wordsOfCodes: Readonly<Partial<Record<ProblemCode, Words>>> = {
  empty: (label) => `${label} is required`,
  'already-member': () => 'This person is already a member',
};

/** The message for a problem of one field. */
const wordsOfFields: Readonly<Partial<Record<Field, Readonly<Partial<Record<ProblemCode, Words>>>>>> = {
  email: { malformed: () => 'Enter a valid email address' },
  people: { 'too-few': () => 'Enter at least one line' },
  'webhook.url': {
    required: () => 'Enter a URL',
    'required-when-enabled': () => 'Enter a URL',
  },
  'webhook.events': { 'required-when-enabled': () => 'Select at least one event' },
};

/** The problem in the words of a form, with the label of its field. */
export function problemMessage(problem: Problem, labels: Labels): string {
  const { field, code } = problem;
  if (field === null) return problem.message;
  const words = wordsOfFields[field]?.[code] ?? wordsOfCodes[code];
  return words?.(labels[field] ?? field) ?? problemText(problem, () => labels[field] ?? field);
}
