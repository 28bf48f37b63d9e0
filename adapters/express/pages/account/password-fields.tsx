import type { ComponentProps } from 'preact';
import { Field } from '../design/form.js';

/** What a new password needs. The core checks it. */
export const passwordHelp = 'At least 8 characters, not counting your name and your organization’s.';

/** The address of the account, so that password managers know which password changes. */
export function AccountEmail({ email }: { readonly email: string }) {
  return (
    <Field name="email" label="Email address" type="email" autocomplete="username" value={email} readOnly />
  );
}

export function NewPassword(control: Pick<ComponentProps<typeof Field>, 'name' | 'label' | 'problem'>) {
  return <Field {...control} type="password" autocomplete="new-password" help={passwordHelp} />;
}
