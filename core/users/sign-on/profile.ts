import { emailProblem, normalizeEmail } from '../../values/email.js';
import { isStorable } from '../../values/text.js';
import { idpIdProblem } from '../members/idp-id.js';
import { personProblems } from '../person.js';
import type { ProviderIdentity } from '../ports/identity-provider.js';
import type { SignOn } from '../ports/sign-ons.js';
import type { Person } from '../user.js';

/** What a provider says about a person, as far as it can be used. */
export interface Profile {
  /** The value of the claim that is the `idpId`; null: there is none. */
  readonly idpId: string | null;
  /** The name under which the person signs in; null: none. */
  readonly userName: string | null;
  /** The normalized address; null: none. It is a claim, and proves nothing. */
  readonly email: string | null;
  /** Address and names for a new account; null: something is missing. */
  readonly person: Person | null;
}

/** Microsoft leaves `email` out of the tokens of most accounts, and has the address in the others. */
const ADDRESS_CLAIMS = ['email', 'preferred_username', 'upn'];

export function readProfile({ claims }: ProviderIdentity, { idClaim }: Pick<SignOn, 'idClaim'>): Profile {
  const textOf = (claim: string): string | null => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : null;
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const address = ADDRESS_CLAIMS.map(textOf).find(
    (text) => text !== null && emailProblem('email', text) === null,
  );
  const email = address === undefined || address === null ? null : normalizeEmail(address);
  const words = (textOf('name') ?? email?.replace(/@.*/s, '') ?? '').split(/\s+/);
  const firstName = textOf('given_name') ?? words[0] ?? '';
  const lastName = textOf('family_name') ?? (words.slice(1).join(' ') || '-');
  const person = email === null ? null : { email, firstName, lastName };
  const userName = textOf('preferred_username') ?? textOf('upn');
  const idpId = textOf(idClaim);
  return {
    idpId: idpId !== null && !isRelative(idpId) && idpIdProblem(idpId) === null ? idpId : null,
    userName: userName !== null && isStorable(userName) ? userName : null,
    email,
    person: person !== null && personProblems(person).every((problem) => problem === null) ? person : null,
  };
}

/** HTTP clients remove these from the path of a URL. */
function isRelative(idpId: string): boolean {
  return idpId === '.' || idpId === '..';
}
