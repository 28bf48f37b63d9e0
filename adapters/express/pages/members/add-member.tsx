import { BackLink, Button } from '../design/components.js';
import { Field, Form, type FormProblems, noProblems } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { idpIdProblems } from './idp-id-problems.js';

const labels = { email: 'Email address', idpId: 'Identity provider ID' };

/** The form to add someone who has an account, without an invitation. */
export const addMember = memberPage({
  path: paths.addMember(':id'),
  role: 'owner',
  section: 'people',
  keeps: ['email', 'idp_id'],
  get(visit) {
    const { email = '', idp_id: idpId = '' } = visit.kept ?? {};
    showForm(visit, { email, idpId, problems: noProblems });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const email = visit.field('email');
    const idpId = visit.field('idp_id').trim();
    try {
      const member = {
        organizationId: organization.id,
        email,
        role: 'member',
        idpId: idpId || null,
      } as const;
      const { user } = await core.addMember({ ...member, by });
      visit.leadTo(paths.member(organization.id, user.id), 'member-added');
    } catch (error) {
      const alsoShown = ['user-not-found', 'already-member'] as const;
      const problems = await idpIdProblems(visit, error, { idpId, labels, alsoShown });
      showForm(visit, { email, idpId, problems });
    }
  },
});

interface AddForm {
  readonly email: string;
  readonly idpId: string;
  readonly problems: FormProblems;
}

function showForm(visit: MemberVisit, { email, idpId, problems }: AddForm): void {
  const { organization, token } = visit;
  const path = paths.people(organization.id);
  visit.show({
    title: 'Add someone who has an account',
    problems,
    body: (
      <>
        <BackLink href={path}>People</BackLink>
        <h1>Add someone who has an account</h1>
        <section class="card">
          <p>
            They become a member at once and need no invitation. If one is pending, this accepts it. We don’t
            verify email addresses: check who they are before you give them another role.
          </p>
          <Form action={paths.addMember(organization.id)} token={token} problem={problems.general}>
            <Field
              name="email"
              label={labels.email}
              type="email"
              autocomplete="off"
              value={email}
              help="The address that they sign in with."
              problem={problems.fields.email}
            />
            <Field
              isRequired={false}
              name="idp_id"
              label={labels.idpId}
              autocomplete="off"
              value={idpId}
              help="Optional. You can set it later."
              problem={problems.fields.idpId}
              link={problems.links?.idpId}
            />
            <div class="actions">
              <Button kind="primary">Add</Button>
              <a href={`${path}#add`}>Invite them instead</a>
            </div>
          </Form>
        </section>
      </>
    ),
  });
}
