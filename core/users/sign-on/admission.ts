import type { Uses } from '../../deps.js';
import type { DirectoryPerson } from '../ports/directory.js';
import type { ProviderIdentity } from '../ports/identity-provider.js';
import type { Member } from '../ports/members.js';
import type { SignOn } from '../ports/sign-ons.js';
import type { Person } from '../user.js';
import { type Profile, readProfile } from './profile.js';

/** Who a person at the identity provider is in the organization. */
export type Admission =
  /** The member whose identity it is. */
  | { readonly kind: 'known'; readonly member: Member }
  /** This member, whom the organization knows by the id at its provider. */
  | { readonly kind: 'link'; readonly member: Member }
  /** Perhaps this member, who has to confirm it. */
  | { readonly kind: 'confirm'; readonly member: Member; readonly idpId: string | null }
  /** A new member. */
  | { readonly kind: 'register'; readonly person: Person; readonly idpId: string }
  /** Nobody. `reason` is for the operator, and for an owner unless it tells what other organizations know. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly isElsewhere: boolean };

/**
 * Decides who the person is; the first rule that fits does. Nothing is linked by an address alone, unless the
 * organization's directory has written it, nor by anything that another organization knows: an account that is not a
 * member's is never used.
 */
export async function admissionOf(
  deps: Uses<
    | 'identities.bySubject'
    | 'identities.of'
    | 'members.byIdpId'
    | 'members.byUserId'
    | 'users.byEmail'
    | typeof writtenPerson
  >,
  signOn: SignOn,
  identity: ProviderIdentity,
): Promise<Admission> {
  const { identities, members, users } = deps;
  const { organizationId, admits, idClaim } = signOn;
  const { issuer, subject } = identity;
  const known = await identities.bySubject({ organizationId, issuer, subject });
  if (known !== null) {
    const member = await members.byUserId(known);
    return member === null ? refuse('the member was removed') : { kind: 'known', member };
  }

  const { idpId, userName, email, person } = readProfile(identity, signOn);
  const byIdpId = idpId === null ? null : await members.byIdpId({ organizationId, idpId });
  if (byIdpId !== null) {
    // A role must not come from an attribute that others can edit.
    const kind = byIdpId.role === 'member' ? 'link' : 'confirm';
    return unlessLinked(deps, identity, { kind, member: byIdpId, idpId });
  }
  const written = await writtenPerson(deps, { organizationId, userName, email, idpId });
  if (written?.member != null) {
    const kind = written.member.role === 'member' ? 'link' : 'confirm';
    return unlessLinked(deps, identity, { kind, member: written.member, idpId });
  }
  if (written?.isActive === false) return refuse('the directory has deactivated this person');
  const user = email === null ? null : await users.byEmail(email);
  const byEmail = user === null ? null : await members.byUserId({ organizationId, userId: user.id });
  if (byEmail !== null) return unlessLinked(deps, identity, { kind: 'confirm', member: byEmail, idpId });

  if (admits !== 'anyone') return refuse('no member has this identity, and only members are admitted');
  if (idpId === null) return refuse(`the claim ${idClaim} is missing or cannot be used`);
  if (person === null) return refuse('the claims have no email address, or a name that cannot be used');
  if (user !== null)
    return {
      ...{ kind: 'refuse', isElsewhere: true },
      reason: 'the address of the person has an account already: invite them',
    };
  return { kind: 'register', person, idpId };
}

/**
 * Whom the organization's own directory knows by this name, address or id. Its word is as good as that of the provider:
 * both are the organization's.
 */
async function writtenPerson(
  { directory }: Uses<'directory.byEmail' | 'directory.byExternalId' | 'directory.byUserName'>,
  {
    organizationId,
    userName,
    email,
    idpId,
  }: { readonly organizationId: number } & Pick<Profile, 'userName' | 'email' | 'idpId'>,
): Promise<DirectoryPerson | null> {
  for (const name of [userName, email]) {
    const person = name === null ? null : await directory.byUserName({ organizationId, userName: name });
    if (person?.isWritten) return person;
  }
  const byEmail = email === null ? null : await directory.byEmail({ organizationId, email });
  if (byEmail?.isWritten) return byEmail;
  const byId = idpId === null ? null : await directory.byExternalId({ organizationId, externalId: idpId });
  return byId?.isWritten ? byId : null;
}

/** A member who is linked already is never linked to someone else at the provider. */
async function unlessLinked(
  { identities }: Uses<'identities.of'>,
  { issuer, subject }: ProviderIdentity,
  found: { readonly kind: 'link' | 'confirm'; readonly member: Member; readonly idpId: string | null },
): Promise<Admission> {
  const { organizationId, user } = found.member;
  const other = await identities.of({ organizationId, userId: user.id });
  if (other === null) return found;
  // Another caller has linked the person at the same time.
  if (other.issuer === issuer && other.subject === subject) return { kind: 'known', member: found.member };
  return refuse('the member is linked to another identity: an owner can unlink it');
}

function refuse(reason: string): Admission {
  return { kind: 'refuse', reason, isElsewhere: false };
}
