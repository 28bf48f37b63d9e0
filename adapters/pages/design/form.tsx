import { Refusal, type RefusalCode } from '@rollcall/core';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import type { FormToken } from '../form-guard.js';

/** What is wrong with a form: with it as a whole, and field by field. */
export interface FormProblems {
  readonly whole: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

export const noProblems: FormProblems = { whole: null, fields: {} };

/** The status of a form that comes back with its problems. */
export const NOT_ACCEPTED = 422;

/** The refusals that the form itself shows; all others have pages of their own. */
const SHOWN_IN_FORM: readonly RefusalCode[] = ['invalid-request', 'wrong-credentials', 'sign-in-required'];

/**
 * What a refused form shows: messages that begin with the name of a field go beside the field, with its label
 * in the place of the name. Any other error is thrown on, but for refusals that this form shows as well.
 */
export function problemsOf(
  error: unknown,
  labels: Readonly<Record<string, string>>,
  alsoShown: readonly RefusalCode[] = [],
): FormProblems {
  if (!(error instanceof Refusal) || ![...SHOWN_IN_FORM, ...alsoShown].includes(error.code)) throw error;
  const fields: Record<string, string> = {};
  const whole: string[] = [];
  for (const message of error.messages) {
    const name = fieldIn(message);
    if (labels[name] === undefined) whole.push(message);
    else fields[name] ??= withLabel(message, labels);
  }
  return { whole: whole.length === 0 ? null : whole.join('. '), fields };
}

/** The message with the label of its field in the place of the field's name. */
export function withLabel(message: string, labels: Readonly<Record<string, string>>): string {
  const name = fieldIn(message);
  return `${labels[name] ?? name}${message.slice(name.length)}`;
}

/** The name that the message begins with, if it is one. */
function fieldIn(message: string): string {
  return message.split(/[ :]/, 1)[0] ?? '';
}

interface FormProps {
  /** Left out: the page's own address. */
  readonly action?: string;
  readonly token: FormToken;
  readonly problem?: string | null;
  readonly children: ComponentChildren;
}

/** Every form: it posts, and carries the token. Our own words tell what is wrong, not the browser's. */
export function Form({ action, token, problem = null, children }: FormProps) {
  return (
    <form method="post" noValidate {...(action !== undefined && { action })}>
      <input type="hidden" name={token.name} value={token.value} />
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {children}
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'datetime-local';
  readonly autocomplete: string;
  readonly value?: string;
  /** Shown while there is no problem. */
  readonly help?: string;
  readonly problem?: string | undefined;
  readonly readOnly?: boolean;
  readonly isRequired?: boolean;
}

/** A labelled field with what is wrong with it beside it. */
export function Field({
  name,
  label,
  type = 'text',
  help,
  problem,
  readOnly = false,
  isRequired = true,
  ...input
}: FieldProps) {
  const hint = problem ?? help;
  // Preact's type has a member for each input type, and no member for a choice of them.
  const attributes = {
    id: name,
    name,
    type,
    dir: type === 'text' ? 'auto' : 'ltr',
    required: isRequired && !readOnly,
    readOnly,
    ...input,
    ...(type === 'email' && { autocapitalize: 'none', spellcheck: false }),
    ...(hint !== undefined && { 'aria-describedby': `${name}-hint` }),
    ...(problem !== undefined && { 'aria-invalid': 'true' }),
  } as InputHTMLAttributes;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input {...attributes} />
      <Hint name={name} help={help} problem={problem} />
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly { readonly value: string; readonly text: string }[];
  readonly value: string;
  readonly help?: string;
  readonly problem?: string | undefined;
}

/** One of several values. */
export function Select({ name, label, choices, value, help, problem }: ChoiceProps) {
  const hint = problem ?? help;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select
        id={name}
        name={name}
        {...(hint !== undefined && { 'aria-describedby': `${name}-hint` })}
        {...(problem !== undefined && { 'aria-invalid': 'true' as const })}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.text}
          </option>
        ))}
      </select>
      <Hint name={name} help={help} problem={problem} />
    </div>
  );
}

interface CheckboxProps {
  readonly name: string;
  readonly label: string;
  /** What is sent when it is ticked. */
  readonly value?: string;
  readonly checked: boolean;
}

/** A box to tick; unticked, nothing is sent. */
export function Checkbox({ name, label, value = '1', checked }: CheckboxProps) {
  const id = value === '1' ? name : `${name}-${value}`;
  return (
    <div class="tick">
      <input type="checkbox" id={id} name={name} value={value} checked={checked} />
      <label for={id}>{label}</label>
    </div>
  );
}

interface TextAreaProps {
  readonly name: string;
  readonly label: string;
  readonly rows: number;
  readonly value: string;
  readonly help?: string;
  readonly problem?: string | undefined;
}

/** A text of several lines. */
export function TextArea({ name, label, rows, value, help, problem }: TextAreaProps) {
  const hint = problem ?? help;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea
        id={name}
        name={name}
        rows={rows}
        dir="auto"
        spellcheck={false}
        {...(hint !== undefined && { 'aria-describedby': `${name}-hint` })}
        {...(problem !== undefined && { 'aria-invalid': 'true' as const })}
      >
        {value}
      </textarea>
      <Hint name={name} help={help} problem={problem} />
    </div>
  );
}

interface HintProps {
  readonly name: string;
  readonly help: string | undefined;
  readonly problem: string | undefined;
}

/** What is wrong with a field, and while nothing is, what helps to fill it in. */
function Hint({ name, help, problem }: HintProps) {
  const text = problem ?? help;
  if (text === undefined) return null;
  return (
    <p class={problem === undefined ? 'field-help' : 'field-problem'} id={`${name}-hint`}>
      {text}
    </p>
  );
}
