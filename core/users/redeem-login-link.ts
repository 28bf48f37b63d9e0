import type { World } from '../world.js';
import { linkUsed, openLink } from './login-link.js';
import { type OpenedSession, openSession } from './session.js';

export interface RedeemLoginLink {
  readonly token: string;
}

/** Signs the member in, once, into a session bound to the organization that issued the link (decision 19). */
export async function redeemLoginLink(
  world: Pick<World, 'loginLinks' | 'members' | 'sessions' | 'secrets' | 'clock'>,
  { token }: RedeemLoginLink,
): Promise<OpenedSession> {
  const { hash, link, member } = await openLink(world, token);
  const mine = await world.loginLinks.redeem({ hash, at: world.clock.now() });
  if (!mine) throw linkUsed();
  return openSession(world, { user: member.user, boundTo: link.organizationId, passwordHash: null });
}
