import type { User } from '@rollcall/core';
import { showForm } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { accountForm, memberForm, type ShownForm } from '../form-page.js';
import { invitationLabels, NameFields } from '../invitations/invite-user.js';
import { paths } from '../paths.js';
import type { SignedInVisit } from '../visit.js';
import { memberOf } from './change-role.js';

const nameForm = {
  fields: ['first_name', 'last_name'],
  labels: invitationLabels,
  initial: ({ firstName, lastName }: Name) => ({ first_name: firstName, last_name: lastName }),
} as const;

type Name = Pick<User, 'firstName' | 'lastName'>;
type NameField = (typeof nameForm.fields)[number];

export const setName = memberForm({
  path: paths.memberName(':id', ':userId'),
  role: 'owner',
  ...nameForm,
  alsoShown: ['in-other-organization'],
  about: async (visit) => (await memberOf(visit)).user,
  async send(visit, name) {
    const { core, organization, by } = visit;
    const { user } = await memberOf(visit);
    await core.setName({ person: { userId: user.id }, ...nameIn(name), onlyOf: organization, by });
    visit.leadTo(paths.member(organization.id, user.id), 'name-changed');
  },
  show(visit, form) {
    const { about: user } = form;
    showNameForm(visit, form, paths.member(visit.organization.id, user.id), nameOf(user));
  },
});

export const setOwnName = accountForm({
  path: paths.ownName,
  ...nameForm,
  about: ({ session }) => session.user,
  async send(visit, name) {
    const { core, session, by } = visit;
    await core.setName({ person: { userId: session.user.id }, ...nameIn(name), by });
    visit.leadTo(paths.account, 'name-changed');
  },
  show: (visit, form) => showNameForm(visit, form, paths.account),
});

function nameIn({ first_name: firstName, last_name: lastName }: Readonly<Record<NameField, string>>): Name {
  return { firstName, lastName };
}

/** `person` is the name until now; null: the reader's own. */
function showNameForm(
  visit: SignedInVisit,
  { problems, control }: ShownForm<NameField>,
  cancelPath: string,
  person: string | null = null,
): void {
  const title = person === null ? 'Your name' : `The name of ${person}`;
  showForm(visit, {
    ...{ title, heading: person === null ? title : <bdi>{person}</bdi>, problems },
    controls: <NameFields control={control} isOwn={person === null} />,
    submit: 'Save the name',
    cancelPath,
    children: (
      <p>
        The new name is shown everywhere from now on, also in meetings that {person === null ? 'you' : 'they'}{' '}
        lead. An import that has the earlier name changes it back, so have it corrected there, too.
      </p>
    ),
  });
}
