import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import { admissionOf } from './admission.js';
import { identify, type Returned } from './identify.js';
import { isFailure, settingsOf, signOnEnded } from './sign-on.js';

/** The request of `trySignOn`. */
export interface TrySignOn extends Returned {
  /** The owner who tries it, whom `authorizeMember` returned. */
  readonly userId: number;
  /** Whether others try it with the owner's set-up link: then the owner may not require sign-on because of it. */
  readonly isByOthers?: boolean | undefined;
}

/** What a trial has shown. */
export type TriedSignOn =
  | {
      /** Whether the provider has identified the person. */
      readonly hasPassed: true;
      /** Everything that the provider said about the person. */
      readonly claims: Readonly<Record<string, unknown>>;
      /** What signing in would do. Whether other organizations know the address does not show: `register` as well. */
      readonly would: 'sign-in' | 'link' | 'confirm' | 'register' | 'refuse';
      /** The address of the member who would be signed in; null: nobody yet. */
      readonly email: string | null;
      /** Why nobody would be signed in, in a sentence; null: someone would. */
      readonly reason: string | null;
    }
  | { readonly hasPassed: false; readonly reason: string };

/**
 * Ends a sign-on that an owner only tries, also while sign-on is off. Nobody is signed in, linked or registered. A trial
 * that passes with the current settings lets this owner require sign-on.
 *
 * @throws `Refusal`: `sign-on-off` if there are no settings; `sign-on-ended`, also if another owner began it. `Error` if
 * `links.signOn` is not set.
 */
export async function trySignOn(
  deps: Uses<'signOns.of' | 'signOns.save' | typeof admissionOf | typeof identify>,
  { userId, isByOthers = false, ...request }: TrySignOn,
): Promise<TriedSignOn> {
  const { organizationId, started } = request;
  checkId('userId', userId);
  const signOn = await settingsOf(deps, organizationId);
  if (started.triedBy !== userId) throw signOnEnded();
  const identity = await identify(deps, signOn, request);
  if (isFailure(identity)) return { hasPassed: false, reason: identity.reason };
  const admission = await admissionOf(deps, signOn, identity);
  const tested = { by: userId, at: deps.clock.now() };
  await deps.signOns.save(organizationId, (current) => {
    if (current?.changedAt.getTime() !== signOn.changedAt.getTime()) throw signOnEnded();
    const { organizationId: _, ...settings } = current;
    return isByOthers ? settings : { ...settings, tested };
  });
  const passed = { hasPassed: true, claims: identity.claims, email: null, reason: null } as const;
  if (admission.kind === 'refuse')
    return admission.isElsewhere
      ? { ...passed, would: 'register' }
      : { ...passed, would: 'refuse', reason: admission.reason };
  if (admission.kind === 'register') return { ...passed, would: 'register' };
  const { kind, member } = admission;
  return { ...passed, would: kind === 'known' ? 'sign-in' : kind, email: member.user.email };
}
