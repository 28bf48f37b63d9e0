import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { wrongKeyLimit } from '../wrong-key-limit.js';
import { startSite } from './site.js';

export const password = 'a good password';
/** Markup that no page may contain unescaped. */
export const script = '<script>alert(1)</script>';
/** The headers of a browser. */
export const html = { Accept: 'text/html' };
/** The headers of a form. */
export const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

export type AnsweringSite = Awaited<ReturnType<typeof startAnsweringSite>>;

/** A site with one member, whose name and organization contain markup. */
export async function startAnsweringSite(publicUrl?: string) {
  const site = await startSite({ settings: wrongKeyLimit(3), ...(publicUrl && { publicUrl }) });
  const { core } = site;
  await site.load({
    organizations: [anOrganization(1, { name: script })],
    users: [aUser(1, { email: 'dana@example.test', firstName: script, lastName: `"'>${script}` })],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: 'idp-1' }],
  });
  const known = { email: 'dana@example.test', password: new Secret(password) };
  await core.setPassword(known);
  const { token } = await site.signIn(1);
  const { session } = await core.signIn({ ...known, address: 'x' });
  return { site, token, session: session.reveal() };
}
