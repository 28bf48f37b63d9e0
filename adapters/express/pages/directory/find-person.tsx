import type { DirectoryPerson } from '@rollcall/core';
import { Badge, Card, Facts } from '../design/components.js';
import { SearchField, SearchForm, searchIn } from '../design/list.js';
import { roleTitles } from '../members/roles.js';
import { paths, withQuery } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';

/** What can identify a person at an identity provider. */
const attributes = ['userName', 'emails', 'externalId', 'id'] as const;

type Searched = Awaited<ReturnType<typeof findPerson>>;

/**
 * Finds the person in the address by anything that identifies them. An empty search: nobody was looked for; `person` null:
 * nobody has what was typed.
 */
export async function findPerson({ core, organization, request }: MemberVisit) {
  const search = searchIn(request);
  if (search !== '')
    for (const attribute of attributes) {
      const person = await core.findProvisioned({ organization, attribute, value: search });
      if (person !== null) return { search, person };
    }
  return { search, person: null };
}

/** Says whether the directory knows someone, and why they are missing. */
export function FindPersonCard({ visit, searched }: PartProps<{ searched: Searched }>) {
  const { search, person } = searched;
  const path = paths.directory(visit.organization.id);
  return (
    <Card id="find" title="Find a person">
      <p>Is someone missing? See what is known of them here.</p>
      <SearchForm path={`${path}#find`} showAll={search !== '' && { href: path, text: 'Clear' }}>
        <SearchField
          label="Name at your provider, email address or ID"
          value={search}
          help="All of it. Case matters for an ID only."
        />
      </SearchForm>
      {search !== '' && (
        <div role="status">
          {person === null ? (
            <p>
              Nobody here has it: they are no member, and your provider has not added them. Check that they
              are assigned there, and whether one of the requests below was refused.
            </p>
          ) : (
            <Found {...{ visit, person }} />
          )}
        </div>
      )}
    </Card>
  );
}

function Found({ visit, person }: PartProps<{ person: DirectoryPerson }>) {
  const { organization } = visit;
  const { member, isActive, isWritten, userName, email, externalId, uuid } = person;
  return (
    <>
      <p>{stateOf(visit, person)}</p>
      <Facts
        of={{
          Person: <bdi>{nameIn(person) || userName}</bdi>,
          'Name at your provider': isWritten && <bdi>{userName}</bdi>,
          'Email address': <bdi>{email ?? userName}</bdi>,
          'Identity provider ID': <bdi class="id">{member?.idpId ?? externalId ?? 'None'}</bdi>,
          UUID: <bdi class="id">{uuid}</bdi>,
          'Added or changed by your provider': isWritten ? 'Yes' : 'Never',
        }}
      />
      {member !== null && <a href={paths.member(organization.id, member.user.id)}>Open this person</a>}
      {member === null && isActive && (
        <a href={withQuery(paths.invitations(organization.id), { search: email ?? userName })}>
          Show the invitation
        </a>
      )}
    </>
  );
}

function stateOf({ organization }: MemberVisit, { member, isActive }: DirectoryPerson) {
  if (member !== null)
    return (
      <>
        <Badge tone="success">{roleTitles[member.role]}</Badge> They are a member of {organization.name}.
      </>
    );
  if (isActive)
    return (
      <>
        <Badge tone="neutral">Invited</Badge> Their address has an account already, so they become a member by
        accepting the invitation. If it was revoked or has expired, renew it.
      </>
    );
  return (
    <>
      <Badge tone="neutral">Inactive</Badge> Your provider has deactivated them or added them as inactive, or
      their membership was ended here. They become a member when it activates them.
    </>
  );
}

/** The name of a person as the directory has it; empty: it has none. */
export function nameIn({
  givenName,
  familyName,
  displayName,
}: Pick<DirectoryPerson, 'givenName' | 'familyName' | 'displayName'>): string {
  return [givenName, familyName].filter(Boolean).join(' ') || (displayName ?? '');
}
