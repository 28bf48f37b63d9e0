import type { Field, RefusalCode } from '@rollcall/core';
import {
  type ControlProps,
  expiredForm,
  type FormProblems,
  isOutdated,
  type Labels,
  noProblems,
  problemsOf,
} from './design/form.js';
import { accountPage, type MemberPage, memberPage, type Page } from './page.js';
import type { MemberVisit, SignedInVisit, Visit } from './visit.js';

type Values<Name extends string> = Readonly<Record<Name, string>>;

/** A form that is declared once. How it opens, is sent, is shown again with its problems, and is given back, follows. */
interface FormPage<Visiting, Name extends string, About> {
  readonly path: string;
  /** All fields but secrets, by default none. They are given back if the form or the session has expired. */
  readonly fields?: readonly Name[];
  readonly labels: Labels;
  /** What the form is about. Read whenever it is shown; `isAgain`: after a refusal. */
  readonly about: (visit: Visiting, isAgain: boolean) => About | Promise<About>;
  /** What the fields hold when the form is opened. */
  readonly initial?: (about: About, visit: Visiting) => Values<Name>;
  /** Does what the form is for, and leads on. If it is refused, the form is shown again. */
  readonly send: (visit: Visiting, values: Values<Name>) => Promise<void>;
  /** The refusals that the form shows, beside those that every form shows. */
  readonly alsoShown?: readonly RefusalCode[];
  /** The problems of a refused form. By default those of `problemsOf`. */
  readonly problems?: (visit: Visiting, error: unknown, form: RefusedForm) => Promise<FormProblems>;
  /** The field with what the reader has seen, so that a form does not overwrite a later change. */
  readonly seen?: NoInfer<Name>;
  /** Asks whether to overwrite a later change. */
  readonly outdated?: (about: About, values: Values<Name>, visit: Visiting) => FormProblems['fields'];
  readonly show: (visit: Visiting, form: ShownForm<Name, About>) => void | Promise<void>;
}

export interface RefusedForm extends Pick<FormPage<unknown, string, unknown>, 'labels' | 'alsoShown'> {
  readonly values: Values<string>;
}

/** A form of the organization in the address, for its members only. */
export function memberForm<const Name extends string, About>(
  form: FormPage<MemberVisit, Name, About> & Pick<MemberPage, 'role' | 'isLarge' | 'isForSetup'>,
): Page {
  return memberPage({ ...form, keeps: form.fields ?? [], ...handlersOf(form) });
}

/** A form for people who signed in with their password. */
export function accountForm<const Name extends string, About>(
  form: FormPage<SignedInVisit, Name, About>,
): Page {
  const { path, fields } = form;
  return accountPage({ path, ...(fields && { keeps: fields }), ...handlersOf(form) });
}

/** A form that anyone may send. */
export function publicForm<const Name extends string, About>(form: FormPage<Visit, Name, About>): Page {
  const expired = (visit: Visit) => show(form, visit, typedIn(visit, form.fields), expiredForm);
  return { path: form.path, expired, ...handlersOf(form) };
}

function handlersOf<Visiting extends Visit, Name extends string, About>(
  form: FormPage<Visiting, Name, About>,
) {
  return {
    get: (visit: Visiting) => show(form, visit, keptIn(visit, form.fields), noProblems),
    async post(visit: Visiting) {
      const typed = typedIn(visit, form.fields);
      try {
        await form.send(visit, typed);
      } catch (error) {
        const { labels, alsoShown, problems = async () => problemsOf(error, labels, alsoShown) } = form;
        const refused = { values: typed, labels, ...(alsoShown && { alsoShown }) };
        const found = await problems(visit, error, refused);
        await show(form, visit, typed, found, isOutdated(error));
      }
    },
  };
}

/** A browser does not send a box that is not ticked. */
function keptIn({ kept }: Visit, fields: readonly string[] = []): Values<string> {
  return kept === null ? {} : Object.fromEntries(fields.map((name) => [name, kept[name] ?? '']));
}

/** Spaces around an ID are not part of it. */
function typedIn<Name extends string>(visit: Visit, fields: readonly Name[] = []): Values<Name> {
  const typed = (name: Name) => (name === 'idp_id' ? visit.field(name).trim() : visit.field(name));
  return Object.fromEntries(fields.map((name) => [name, typed(name)])) as Values<Name>;
}

async function show<Visiting, Name extends string, About>(
  form: FormPage<Visiting, Name, About>,
  visit: Visiting,
  typed: Values<string>,
  problems: FormProblems,
  isOutdated = false,
): Promise<void> {
  const { seen, outdated } = form;
  const about = await form.about(visit, problems !== noProblems);
  const initial = form.initial?.(about, visit) ?? ({} as Values<Name>);
  // Only a reader who was told of the change may overwrite it.
  const told = isOutdated && seen !== undefined ? { [seen]: initial[seen] } : {};
  const values = { ...initial, ...typed, ...told };
  const asked = isOutdated && outdated && { general: null, fields: outdated(about, values, visit) };
  await form.show(visit, shownForm(form, { about, values, problems: asked || problems }));
}

export interface ShownForm<Name extends string = string, About = unknown> {
  readonly about: About;
  readonly values: Values<Name>;
  readonly problems: FormProblems;
  /** The attributes of the control of a field. By default it is named as programs write the field. */
  readonly control: (field: Field, name?: string) => ControlProps;
}

/** The form as it is before anything is typed. */
export function openedForm<Visiting, Name extends string, About>(
  form: Required<Pick<FormPage<Visiting, Name, About>, 'labels' | 'initial'>>,
  about: About,
  visit: Visiting,
): ShownForm<Name, About> {
  return shownForm(form, { about, values: form.initial(about, visit), problems: noProblems });
}

function shownForm<Name extends string, About>(
  { labels }: Pick<FormPage<never, Name, About>, 'labels'>,
  state: Omit<ShownForm<Name, About>, 'control'>,
): ShownForm<Name, About> {
  const { values, problems } = state;
  return {
    ...state,
    control: (field, name = wireName(field)) => ({
      name,
      label: labels[field] ?? '',
      value: (values as Values<string>)[name],
      problem: problems.fields[field],
    }),
  };
}

/** `first_name` */
export function wireName(field: Field): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
