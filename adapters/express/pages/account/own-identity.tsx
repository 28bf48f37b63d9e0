import { type AskedSecondFactor, Refusal, type RefusalCode, Secret } from '@rollcall/core';
import type { ComponentChildren, ComponentProps } from 'preact';
import { ask, showMessage } from '../ask.js';
import type { PageLink } from '../design/components.js';
import { Field, type FormProblems } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { TextWithOperator } from '../design/operator.js';
import { memberForm } from '../form-page.js';
import type { Page } from '../page.js';
import { rememberPlace } from '../place.js';
import {
  askedFactorIn,
  SecondFactorFields,
  secondFactorLabels,
} from '../second-factor/second-factor-fields.js';
import type { MemberVisit, SignedInVisit } from '../visit.js';
import { AccountEmail } from './password-fields.js';

/** For the problems of forms with `OwnIdentity`. */
export const identityLabels = { currentPassword: 'Your password', ...secondFactorLabels } as const;

/**
 * Someone who finds a session open must not change how everyone signs in: asks for the second factor, or the password of
 * people who have none.
 */
export async function confirmIdentity(visit: SignedInVisit): Promise<void> {
  // An owner has confirmed the link with the second factor or the password.
  if (visit.isSetup) return;
  const { user } = visit.session;
  await visit.core.confirmIdentity({ user, proof: proofIn(visit), address: visit.clientAddress });
}

/** The second factor of the reader, for changes that ask nobody for the password. Null: they have none. */
export async function confirmSecondFactor(visit: SignedInVisit): Promise<void> {
  if ((await identityOf(visit)) !== null) await confirmIdentity(visit);
}

/** What `OwnIdentity` asks for. Null: the password. */
export function identityOf({ core, session }: SignedInVisit): Promise<AskedSecondFactor | null> {
  return core.askSecondFactor({ user: session.user });
}

function proofIn(visit: SignedInVisit) {
  const factor = askedFactorIn(visit);
  if (factor !== null) return factor;
  const password = new Secret(visit.field('current_password'));
  if (password.reveal() === '')
    throw new Refusal('invalid-request', [
      { field: 'currentPassword', code: 'empty', message: 'must not be empty' },
    ]);
  return { password };
}

interface OwnIdentityProps {
  readonly visit: SignedInVisit;
  readonly identity: AskedSecondFactor | null;
  readonly problems: FormProblems;
}

/** Asks who it is, as `confirmIdentity` reads it. */
export function OwnIdentity({ visit, identity, problems: { fields } }: OwnIdentityProps) {
  if (visit.isSetup) return null;
  if (identity !== null)
    return <SecondFactorFields {...{ visit, asked: identity }} problem={fields.secondFactor} />;
  return (
    <>
      <AccountEmail email={visit.session.user.email} />
      <Field
        name="current_password"
        label={identityLabels.currentPassword}
        type="password"
        autocomplete="current-password"
        problem={fields.currentPassword}
        {...(visit.sendsMail && {
          help: 'No password yet? Set one on the sign-in page, under “Forgot your password?”.',
        })}
      />
      {!visit.sendsMail && <NoPassword {...{ visit }} />}
    </>
  );
}

/** Where no mail is sent, nobody can set a password alone. */
export function NoPassword({ visit }: Pick<ComponentProps<typeof TextWithOperator>, 'visit'>) {
  return (
    <p class="secondary-text">
      <TextWithOperator visit={visit} text="No password? Ask the people who run this service." />
    </p>
  );
}

export interface IdentityQuestion<About> {
  readonly path: string;
  readonly about: (visit: MemberVisit) => Promise<About>;
  /** Null: there is nothing to change. */
  readonly asked: (
    about: About,
    visit: MemberVisit,
  ) => {
    readonly question: string;
    readonly label: string;
    readonly kind?: 'primary' | 'destructive';
    readonly fields?: Readonly<Record<string, string>>;
    readonly consequences: ComponentChildren;
    /** What the reader has to do before; left out: nothing. */
    readonly before?: PageLink;
  } | null;
  readonly change: (visit: MemberVisit) => Promise<unknown>;
  /** Where it leads, also without the change. */
  readonly leadsTo: (organizationId: number) => string;
  /** Left out: the change leads on by itself. */
  readonly notice?: NoticeName | ((visit: MemberVisit) => NoticeName);
  readonly alsoShown?: readonly RefusalCode[];
  readonly isForSetup?: boolean;
}

/** Asks who it is before a change for everyone. */
export function askingForIdentity<About>(question: IdentityQuestion<About>): Page {
  const { asked, change, leadsTo, notice, ...form } = question;
  return memberForm({
    ...form,
    labels: identityLabels,
    async send(visit) {
      await confirmIdentity(visit);
      await change(visit);
      if (notice === undefined) return;
      visit.leadTo(leadsTo(visit.organization.id), typeof notice === 'string' ? notice : notice(visit));
    },
    async show(visit, { about, problems }) {
      const cancelPath = leadsTo(visit.organization.id);
      const one = asked(about, visit);
      if (one === null) return visit.leadTo(cancelPath);
      const { label, kind = 'primary', fields, consequences, before } = one;
      if (before !== undefined) {
        rememberPlace(visit);
        return showMessage(visit, {
          ...{ title: one.question, back: before, next: { href: cancelPath, text: 'Cancel' } },
          children: <p>{consequences}</p>,
        });
      }
      const identity = await identityOf(visit);
      ask(visit, {
        ...{ title: one.question, kind, problems, cancelPath, submit: label, ...(fields && { fields }) },
        controls: <OwnIdentity {...{ visit, identity, problems }} />,
        children: <p>{consequences}</p>,
      });
    },
  });
}
