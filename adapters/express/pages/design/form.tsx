import {
  type Field as CoreField,
  type Problem,
  type ProblemCode,
  Refusal,
  type RefusalCode,
} from '@rollcall/core';
import { problemText } from '@rollcall/core/adapters';
import { maxKeepHours } from '@rollcall/core/rules';
import { type ComponentChildren, createElement, type InputHTMLAttributes, type VNode } from 'preact';
import { Banner, Button, type ButtonKind, ButtonLink, type PageLink } from './components.js';
import { useProblem } from './render-content.js';

/** The problems of a form, in general and for each field. */
export interface FormProblems {
  readonly general: string | null;
  readonly fields: Readonly<Partial<Record<CoreField, string>>>;
  /** The pages of the people that the problems of fields are about. */
  readonly links?: Readonly<Partial<Record<CoreField, PageLink>>>;
}

export const noProblems: FormProblems = { general: null, fields: {} };

/** Problems that the page shows in its own way. */
export const otherProblems: FormProblems = { general: null, fields: {} };

/** The problem of a form that is shown again because it has expired. */
export const expiredForm: FormProblems = {
  general: 'This form has expired. Nothing was changed. Check what you typed, then send it again.',
  fields: {},
};

export function statusOf(problems: FormProblems): number {
  if (problems === expiredForm) return 403;
  return problems === noProblems ? 200 : 422;
}

/** The refusals that forms show. All others have an error page. */
const SHOWN_IN_FORM: readonly RefusalCode[] = [
  'invalid-request',
  'wrong-credentials',
  'wrong-second-factor',
  'sign-in-required',
];

/**
 * The problems of a refused form. A problem is shown beside its field, or above the form if the form lacks that field.
 * Throws an error again if it is not for forms in general or for this one.
 */
export function problemsOf(
  error: unknown,
  labels: Labels,
  alsoShown: readonly RefusalCode[] = [],
): FormProblems {
  if (!(error instanceof Refusal) || ![...SHOWN_IN_FORM, ...alsoShown].includes(error.code)) throw error;
  if (error.problems.length === 0) return { general: error.message, fields: {} };
  const fields: Partial<Record<CoreField, string>> = {};
  const general: string[] = [];
  for (const problem of error.problems) {
    const { field } = problem;
    const text = problemMessage(problem, labels);
    if (field === null || labels[field] === undefined) general.push(text);
    else fields[field] ??= text;
  }
  return { general: general.length === 0 ? null : general.join('. '), fields };
}

/** Whether another change came first, after the reader opened the form. */
export function isOutdated(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const outdated: readonly RefusalCode[] = ['webhook-outdated', 'sign-on-outdated'];
  return outdated.includes(error.code) || error.problems.some(({ code }) => code === 'outdated');
}

/** The hidden field of every form, with its author in forms that are given back when they have expired. */
export interface FormToken {
  readonly fields: Readonly<Record<string, string>>;
  /** Whether the form has been given back. */
  readonly isKept?: boolean;
}

/** Another form, which the sign-in form carries on, encrypted. */
export interface CarriedForm {
  /** The hidden field. */
  readonly name: string;
  readonly value: string;
  /** Says in the address that the sign-in form may be large. */
  readonly query: string;
}

interface FormProps {
  /** By default, the page's own address. */
  readonly action?: string | undefined;
  readonly token: FormToken;
  readonly problem?: string | null;
  readonly children: ComponentChildren;
}

/** A form that changes something. It uses POST and contains the token. Error messages come from the server. */
export function Form({ action, token, problem = null, children }: FormProps) {
  return (
    <form method="post" noValidate action={action}>
      <HiddenFields fields={token.fields} />
      {token.isKept === true && (
        <Banner tone="warning" role="status">
          Nothing was sent yet. We kept what you typed: check it, then send it.
        </Banner>
      )}
      <FormProblem text={problem} />
      {children}
    </form>
  );
}

