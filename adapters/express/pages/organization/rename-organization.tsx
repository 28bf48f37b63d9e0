import type { Organization } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import {
  Field,
  Form,
  type FormProblems,
  isOutdated,
  noProblems,
  problemsOf,
  Submit,
} from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

const labels = { name: 'Name' };
/**
 * The field with the name that the form showed, so that a form does not overwrite a later change. It is on one line: an
 * earlier import may have stored line breaks, which browsers send in another form.
 */
const SHOWN_NAME = 'shown_name';

/** The form for the name of the organization. */
export const renameOrganization = memberPage({
  path: paths.organizationName(':id'),
  role: 'owner',
  section: 'organization',
  keeps: ['name', SHOWN_NAME],
  get(visit) {
    const { organization, kept } = visit;
    const name = kept?.name ?? organization.name;
    const shownName = kept?.[SHOWN_NAME] ?? oneLine(organization.name);
    showForm(visit, { organization, name, shownName, problems: noProblems });
  },
  async post(visit) {
    const { core, organization, session, by } = visit;
    const name = visit.field('name');
    const shownName = visit.field(SHOWN_NAME);
    try {
      const isCurrent = shownName === oneLine(organization.name);
      const replaces = isCurrent ? organization.name : shownName;
      await core.renameOrganization({ organization, name, replaces, by });
      visit.leadTo(paths.organization(organization.id), 'organization-renamed');
    } catch (error) {
      const problems = problemsOf(error, labels);
      if (!isOutdated(error)) return showForm(visit, { organization, name, shownName, problems });
      // Only a reader who was told of the change may overwrite it.
      const owner = { session, organizationId: organization.id, role: 'owner' } as const;
      const { organization: current } = await core.authorizeMember(owner);
      const asked = { problems: outdated(oneLine(current.name), name), shownName: oneLine(current.name) };
      showForm(visit, { organization: current, name, ...asked });
    }
  },
});

/** Asks whether to replace the name that the organization has by now. */
function outdated(current: string, name: string): FormProblems {
  const change = `Someone changed the name to “${current}” after you opened this page`;
  return { general: null, fields: { name: `${change}. Save again to make it “${name}”.` } };
}

interface NameView {
  readonly organization: Organization;
  readonly name: string;
  /** The name that the reader has seen. */
  readonly shownName: string;
  readonly problems: FormProblems;
}

function showForm(visit: MemberVisit, { organization, name, shownName, problems }: NameView): void {
  visit.show({
    title: `The name of ${organization.name}`,
    problems,
    body: (
      <section class="card narrow">
        <h1>
          <bdi>{organization.name}</bdi>
        </h1>
        <p>
          Pages, mails and new events show the new name from now on. An import that has the earlier name
          changes it back, so have it corrected there, too.
        </p>
        <Form token={visit.token} problem={problems.general}>
          <input type="hidden" name={SHOWN_NAME} value={shownName} />
          <Field
            name="name"
            label={labels.name}
            autocomplete="off"
            value={name}
            problem={problems.fields.name}
          />
          <Submit label="Save the name" cancelPath={paths.organization(organization.id)} />
        </Form>
      </section>
    ),
  });
}
