import { BackLink, Button } from '../design/components.js';
import { Field, Form } from '../design/form.js';
import { memberForm } from '../form-page.js';
import { paths } from '../paths.js';
import { idpIdProblems } from './idp-id-problems.js';

/** The form to add someone who has an account, without an invitation. */
export const addMember = memberForm({
  path: paths.addMember(':id'),
  section: 'people',
  role: 'owner',
  fields: ['email', 'idp_id'],
  labels: { email: 'Email address', idpId: 'Identity provider ID' },
  alsoShown: ['user-not-found', 'already-member'],
  problems: idpIdProblems,
  about: () => null,
  initial: () => ({ email: '', idp_id: '' }),
  async send(visit, { email, idp_id: idpId }) {
    const { core, organization, by } = visit;
    const member = { organizationId: organization.id, email, role: 'member', idpId: idpId || null } as const;
    const { user } = await core.addMember({ ...member, by });
    visit.leadTo(paths.member(organization.id, user.id), 'member-added');
  },
  show(visit, { problems, control }) {
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
              They become a member at once and need no invitation. If one is pending, this accepts it. We
              don’t verify email addresses: check who they are before you give them another role.
            </p>
            <Form action={paths.addMember(organization.id)} token={token} problem={problems.general}>
              <Field
                {...control('email')}
                type="email"
                autocomplete="off"
                help="The address that they sign in with."
              />
              <Field
                {...control('idpId')}
                isRequired={false}
                autocomplete="off"
                help="Optional. You can set it later."
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
  },
});
