import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { wrongKeyLimit } from '../wrong-key-limit.js';
import { type Site, startSite } from './site.js';

export const password = 'a good password';
/** Markup that no page may contain unescaped. */
export const script = '<script>alert(1)</script>';
/** The headers of a browser. */
export const html = { Accept: 'text/html' };
/** The headers of a form. */
export const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** A site with one member, whose name and organization contain markup. */
export interface AnsweringSite {
  readonly site: Site;
  readonly token: string;
  readonly session: string;
}

export async function startAnsweringSite(publicUrl?: string): Promise<AnsweringSite> {
  const site = await startSite({ settings: wrongKeyLimit(3), ...(publicUrl && { publicUrl }) });
  const { core } = site;
  await site.load({
    organizations: [anOrganization(1, { name: script })],
    users: [aUser(1, { email: 'dana@example.test', firstName: script, lastName: `"'>${script}` })],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: 'idp-1' }],
  });
  await core.setPassword({ email: 'dana@example.test', password: new Secret(password) });
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  const { token } = await core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' });
  const opened = await core.signIn({
    email: 'dana@example.test',
    password: new Secret(password),
    address: 'x',
  });
  return { site, token: token.reveal(), session: opened.session.reveal() };
}