export function HiddenFields({ fields }: { readonly fields: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

interface SubmitProps {
  readonly label: string;
  /** Where a link leads that sends nothing. By default there is none. */
  readonly cancelPath?: string;
  readonly kind?: ButtonKind | undefined;
  readonly busy?: string | undefined;
}

/** Sends the form, or leads away from it. */
export function Submit({ label, cancelPath, kind = 'primary', ...button }: SubmitProps) {
  return (
    <div class="actions">
      <Button kind={kind} {...button}>
        {label}
      </Button>
      {cancelPath !== undefined && <ButtonLink kind="quiet" href={cancelPath} text="Cancel" />}
    </div>
  );
}

export function FormProblem({ text }: { readonly text: string | null }) {
  const focus = useProblem(FORM_PROBLEM_ID, text);
  if (text === null) return null;
  return (
    <Banner tone="error" id={FORM_PROBLEM_ID} tabIndex={-1} {...focus} role="alert">
      {text}
    </Banner>
  );
}

const FORM_PROBLEM_ID = 'form-problem';

/** What every control for a value has. */
export interface ControlProps {
  readonly name: string;
  readonly label: string;
  /** Undefined for a secret. */
  readonly value?: string | undefined;
  readonly help?: string;
  readonly problem?: string | undefined;
}

interface FieldProps extends ControlProps {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'datetime-local';
  /** By default, browsers complete nothing. */
  readonly autocomplete?: string;
  /** A phone shows digits alone. */
  readonly inputmode?: 'numeric';
  /** For times: 1 lets the reader enter seconds. */
  readonly step?: number;
  readonly link?: PageLink | undefined;
  readonly readOnly?: boolean;
  readonly isRequired?: boolean;
}

export function Field({
  type = 'text',
  readOnly = false,
  isRequired = true,
  step,
  autocomplete = 'off',
  inputmode,
  value,
  ...labelled
}: FieldProps) {
  // Preact's type is a union by input type, which does not accept a variable type.
  const attributes = {
    type,
    dir: type === 'text' ? 'auto' : 'ltr',
    required: isRequired && !readOnly,
    readOnly,
    ...{ step, autocomplete, inputmode, value },
    ...(type === 'email' && { autocapitalize: 'none', spellcheck: false }),
  } as InputHTMLAttributes;
  return (
    <Labelled {...labelled}>
      <input {...attributes} />
    </Labelled>
  );
}

interface ChoiceProps extends ControlProps {
  readonly choices: readonly { readonly value: string; readonly text: string }[];
}

/** The choices that a table has the texts of. */
export function choicesOf(texts: Readonly<Record<string, string>>): ChoiceProps['choices'] {
  return Object.entries(texts).map(([value, text]) => ({ value, text }));
}

/** A field for a day that need not be filled in. */
export function DayField(props: ControlProps) {
  return <Field {...props} type="date" isRequired={false} />;
}

export function Select({ choices, value, ...labelled }: ChoiceProps) {
  return (
    <Labelled {...labelled}>
      <select>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface CheckboxProps {
  readonly name: string;
  readonly label: string;
  /** The value that is sent when the box is checked. */
  readonly value?: string;
  readonly checked: boolean;
}

/** A checkbox. Unchecked, it sends nothing. */
export function Checkbox({ name, label, value = '1', checked }: CheckboxProps) {
  const id = value === '1' ? name : `${name}-${value}`;
  return (
    <div class="checkbox">
      <input type="checkbox" id={id} name={name} value={value} checked={checked} />
      <label for={id}>{label}</label>
    </div>
  );
}

export function TextArea({ rows, value, ...labelled }: ControlProps & { rows: number }) {
  return (
    <Labelled {...labelled}>
      <textarea rows={rows} dir="auto" spellcheck={false}>
        {value}
      </textarea>
    </Labelled>
  );
}

/** The problem of a group of checkboxes, below them. The group's `aria-describedby` names the id. */
export function GroupProblem({ id, text }: Readonly<{ id: string; text: string | undefined }>) {
  const focus = useProblem(id, text);
  if (text === undefined) return null;
  return (
    <p tabIndex={-1} {...focus} class="field-problem" id={id}>
      {text}
    </p>
  );
}

interface LabelledProps extends Omit<ControlProps, 'value'>, Pick<FieldProps, 'link'> {
  /** The control. Its name, and the attributes that lead to its hint, are added here. */
  readonly children: VNode;
}

/** A control below its label, with its problem, or else its help, as a hint below it. */
function Labelled({ name, label, help, problem, link, children: control }: LabelledProps) {
  const text = problem ?? help;
  const attributes = {
    id: name,
    name,
    ...control.props,
    ...(text !== undefined && { 'aria-describedby': `${name}-hint` }),
    ...(problem !== undefined && { 'aria-invalid': 'true' as const }),
    ...useProblem(name, problem),
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {createElement(String(control.type), attributes)}
      {text !== undefined && (
        <p class={problem === undefined ? 'field-help' : 'field-problem'} id={`${name}-hint`}>
          {text}
          {link !== undefined && (
            <>
              :{' '}
              <a href={link.href}>
                <bdi>{link.text}</bdi>
              </a>
            </>
          )}
        </p>
      )}
    </div>
  );
}

export type Labels = Readonly<Partial<Record<CoreField, string>>>;

type Message = (label: string) => string;

/** The message for any field with a problem of this kind. */
const messagesByCode: Readonly<Partial<Record<ProblemCode, Message>>> = {
  empty: (label) => `${label} is required`,
  'already-member': () => 'This person is already a member',
};

/** The message for a problem of one field. */
const messagesByField: Readonly<Partial<Record<CoreField, Readonly<Partial<Record<ProblemCode, Message>>>>>> =
  {
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
  const message = messagesByField[field]?.[code] ?? messagesByCode[code];
  return message?.(labels[field] ?? field) ?? problemText(problem, () => labels[field] ?? field);
}

/** The time for which a replaced key or secret stays in use, in hours. The field is empty for none. */
export function KeepHours(props: ControlProps) {
  return <Select {...props} choices={choices} />;
}

const choices = [
  { value: '', text: 'None: it stops working at once' },
  { value: '1', text: '1 hour' },
  { value: '8', text: '8 hours' },
  { value: '24', text: '1 day' },
  { value: '72', text: '3 days' },
  { value: String(maxKeepHours), text: '7 days' },
];
