import { noteOf } from '../access/actor.js';
import { readAddress } from '../values/address.js';
import type { World } from '../world.js';
import { linkUsed, openLink } from './login-link.js';
import { type OpenedSession, openSession } from './session.js';

export interface RedeemLoginLink {
  readonly token: string;
  /** The IP address that the request comes from, for the audit trail. */
  readonly address?: string | undefined;
}

/** Signs the member in, once, into a session bound to the organization that issued the link (decision 19). */
export async function redeemLoginLink(
  world: Pick<World, 'loginLinks' | 'members' | 'sessions' | 'secrets' | 'clock'>,
  { token, address = '' }: RedeemLoginLink,
): Promise<OpenedSession> {
  const { hash, link, member } = await openLink(world, token);
  const { organizationId } = link;
  const { id: userId, email } = member.user;
  const at = world.clock.now();
  const by = { who: { kind: 'user', userId }, from: readAddress(address) } as const;
  const mine = await world.loginLinks.redeem({ hash, at }, () =>
    noteOf({ by, at }, { organizationId, action: 'login-link-redeemed', subject: email }),
  );
  if (!mine) throw linkUsed();
  return openSession(world, { user: member.user, boundTo: organizationId, passwordHash: null });
}
