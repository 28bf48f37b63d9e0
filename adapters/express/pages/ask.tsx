import type { ComponentProps } from 'preact';
import { Confirm, noProblems } from './design/form.js';
import type { SignedInVisit } from './visit.js';

export interface Question extends Omit<ComponentProps<typeof Confirm>, 'token'> {
  /** By default the question. */
  readonly title?: string;
}

/** Shows the page that asks before an action. */
export function ask(visit: SignedInVisit, { title, ...question }: Question): void {
  visit.show({
    title: title ?? String(question.question),
    problems: question.problem ? { general: question.problem, fields: {} } : noProblems,
    body: <Confirm token={visit.token} {...question} />,
  });
}
