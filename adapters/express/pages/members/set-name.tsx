import { Form, type FormProblems, noProblems, problemsOf, Submit } from '../design/form.js';
import { NameFields, personLabels } from '../invitations/invite-user.js';
import { accountPage, memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { SignedInVisit, Visit } from '../visit.js';
import { memberOf, nameOf } from './change-role.js';

/** The form for the name of a member. */
export const setName = memberPage({
  path: paths.memberName(':id', ':userId'),
  role: 'owner',
  section: 'people',
  keeps: ['first_name', 'last_name'],
  async get(visit) {
    const { user } = await memberOf(visit);
    const back = paths.member(visit.organization.id, user.id);
    showForm(visit, { person: nameOf(user), name: keptName(visit, user), back, problems: noProblems });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const { user } = await memberOf(visit);
    const name = nameIn(visit);
    const back = paths.member(organization.id, user.id);
    try {
      await core.setName({ person: { userId: user.id }, ...name, onlyOf: organization, by });
      visit.leadTo(back, 'name-changed');
    } catch (error) {
      const problems = problemsOf(error, personLabels, ['in-other-organization']);
      showForm(visit, { person: nameOf(user), name, back, problems });
    }
  },
});

/** The form for the reader's own name. */
export const setOwnName = accountPage({
  path: paths.ownName,
  keeps: ['first_name', 'last_name'],
  get(visit) {
    const name = keptName(visit, visit.session.user);
    showForm(visit, { ...ownName, name, problems: noProblems });
  },
  async post(visit) {
    const { core, session, by } = visit;
    const name = nameIn(visit);
    try {
      await core.setName({ person: { userId: session.user.id }, ...name, by });
      visit.leadTo(paths.account, 'name-changed');
    } catch (error) {
      showForm(visit, { ...ownName, name, problems: problemsOf(error, personLabels) });
    }
  },
});

const ownName = { person: null, back: paths.account } as const;

interface Name {
  readonly firstName: string;
  readonly lastName: string;
}

/** The name that was typed before the session had ended, else the person's. */
function keptName({ kept }: Visit, { firstName, lastName }: Name): Name {
  return { firstName: kept?.first_name ?? firstName, lastName: kept?.last_name ?? lastName };
}

function nameIn(visit: Visit): Name {
  return { firstName: visit.field('first_name'), lastName: visit.field('last_name') };
}

interface NameView {
  /** The name until now; null: the reader's own. */
  readonly person: string | null;
  readonly name: Name;
  /** The page that leads here. */
  readonly back: string;
  readonly problems: FormProblems;
}

function showForm(visit: SignedInVisit, { person, name, back, problems }: NameView): void {
  const title = person === null ? 'Your name' : `The name of ${person}`;
  visit.show({
    title,
    problems,
    body: (
      <section class="card narrow">
        <h1>{person === null ? title : <bdi>{person}</bdi>}</h1>
        <p>
          The new name is shown everywhere from now on, also in meetings that{' '}
          {person === null ? 'you' : 'they'} lead. An import that has the earlier name changes it back, so
          have it corrected there, too.
        </p>
        <Form token={visit.token} problem={problems.general}>
          <NameFields person={name} problems={problems} isOwn={person === null} />
          <Submit label="Save the name" cancelPath={back} />
        </Form>
      </section>
    ),
  });
}
