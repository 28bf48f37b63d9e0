import type { CreatedSession } from '@rollcall/core';
import type { Visit } from '../visit.js';
import { deviceName } from './device-name.js';
import { forgetEmail, rememberEmail } from './remembered-email.js';

/** From where the reader signs in, for the list of sessions and for the limits of wrong passwords. */
export function clientOf(visit: Visit) {
  return { address: visit.clientAddress, device: deviceName(visit.request.get('user-agent') ?? '') };
}

/**
 * Gives the browser a new session and ends its old one. The cookie is set first, so that the reader stays signed
 * in even if ending the old session fails.
 */
export async function startSession(visit: Visit, { session, user, boundTo }: CreatedSession): Promise<void> {
  const { core, cookies, sessionToken: before, request, response } = visit;
  cookies.set(response, { name: 'session', value: session.reveal() });
  // A login link may be for someone else who uses this browser.
  if (boundTo === null) rememberEmail(visit, user.email);
  else forgetEmail(visit);
  if (cookies.read(request, 'setup') !== null) cookies.clear(response, 'setup');
  if (before !== null) await core.signOut({ session: before });
}
