import { ButtonLink, Filters } from '../design/components.js';
import { paths } from '../paths.js';

/** Above both lists of people: those who have joined, and those who are invited. */
export function PeopleHead({
  organizationId,
  current,
}: Readonly<{ organizationId: number; current: 'members' | 'invitations' }>) {
  return (
    <>
      <div class="with-action">
        <h1>People</h1>
        <ButtonLink kind="primary" href={paths.invite(organizationId)} text="Invite" />
      </div>
      <Filters
        label="People"
        chosen={current}
        choices={[
          { name: 'members', title: 'Members', href: paths.people(organizationId) },
          { name: 'invitations', title: 'Invitations', href: paths.invitations(organizationId) },
        ]}
      />
    </>
  );
}
