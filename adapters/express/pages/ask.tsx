import type { ComponentChildren } from 'preact';
import { type ButtonKind, ButtonLink, type PageLink } from './design/components.js';
import { Form, HiddenFields, noProblems, Submit } from './design/form.js';
import type { CardView } from './design/layout.js';
import type { SignedInVisit, Visit } from './visit.js';

type FormVisit = Visit & Pick<SignedInVisit, 'token'>;

interface FormView extends CardView {
  /** The path that the form is sent to, by default that of the page. */
  readonly action?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields for the reader to fill in. */
  readonly controls?: ComponentChildren;
  readonly kind?: ButtonKind;
  readonly busy?: string;
  readonly submit: string;
  readonly cancelPath: string;
  readonly children: ComponentChildren;
}

/** Shows a page with one form, below what there is to say about it. */
export function showForm(
  visit: FormVisit,
  { action, fields = {}, controls, kind, busy, submit, cancelPath, children, ...view }: FormView,
): void {
  const { problems = noProblems } = view;
  visit.showCard(
    { ...view, isConfirm: kind === 'destructive' },
    children,
    <Form action={action} token={visit.token} problem={problems.general}>
      <HiddenFields fields={fields} />
      {controls}
      <Submit {...{ kind, busy, cancelPath }} label={submit} />
    </Form>,
  );
}

interface MessageView extends CardView {
  readonly back: PageLink;
  readonly next: PageLink;
  readonly children: ComponentChildren;
}

/** Shows a page that only says something, such as that a secret was shown, and where to go from there. */
export function showMessage(visit: Visit, { back, next, children, ...view }: MessageView): void {
  visit.showCard(
    view,
    children,
    <div class="actions">
      <ButtonLink kind="primary" {...back} />
      <ButtonLink kind="quiet" {...next} />
    </div>,
  );
}

export type Question = Omit<FormView, 'busy'>;

/** Asks before an action. It is a page, so that it works without scripts. What can't be undone is done nowhere else. */
export function ask(visit: FormVisit, question: Question): void {
  const usual = { kind: 'destructive', action: visit.request.path, busy: 'One moment…' } as const;
  showForm(visit, { ...usual, ...question });
}

/** A title with a name in it, which may be written from right to left. */
export function named([before, after]: TemplateStringsArray, name: string) {
  const heading = (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  );
  return { title: `${before}${name}${after}`, heading };
}
