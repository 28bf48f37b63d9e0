import type { Uses } from '../../deps.js';
import type { Problem } from '../../values/problem.js';
import { Secret } from '../../values/secret.js';
import type { Person } from '../user.js';

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1000;
/** Shorter names are part of too many words. */
const MIN_CONTEXT_CHARACTERS = 4;

type PasswordField = 'password' | 'newPassword';

export interface NewPassword {
  readonly password: Secret;
  /** The field that a problem names; `password` by default. */
  readonly field?: PasswordField;
  /** Whose password it will be. */
  readonly person: Person;
  /** The organizations that the person belongs to. */
  readonly organizations: readonly { readonly name: string }[];
}

/** What is wrong with a new password, or null: its length, names that anyone would try, or that it is a common one. */
export async function newPasswordProblem(
  { commonPasswords, settings }: Uses<'commonPasswords.has' | 'settings.serviceName'>,
  { password, field = 'password', person, organizations }: NewPassword,
): Promise<Problem | null> {
  const wrongLength = passwordLengthProblem(password, field);
  if (wrongLength !== null) return wrongLength;

  const names = [
    person.firstName,
    person.lastName,
    settings.serviceName,
    ...organizations.map(({ name }) => name),
  ];
  const address = person.email.split('@', 1);
  const plain = plainWords(password.reveal()).join('');
  const rest = withoutWords(plain, [...names, ...address].flatMap(contextWords));
  const hasName = rest.length < plain.length;
  if (hasName && [...rest].length < MIN_PASSWORD_CHARACTERS)
    return {
      field,
      code: 'guessable',
      message: `must have at least ${MIN_PASSWORD_CHARACTERS} letters or digits, not counting the account’s name and email address and the names of organizations and the service`,
    };
  if ((await commonPasswords.has(password)) || (hasName && (await commonPasswords.has(new Secret(rest)))))
    return { field, code: 'too-common', message: 'is too common: choose another' };
  return null;
}

function withoutWords(text: string, words: readonly string[]): string {
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, word) => rest.replaceAll(word, ''), text);
}

/** What is wrong with the length of a new password, or null. */
export function passwordLengthProblem(password: Secret, field: PasswordField = 'password'): Problem | null {
  const { length } = password.reveal();
  if (length < MIN_PASSWORD_CHARACTERS)
    return { field, code: 'too-short', message: `must have at least ${MIN_PASSWORD_CHARACTERS} characters` };
  if (length > MAX_PASSWORD_CHARACTERS)
    return { field, code: 'too-long', message: `must have at most ${MAX_PASSWORD_CHARACTERS} characters` };
  return null;
}

/** The words of a text, and all of them together: `north wind`, `northwind` and `North-Wind` are the same. */
function contextWords(text: string): readonly string[] {
  const words = plainWords(text);
  return [...words, words.join('')].filter((word) => [...word].length >= MIN_CONTEXT_CHARACTERS);
}

/** Digits and signs that people write for a letter. */
const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** The text split into words, in lower case, without accents, and with letters in place of their lookalikes. */
function plainWords(text: string): string[] {
  const base = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const spelled = base.replace(/[013457@$!]/g, (sign) => lookalikes[sign] ?? sign);
  return spelled.split(/[^\p{L}\p{N}]+/u);
}
