interface Rewording {
  readonly pattern: RegExp;
  /** `label` is what the form calls the field. */
  readonly reword: (label: string, match: RegExpExecArray) => string;
}

/** Messages of the core, which name fields as the API does, in the words of a form. */
const rewordings: readonly Rewording[] = [
  { pattern: /^\S+ must be an e-?mail address\b/, reword: () => 'Enter a valid email address' },
  { pattern: /^\S+ must not be empty$/, reword: (label) => `${label} is required` },
  { pattern: /^email: .*\balready a member\b/, reword: () => 'This person is already a member' },
  {
    pattern: /^This is the last owner\b/,
    reword: () => 'This is the last owner. Make someone else an owner first',
  },
  { pattern: /^webhook\.url is required\b/, reword: () => 'Enter a URL' },
  { pattern: /^webhook\.events must name at least one\b/, reword: () => 'Select at least one event' },
  { pattern: /^people must have at least one\b/, reword: () => 'Enter at least one line' },
  {
    pattern: /^a line must have three fields\b.*\bthis has (\d+)$/,
    reword: (_label, [, count]) =>
      `Needs an email address, a first name and a last name. This line has ${count} ${count === '1' ? 'field' : 'fields'}`,
  },
  {
    pattern: /^The e-?mail address or the password is wrong$/,
    reword: () => 'The email address or password is wrong',
  },
];

/** A message of the core in the words of a form, with the label of its field instead of the field's name. */
export function fieldMessage(message: string, labels: Readonly<Record<string, string>>): string {
  const name = fieldIn(message);
  const label = labels[name] ?? name;
  for (const { pattern, reword } of rewordings) {
    const match = pattern.exec(message);
    if (match !== null) return reword(label, match);
  }
  return `${label}${message.slice(name.length)}`;
}

/** The name that the message begins with, if it is one. */
export function fieldIn(message: string): string {
  return message.split(/[ :]/, 1)[0] ?? '';
}
