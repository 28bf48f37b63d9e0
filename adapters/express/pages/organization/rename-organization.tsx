import type { Organization } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import { Button, ButtonLink } from '../design/button.js';
import {
  Field,
  Form,
  type FormProblems,
  INVALID_FORM_STATUS,
  isOutdated,
  noProblems,
  problemsOf,
} from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { organizationPath } from './sections.js';

const labels = { name: 'Name' };
/**
 * The field with the name that the form showed, so that a form does not overwrite a later change. It is on one line: an
 * earlier import may have stored line breaks, which browsers send in another form.
 */
const SHOWN_NAME = 'shown_name';

/** The form for the name of the organization. */
export function renameOrganization(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/name',
    keptForm: { fields: ['name', SHOWN_NAME] },
    get: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization } = visit;
      const { token, kept } = openForm(deps, visit);
      const name = kept?.name ?? organization.name;
      const shownName = kept?.[SHOWN_NAME] ?? oneLine(organization.name);
      showPageTo(visit, deps, view({ organization, name, shownName, problems: noProblems, token }));
    }),
    post: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, session, request, response } = visit;
      const name = fieldOf(request, 'name');
      const shownName = fieldOf(request, SHOWN_NAME);
      try {
        const isCurrent = shownName === oneLine(organization.name);
        const replaces = isCurrent ? organization.name : shownName;
        await deps.core.renameOrganization({ organization, name, replaces, by: actorOf(visit) });
        setNotice(deps, response, 'organization-renamed');
        response.redirect(303, organizationPath(organization.id));
      } catch (error) {
        const problems = problemsOf(error, labels);
        const { token } = openForm(deps, visit);
        if (!isOutdated(error))
          return showPageTo(visit, deps, view({ organization, name, shownName, problems, token }));
        // Only a reader who was told of the change may overwrite it.
        const owner = { session, organizationId: organization.id, role: 'owner' } as const;
        const { organization: current } = await deps.core.authorizeMember(owner);
        const asked = { problems: outdated(oneLine(current.name), name), shownName: oneLine(current.name) };
        showPageTo(visit, deps, view({ organization: current, name, ...asked, token }));
      }
    }),
  };
}

/** Asks whether to replace the name that the organization has by now. */
function outdated(current: string, name: string): FormProblems {
  const change = `Someone changed the name to “${current}” after you opened this page`;
  return { general: null, fields: { name: `${change}. Save again to make it “${name}”.` } };
}

export function namePath(organizationId: number): string {
  return `${organizationPath(organizationId)}/name`;
}

interface NameView {
  readonly organization: Organization;
  readonly name: string;
  /** The name that the reader has seen. */
  readonly shownName: string;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function view({ organization, name, shownName, problems, token }: NameView) {
  const refused = problems !== noProblems;
  const title = `The name of ${organization.name}`;
  return {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: refused ? `Error: ${title}` : title,
    body: (
      <section class="card narrow">
        <h1>
          <bdi>{organization.name}</bdi>
        </h1>
        <p>
          Pages, mails and new events show the new name from now on. An import that has the earlier name
          changes it back, so have it corrected there, too.
        </p>
        <Form token={token} problem={problems.general}>
          <input type="hidden" name={SHOWN_NAME} value={shownName} />
          <Field
            name="name"
            label={labels.name}
            autocomplete="off"
            value={name}
            problem={problems.fields.name}
          />
          <div class="actions">
            <Button kind="primary">Save the name</Button>
            <ButtonLink kind="quiet" href={organizationPath(organization.id)}>
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </section>
    ),
  };
}
