import { Button } from '../design/button.js';
import { Form } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember } from '../visit.js';
import { organizationPath } from './sections.js';

/** Hides the first steps of the organization, or shows them again. */
export function hideFirstSteps(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/first-steps',
    post: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, request, response } = visit;
      const isHidden = fieldOf(request, 'hidden') === 'yes';
      await deps.core.hideFirstSteps({ organization, isHidden, by: actorOf(visit) });
      if (isHidden) setNotice(deps, response, 'first-steps-hidden');
      response.redirect(303, organizationPath(organization.id));
    }),
  };
}

/** The button that hides the first steps or shows them again. */
export function HideForm({
  organizationId,
  token,
  isHidden,
}: {
  readonly organizationId: number;
  readonly token: FormToken;
  readonly isHidden: boolean;
}) {
  return (
    <Form action={`${organizationPath(organizationId)}/first-steps`} token={token}>
      {!isHidden && <input type="hidden" name="hidden" value="yes" />}
      <Button kind="quiet" isSmall>
        {isHidden ? 'Show the first steps' : 'Hide these steps'}
      </Button>
    </Form>
  );
}
