import type { ComponentProps } from 'preact';
import { Confirm, noProblems } from './design/form.js';
import type { SignedInVisit } from './visit.js';

export interface Question extends Omit<ComponentProps<typeof Confirm>, 'action' | 'token'> {
  /** The path that the answer is sent to, by default that of the page. */
  readonly action?: string;
  /** By default the question. */
  readonly title?: string;
}

/** Shows the page that asks before an action. */
export function ask(visit: SignedInVisit, { title, problems = noProblems, ...question }: Question): void {
  visit.show({
    title: title ?? String(question.question),
    problems,
    body: <Confirm action={visit.request.path} token={visit.token} problems={problems} {...question} />,
  });
}
