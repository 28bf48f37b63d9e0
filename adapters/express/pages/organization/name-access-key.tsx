import type { AccessKey } from '@rollcall/core';
import { showForm } from '../ask.js';
import { Field } from '../design/form.js';
import { memberForm } from '../form-page.js';
import { paths } from '../paths.js';
import { GENERATION, generationIn, MaskedKey } from './generate-access-key.js';

export const nameAccessKey = memberForm({
  path: paths.accessKeyName(':id'),
  fields: ['name', GENERATION],
  labels: { name: 'Name' },
  alsoShown: ['access-key-outdated'],
  about: ({ core, organization }) => core.readAccessKey({ organization }),
  initial: (current: AccessKey | null, { organization }) => ({
    name: current?.name ?? '',
    [GENERATION]: String(organization.accessKeyGeneration),
  }),
  async send(visit, { name, [GENERATION]: generation }) {
    const { core, organization, by } = visit;
    await core.nameAccessKey({
      ...{ organization, by, generation: generationIn(generation) },
      name: name.trim() === '' ? null : name,
    });
    visit.leadTo(paths.settings(organization.id), 'access-key-named');
  },
  show(visit, { about: current, values, problems, control }) {
    const { organization } = visit;
    if (current === null) return visit.leadTo(paths.accessKey(organization.id));
    showForm(visit, {
      ...{ title: 'The name of the access key', heading: 'Name the access key', problems },
      fields: { [GENERATION]: values[GENERATION] },
      controls: (
        <Field
          {...control('name')}
          isRequired={false}
          help="What uses the key, such as Payroll. At most 60 characters."
        />
      ),
      submit: 'Save the name',
      cancelPath: paths.settings(organization.id),
      children: (
        <>
          <p>
            <MaskedKey {...current} />
          </p>
          <p>Only you and the other owners see the name. A key that replaces this one has the same name.</p>
        </>
      ),
    });
  },
});
