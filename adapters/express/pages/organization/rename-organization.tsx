import type { Organization } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import { showForm } from '../ask.js';
import { Field } from '../design/form.js';
import { memberForm } from '../form-page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

/**
 * The field with the name that the form showed. It is on one line: an earlier import may have stored line breaks, which
 * browsers send in another form.
 */
const SHOWN_NAME = 'shown_name';

export const renameOrganization = memberForm({
  path: paths.organizationName(':id'),
  fields: ['name', SHOWN_NAME],
  labels: { name: 'Name' },
  seen: SHOWN_NAME,
  about: organizationNow,
  initial: ({ name }) => ({ name, [SHOWN_NAME]: oneLine(name) }),
  outdated(current, { name }) {
    const change = `Someone changed the name to “${oneLine(current.name)}” after you opened this page`;
    return { name: `${change}. Save again to make it “${name}”.` };
  },
  async send(visit, { name, [SHOWN_NAME]: shownName }) {
    const { core, organization, by } = visit;
    const isCurrent = shownName === oneLine(organization.name);
    const replaces = isCurrent ? organization.name : shownName;
    await core.renameOrganization({ organization, name, replaces, by });
    visit.leadTo(paths.settings(organization.id), 'organization-renamed');
  },
  show(visit, { about: organization, values, problems, control }) {
    showForm(visit, {
      ...{ title: `The name of ${organization.name}`, heading: 'Change the name', problems },
      fields: { [SHOWN_NAME]: values[SHOWN_NAME] },
      controls: <Field {...control('name')} />,
      submit: 'Save the name',
      cancelPath: paths.settings(organization.id),
      children: (
        <p>
          Pages, mails and new events show the new name from now on. An import that has the earlier name
          changes it back, so have it corrected there, too.
        </p>
      ),
    });
  },
});

/** The organization of an owner's form: after a refusal, with what someone else may have changed meanwhile. */
export async function organizationNow(
  { core, organization, session }: MemberVisit,
  isAgain: boolean,
): Promise<Organization> {
  if (!isAgain) return organization;
  const owner = { session, organizationId: organization.id, role: 'owner' } as const;
  return (await core.authorizeMember(owner)).organization;
}
