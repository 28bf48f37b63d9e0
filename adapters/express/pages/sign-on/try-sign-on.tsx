import { Refusal } from '@rollcall/core';
import { Actions, BackLink, Banner, Card, Facts } from '../design/components.js';
import { isFromOtherSite } from '../form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { keep, kept, type ShownTrial } from './kept-sign-on.js';

/** Begins a sign-on that signs nobody in. It comes back by way of `finishSignOn`. */
export const trySignOn = memberPage({
  path: paths.trySignOn(':id'),
  isForSetup: true,
  async get(visit) {
    const { core, organization, session, request, response } = visit;
    const { id: organizationId } = organization;
    // Only the owner may begin it: a passed trial lets its owner require sign-on.
    if (isFromOtherSite(request)) return visit.leadTo(paths.signOn(organizationId));
    const trial = { organizationId, triedBy: session.user.id, address: visit.clientAddress };
    try {
      const { url, started } = await core.beginSignOn(trial);
      keep(visit, organizationId, { as: 'begun', what: { started, next: null } });
      response.redirect(303, url);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Without settings it leads on to them, otherwise it says what is wrong.
      visit.leadTo(paths.checkSignOn(organizationId));
    }
  },
});

export const showTrial = memberPage({
  path: paths.triedSignOn(':id'),
  isForSetup: true,
  get(visit) {
    const { organization, session } = visit;
    const trial = kept(visit, organization.id, 'trial');
    if (trial === null || trial.userId !== session.user.id)
      return visit.leadTo(paths.signOn(organization.id));
    visit.show(
      { title: titleOf(trial) },
      <BackLink href={paths.signOn(organization.id)}>Sign-on</BackLink>,
      <h1>{titleOf(trial)}</h1>,
      trial.hasPassed ? <Passed {...trial} /> : <Failed {...trial} />,
      <Actions
        primary={{ 'Go to the settings': paths.signOn(organization.id) }}
        secondary={{ 'Try it again': paths.trySignOn(organization.id) }}
      />,
    );
  },
});

function titleOf({ hasPassed, comesIn }: ShownTrial): string {
  if (!hasPassed) return 'The trial has failed';
  return comesIn ? 'The trial has passed' : 'The provider works, but this person can’t come in';
}

function Failed({ outcome }: ShownTrial) {
  return (
    <Banner tone="error">
      We could not identify the person: <bdi>{outcome}</bdi>.
    </Banner>
  );
}

function Passed({ comesIn, outcome, claims, left }: ShownTrial) {
  return (
    <>
      <Banner tone={comesIn ? 'success' : 'warning'}>
        Your provider identified a person. Nobody was signed in, linked or registered.
      </Banner>
      <p>
        <bdi>{outcome}</bdi>
      </p>
      <Card id="claims" title="The claims that came">
        <Facts
          of={Object.fromEntries(claims.map(([name, value]) => [name, <bdi key={name}>{value}</bdi>]))}
        />
        {left > 0 && <p class="secondary-text">{left} more claims are not shown.</p>}
      </Card>
    </>
  );
}
