import { Button } from '../design/button.js';
import { Form, type FormToken } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';

/** Hides the first steps of the organization, or shows them again. */
export const hideFirstSteps = memberPage({
  path: paths.firstSteps(':id'),
  role: 'owner',
  section: 'organization',
  async post(visit) {
    const { core, organization, by } = visit;
    const isHidden = visit.field('hidden') === 'yes';
    await core.hideFirstSteps({ organization, isHidden, by });
    visit.leadTo(paths.organization(organization.id), isHidden ? 'first-steps-hidden' : undefined);
  },
});

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
    <Form action={paths.firstSteps(organizationId)} token={token}>
      {!isHidden && <input type="hidden" name="hidden" value="yes" />}
      <Button kind="quiet" isSmall>
        {isHidden ? 'Show the first steps' : 'Hide these steps'}
      </Button>
    </Form>
  );
}
