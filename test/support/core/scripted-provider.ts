import type {
  IdentityProvider,
  ProviderFailure,
  ProviderIdentity,
  ProviderLogout,
  ProviderOffer,
  ProviderSettings,
  StartedSignOn,
} from '@rollcall/core';
import { aSignOn } from '#core/testing/new-sign-on.js';

export const { issuer } = aSignOn();

/** Someone whom the provider has identified. */
export function aPerson(subject: string, claims: Readonly<Record<string, unknown>> = {}): ProviderIdentity {
  return { issuer, subject, sid: `sid of ${subject}`, claims: { sub: subject, ...claims } };
}

/** The query with which a person comes back from a sign-on that has begun. */
export function answerTo({ state }: Pick<StartedSignOn, 'state'>): string {
  return new URLSearchParams({ code: '1', state }).toString();
}

/** An identity provider that answers what it is told to, and records how it was asked. */
export function scriptedProvider() {
  const asked: { settings: ProviderSettings; [more: string]: unknown }[] = [];
  const script: {
    person: ProviderIdentity | ProviderFailure;
    begins: ProviderFailure | null;
    logout: ProviderLogout | ProviderFailure;
    offer: ProviderOffer | ProviderFailure;
  } = {
    person: aPerson('nobody'),
    begins: null,
    logout: { subject: 'nobody', sid: null },
    offer: { problems: [], algorithms: ['RS256'], namesIssuer: true, hasUserinfo: true, hasLogout: true },
  };
  let count = 0;
  const provider: IdentityProvider = {
    async check(settings) {
      asked.push({ settings });
      return script.offer;
    },
    async begin(settings, { loginHint }) {
      asked.push({ settings, loginHint });
      count += 1;
      const pending = { state: `state ${count}`, nonce: `nonce ${count}`, verifier: `verifier ${count}` };
      return (
        script.begins ?? { url: `${settings.issuer}/authorize?${new URLSearchParams(pending)}`, pending }
      );
    },
    async finish(settings, answer) {
      asked.push({ settings, ...answer });
      return script.person;
    },
    async readLogout(settings, token) {
      asked.push({ settings, token });
      return script.logout;
    },
  };
  return { provider, script, asked };
}
