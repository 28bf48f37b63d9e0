import type { Uses } from '../../deps.js';
import { Refusal, refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import type {
  IdentityProvider,
  PendingSignOn,
  ProviderFailure,
  ProviderSettings,
} from '../ports/identity-provider.js';
import type { SignOn } from '../ports/sign-ons.js';

/** The settings of sign-on without the client secret. */
export type SignOnView = Omit<SignOn, 'encryptedSecret'>;

/**
 * A sign-on that has begun. Keep it where only the person's browser can return it unchanged, such as an encrypted cookie,
 * for ten minutes.
 */
export interface StartedSignOn extends PendingSignOn {
  /** The organization whose sign-on it is. */
  readonly organizationId: number;
  /** The issuer that was asked. */
  readonly issuer: string;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The owner who only tries it; null: the person signs in. */
  readonly triedBy: number | null;
}

/** Signing in at the provider may take this long. */
export const signOnLifetimeMs = 10 * 60 * 1000;

export function signOnView({ encryptedSecret, ...view }: SignOn): SignOnView {
  return view;
}

/** The settings of an organization, also if sign-on is off. Refuses unknown organizations like those without sign-on. */
export async function settingsOf(
  { signOns }: Uses<'signOns.of'>,
  organizationId: number,
  argument = 'organizationId',
): Promise<SignOn> {
  const signOn = mayBeId(argument, organizationId) ? await signOns.of(organizationId) : null;
  if (signOn === null) throw signOnOff();
  return signOn;
}

/** The settings of an organization whose people can sign on. */
export async function signOnOf(deps: Uses<'signOns.of'>, organizationId: number): Promise<SignOn> {
  const signOn = await settingsOf(deps, organizationId);
  if (!signOn.isOn) throw signOnOff();
  return signOn;
}

/** The provider of an organization, and how the service is known to it. `Method`: what it is asked. */
export function providerOf<Method extends keyof IdentityProvider>(
  {
    identityProvider,
    secrets,
    links,
  }: Uses<'links.signOn' | 'secrets.decrypt'> & {
    readonly identityProvider?: Pick<IdentityProvider, Method> | undefined;
  },
  signOn: SignOn,
): { readonly identityProvider: Pick<IdentityProvider, Method>; readonly settings: ProviderSettings } {
  if (identityProvider === undefined) throw signOnOff();
  if (links.signOn === undefined) throw new Error('The setting links.signOn is needed for sign-on');
  const { organizationId, issuer, clientId, encryptedSecret, hostedDomain, acr } = signOn;
  const clientSecret = secrets.decrypt({ encrypted: encryptedSecret, organizationId });
  const redirectUri = links.signOn(organizationId);
  return {
    identityProvider,
    settings: { organizationId, issuer, clientId, clientSecret, hostedDomain, acr, redirectUri },
  };
}

/** Whether the answer says why there is no other one. */
export function isFailure(answer: object): answer is ProviderFailure {
  return 'failure' in answer;
}

export const signOnOff = refusal('sign-on-off', 'This organization has no sign-on');
export const signOnEnded = refusal(
  'sign-on-ended',
  'This sign-on was used, has expired or never began: start again',
);

/** One text for everyone who may not come in: it tells nothing about the organization or the person. */
export const notAdmitted = refusal(
  'sign-on-not-admitted',
  'You don’t have access to this organization. Ask an owner',
);

const RETRY_AFTER_SECONDS = 30;

/** The refusal for the person who signs in. What an owner has to know is in the security log. */
export function refusalOf({ failure, code }: ProviderFailure): Refusal {
  if (failure === 'not-asked') return signOnEnded();
  if (failure === 'refused') {
    const why = code === null ? '' : ` (${code})`;
    return new Refusal('sign-on-refused', `The identity provider of the organization refused${why}`);
  }
  if (failure === 'unreachable') {
    const message = 'The identity provider of the organization does not answer';
    return new Refusal('sign-on-unreachable', message, RETRY_AFTER_SECONDS);
  }
  return new Refusal('sign-on-failed', 'The answer of the identity provider is not valid');
}
