import { Button } from '../design/button.js';
import { Field, Form, type FormProblems, INVALID_FORM_STATUS, noProblems } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { idpIdProblems } from './idp-id-problems.js';
import { memberPath, peoplePath } from './people-paths.js';

const labels = { email: 'Email address', idpId: 'Identity provider ID' };

/** The form to add someone who has an account, without an invitation. */
export function addMember(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/people/add',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { token, kept } = openForm(deps, visit);
      const { email = '', idp_id: idpId = '' } = kept ?? {};
      showForm(deps, visit, { email, idpId, problems: noProblems, token });
    }),
    keptForm: { fields: ['email', 'idp_id'] },
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const email = fieldOf(request, 'email');
      const idpId = fieldOf(request, 'idp_id').trim();
      try {
        const { user } = await deps.core.addMember({
          organizationId: organization.id,
          email,
          role: 'member',
          idpId: idpId === '' ? null : idpId,
          by: actorOf(visit),
        });
        setNotice(deps, response, 'member-added');
        response.redirect(303, memberPath(organization.id, user.id));
      } catch (error) {
        const alsoShown = ['user-not-found', 'already-member'] as const;
        const problems = await idpIdProblems(deps, visit, error, { idpId, labels, alsoShown });
        const { token } = openForm(deps, visit);
        showForm(deps, visit, { email, idpId, problems, token });
      }
    }),
  };
}

interface AddForm {
  readonly email: string;
  readonly idpId: string;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function showForm(deps: PageDeps, visit: Visit, form: AddForm): void {
  const refused = form.problems !== noProblems;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}Add someone who has an account`,
    body: <AddView form={form} organizationId={visit.organization.id} />,
  });
}

interface AddViewProps {
  readonly form: AddForm;
  readonly organizationId: number;
}

function AddView({ form: { email, idpId, problems, token }, organizationId }: AddViewProps) {
  const path = peoplePath(organizationId);
  return (
    <>
      <p class="back-link">
        <a href={path}>People</a>
      </p>
      <h1>Add someone who has an account</h1>
      <section class="card">
        <p>
          They become a member at once and need no invitation. If one is pending, this accepts it. We don’t
          verify email addresses: check who they are before you give them another role.
        </p>
        <Form action={`${path}/add`} token={token} problem={problems.general}>
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
  );
}
