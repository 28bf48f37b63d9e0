import type { AccessKey } from '@rollcall/core';
import { Field, Form, HiddenFields, Submit } from '../design/form.js';
import { memberForm } from '../form-page.js';
import { paths } from '../paths.js';
import { GENERATION, generationIn, MaskedKey } from './generate-access-key.js';

/** The form for the name of the access key. */
export const nameAccessKey = memberForm({
  path: paths.accessKeyName(':id'),
  section: 'settings',
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
    const { organization, token } = visit;
    if (current === null) return visit.leadTo(paths.accessKey(organization.id));
    visit.show({
      title: 'The name of the access key',
      problems,
      body: (
        <section class="card narrow">
          <h1>Name the access key</h1>
          <p>
            <MaskedKey accessKey={current} />
          </p>
          <p>Only you and the other owners see the name. A key that replaces this one has the same name.</p>
          <Form token={token} problem={problems.general}>
            <HiddenFields fields={{ [GENERATION]: values[GENERATION] }} />
            <Field
              {...control('name')}
              isRequired={false}
              autocomplete="off"
              help="What uses the key, such as Payroll. At most 60 characters."
            />
            <Submit label="Save the name" cancelPath={paths.settings(organization.id)} />
          </Form>
        </section>
      ),
    });
  },
});
