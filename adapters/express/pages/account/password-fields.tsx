import { Field } from '../design/form.js';

/** What a new password needs. The core checks it. */
export const passwordHelp = 'At least 8 characters, not counting your name and your organization’s.';

/** The address of the account, so that password managers know which password changes. */
export function AccountEmail({ email }: { readonly email: string }) {
  return (
    <Field name="email" label="Email address" type="email" autocomplete="username" value={email} readOnly />
  );
}

export function NewPassword({
  label,
  problem,
}: {
  readonly label: string;
  readonly problem?: string | undefined;
}) {
  return (
    <Field
      name="new_password"
      label={label}
      type="password"
      autocomplete="new-password"
      help={passwordHelp}
      problem={problem}
    />
  );
}
