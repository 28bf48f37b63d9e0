import { Refusal, type RefusalCode, Secret } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { ask } from '../ask.js';
import { Field } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { TextWithOperator } from '../design/operator.js';
import { memberForm, type ShownForm } from '../form-page.js';
import type { Page } from '../page.js';
import type { MemberVisit } from '../visit.js';
import { clientAddress } from '../visit-limits.js';
import { AccountEmail } from './password-fields.js';

/** Someone who finds a session open must not change how everyone signs in. */
export async function confirmOwnPassword(visit: MemberVisit): Promise<void> {
  // An owner has confirmed the link with the password.
  if (visit.session.startedBy === 'setup-link') return;
  const password = new Secret(visit.field('current_password'));
  if (password.reveal() === '')
    throw new Refusal('invalid-request', [
      { field: 'currentPassword', code: 'empty', message: 'must not be empty' },
    ]);
  const { user } = visit.session;
  await visit.core.confirmIdentity({ user, proof: { password }, address: clientAddress(visit) });
}

interface OwnPasswordProps {
  readonly visit: MemberVisit;
  readonly control: ShownForm['control'];
}

/** The form's labels name `currentPassword`. */
export function OwnPassword({ visit, control }: OwnPasswordProps) {
  if (visit.session.startedBy === 'setup-link') return null;
  return (
    <>
      <AccountEmail email={visit.session.user.email} />
      <Field
        {...control('currentPassword')}
        type="password"
        autocomplete="current-password"
        {...(visit.sendsMail && {
          help: 'No password yet? Set one on the sign-in page, under “Forgot your password?”.',
        })}
      />
      {!visit.sendsMail && <NoPassword {...{ visit }} />}
    </>
  );
}

/** Where no mail is sent, nobody can set a password alone. */
export function NoPassword({ visit }: { readonly visit: Parameters<typeof TextWithOperator>[0]['visit'] }) {
  return (
    <p class="secondary-text">
      <TextWithOperator visit={visit} text="No password? Ask the people who run this service." />
    </p>
  );
}

interface PasswordQuestion<About> {
  readonly path: string;
  readonly about: (visit: MemberVisit) => Promise<About>;
  /** Null: there is nothing to change. */
  readonly asked: (about: About) => {
    readonly question: string;
    readonly label: string;
    readonly kind?: 'primary' | 'destructive';
    readonly consequences: ComponentChildren;
  } | null;
  readonly change: (visit: MemberVisit) => Promise<unknown>;
  /** Where it leads, also without the change. */
  readonly leadsTo: (organizationId: number) => string;
  readonly notice: NoticeName;
  readonly alsoShown?: readonly RefusalCode[];
  readonly isForSetup?: boolean;
}

/** Asks for the password before a change for everyone. */
export function askingForPassword<About>({
  path,
  about,
  asked,
  change,
  leadsTo,
  notice,
  alsoShown = [],
  isForSetup = false,
}: PasswordQuestion<About>): Page {
  return memberForm({
    ...{ path, about, alsoShown, isForSetup, section: 'settings', fields: [] },
    labels: { currentPassword: 'Your password' },
    initial: () => ({}),
    async send(visit) {
      await confirmOwnPassword(visit);
      await change(visit);
      visit.leadTo(leadsTo(visit.organization.id), notice);
    },
    show(visit, { about: found, problems, control }) {
      const cancelPath = leadsTo(visit.organization.id);
      const one = asked(found);
      if (one === null) return visit.leadTo(cancelPath);
      const { question, label, kind = 'primary', consequences } = one;
      ask(visit, {
        ...{ question, kind, problems, cancelPath, confirmLabel: label },
        controls: <OwnPassword {...{ visit, control }} />,
        children: <p>{consequences}</p>,
      });
    },
  });
}
