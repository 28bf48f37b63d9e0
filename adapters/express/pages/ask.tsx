import type { ComponentProps } from 'preact';
import { Confirm } from './design/form.js';
import type { SignedInVisit } from './visit.js';

export interface Question extends Omit<ComponentProps<typeof Confirm>, 'token'> {
  /** By default the question. */
  readonly title?: string;
}

/** Shows the page that asks before an action. */
export function ask(visit: SignedInVisit, { title, ...question }: Question): void {
  visit.show({
    title: title ?? String(question.question),
    body: <Confirm token={visit.token} {...question} />,
  });
}
