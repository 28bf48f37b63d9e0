import type { Field, Problem, ProblemCode } from '@rollcall/core';
import { problemText } from '@rollcall/core/adapters';

/** The labels of a form's fields. */
export type Labels = Readonly<Partial<Record<Field, string>>>;

type Message = (label: string) => string;

/** The message for any field with a problem of this kind. */
const messagesByCode: Readonly<Partial<Record<ProblemCode, Message>>> = {
  empty: (label) => `${label} is required`,
  'already-member': () => 'This person is already a member',
};

/** The message for a problem of one field. */
const messagesByField: Readonly<Partial<Record<Field, Readonly<Partial<Record<ProblemCode, Message>>>>>> = {
  email: {
    malformed: () => 'Enter a valid email address',
    unknown: () => 'No one has an account with this address. Invite them instead',
  },
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
  const message = messagesByField[field]?.[code] ?? messagesByCode[code];
  return message?.(labels[field] ?? field) ?? problemText(problem, () => labels[field] ?? field);
}
