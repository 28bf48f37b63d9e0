import type { ProviderFailure, ProviderOffer } from '@rollcall/core';
import { Actions, BackLink, Banner, Facts } from '../design/components.js';
import { unlessRefused } from '../errors/unless-refused.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';

/** What the identity provider says about itself now, and what is missing for sign-on. */
export const checkSignOn = memberPage({
  path: paths.checkSignOn(':id'),
  isForSetup: true,
  async get(visit) {
    const { core, organization } = visit;
    const { id } = organization;
    const found = await unlessRefused(core.checkSignOn({ organization }));
    if (found === null) return visit.leadTo(paths.signOn(id));
    visit.show(
      { title: 'What the provider offers' },
      <BackLink href={paths.signOn(id)}>Sign-on</BackLink>,
      <section class="card narrow">
        <h1>What the provider offers</h1>
        {'failure' in found ? <Failure {...found} /> : <Offer {...found} />}
        <Actions
          primary={{ 'Try it': paths.trySignOn(id) }}
          secondary={{ 'Check again': paths.checkSignOn(id) }}
        />
      </section>,
    );
  },
});

function Failure({ failure, reason }: ProviderFailure) {
  return (
    <Banner tone="error">
      {failure === 'unreachable' ? 'We could not reach the provider' : 'The provider can’t be used'}:{' '}
      <bdi>{reason}</bdi>.
      {reason.endsWith('private address') && ' The people who run this service can allow its network.'}
    </Banner>
  );
}

function Offer({ problems, algorithms, namesIssuer, hasUserinfo, hasLogout }: ProviderOffer) {
  return (
    <>
      {problems.length === 0 ? (
        <Banner tone="success">Nothing is missing.</Banner>
      ) : (
        <Banner tone="error">
          Sign-on can’t work yet.{' '}
          {problems.map((problem) => (
            <bdi key={problem}>{problem}. </bdi>
          ))}
        </Banner>
      )}
      <Facts
        of={{
          'Signs ID tokens with': algorithms.join(', ') || 'None of RS256, PS256, ES256 and EdDSA',
          'Sends its issuer with the answer (iss)': namesIssuer ? 'Yes' : 'No',
          'Has a userinfo endpoint': hasUserinfo ? 'Yes' : 'No',
          'Sends sign-outs (back-channel logout)': hasLogout
            ? 'Yes'
            : 'No: sessions here last up to 12 hours',
        }}
      />
    </>
  );
}
