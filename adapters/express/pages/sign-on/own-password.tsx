import { Secret } from '@rollcall/core';
import { AccountEmail } from '../account/password-fields.js';
import { Field } from '../design/form.js';
import type { ShownForm } from '../form-page.js';
import type { MemberVisit } from '../visit.js';
import { clientAddress } from '../visit-limits.js';

/** Someone who finds a session open must not change how everyone signs in. */
export function confirmOwnPassword(visit: MemberVisit): Promise<void> {
  const password = new Secret(visit.field('current_password'));
  const { user } = visit.session;
  return visit.core.confirmPassword({ user, password, address: clientAddress(visit) });
}

interface OwnPasswordProps {
  readonly visit: MemberVisit;
  readonly control: ShownForm['control'];
}

/** The form's labels name `currentPassword`. */
export function OwnPassword({ visit, control }: OwnPasswordProps) {
  return (
    <>
      <AccountEmail email={visit.session.user.email} />
      <Field
        {...control('currentPassword')}
        type="password"
        autocomplete="current-password"
        help="The password of this account here. Without one, set it on the sign-in page first."
      />
    </>
  );
}
