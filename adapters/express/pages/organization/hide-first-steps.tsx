import type { FirstSteps } from '@rollcall/core';
import { Button, ButtonLink } from '../design/components.js';
import { Form } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { PartProps } from '../visit.js';

/** Hides the first steps of the organization, or shows them again. */
export const hideFirstSteps = memberPage({
  path: paths.firstSteps(':id'),
  role: 'owner',
  async post(visit) {
    const { core, organization, by } = visit;
    const isHidden = visit.field('hidden') === 'yes';
    await core.hideFirstSteps({ organization, isHidden, by });
    visit.leadTo(paths.organization(organization.id), isHidden ? 'first-steps-hidden' : undefined);
  },
});

export function HideForm({ visit, isHidden }: PartProps<{ isHidden: boolean }>) {
  return (
    <Form action={paths.firstSteps(visit.organization.id)} token={visit.signedIn.formToken}>
      {!isHidden && <input type="hidden" name="hidden" value="yes" />}
      <Button kind="quiet" isSmall>
        {isHidden ? 'Show the first steps' : 'Hide these steps'}
      </Button>
    </Form>
  );
}

/** Whether a step is still to be done. */
export function hasOpenSteps(steps: FirstSteps): boolean {
  return texts.some(({ step }) => !steps[step]);
}

/** What a new owner does first, each with a link and ticked when it is done. */
export function FirstStepsCard({ visit, steps }: PartProps<{ steps: FirstSteps }>) {
  const { id } = visit.organization;
  const done = texts.filter(({ step }) => steps[step]).length;
  const next = texts.find(({ step }) => !steps[step]);
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <p class="secondary-text">{`${done} of ${texts.length} done. This list disappears when all are done.`}</p>
      <ol class="plain">
        {texts.map(({ step, title, path, help }) => (
          <li key={step} class={steps[step] ? 'done' : undefined}>
            <span class="tick" aria-hidden="true" />
            <div>
              {steps[step] ? <span>{title}</span> : <a href={path(id)}>{title}</a>}
              {steps[step] ? <span class="visually-hidden"> (done)</span> : <p class="field-help">{help}</p>}
            </div>
          </li>
        ))}
      </ol>
      <div class="actions">
        {next !== undefined && <ButtonLink kind="primary" href={next.path(id)} text={next.title} />}
        <HideForm visit={visit} isHidden={false} />
      </div>
    </section>
  );
}

interface Step {
  readonly step: Exclude<keyof FirstSteps, 'isHidden'>;
  readonly title: string;
  readonly path: (organizationId: number) => string;
  readonly help: string;
}

const texts: readonly Step[] = [
  {
    step: 'accessKey',
    title: 'Generate the access key',
    path: (id) => `${paths.settings(id)}#access-key`,
    help: 'Your programs need it to call the API.',
  },
  {
    step: 'webhook',
    title: 'Set up the webhook',
    path: paths.webhookSettings,
    help: 'Your endpoint is told when someone joins your organization.',
  },
  {
    step: 'invitation',
    title: 'Invite someone',
    path: paths.invite,
    help: 'You get a link to send them.',
  },
  {
    step: 'export',
    title: 'Download an export',
    path: paths.exports,
    help: 'Your meetings as CSV or JSON.',
  },
];
