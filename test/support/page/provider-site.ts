import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import { suiteAuthority } from '#core/testing/certificates.js';
import { temporaryDirectory } from '../app-cli.js';
import { client } from '../bendable-provider.js';
import { aRequestedSignOn } from '../core/sign-on-service.js';
import { keepCookie } from './client.js';
import { startPageSite } from './site.js';

/** A site that reaches identity providers on this machine, with the real adapter. User 102 is a member, 100 an owner. */
export async function startProviderSite(context: TestContext) {
  const { path, remove } = temporaryDirectory();
  context.after(remove);
  const authorities = join(path, 'authorities.pem');
  writeFileSync(authorities, suiteAuthority);
  const environment = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128', WEBHOOK_CA_FILE: authorities };
  const site = await startPageSite(context, { environment });
  // Tokens are dated with the time of this machine.
  site.clock.advance(Date.now() - site.clock.now().getTime());
  await site.load({ organizations: [anOrganization(1)] });
  await site.addUser({ id: 100, organizations: [1], role: 'owner' });
  await site.addUser({ id: 102, organizations: [] });
  const member = { organizationId: 1, userId: 102, role: 'member', idpId: 'ana' } as const;
  await site.load({ memberships: [member] });
  return {
    ...site,
    callback: `${site.url}/sign-in/organizations/1/callback`,
    async useProvider(issuer: string, fields: Parameters<typeof aRequestedSignOn>[0] = {}): Promise<void> {
      const known = { issuer, clientId: client.id, clientSecret: client.secret, ...fields };
      await site.core.saveSignOn({ organization: { id: 1 }, signOn: aRequestedSignOn(known) });
      await site.core.switchSignOn({ organization: { id: 1 }, to: 'on' });
    },
  };
}

interface Arrived {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** A browser without scripts that follows redirects to other sites, and presses the button of a page that has only one. */
export function redirectedBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  const send = (url: string, method: string) =>
    new Promise<Arrived & { readonly location: string | undefined }>((resolve, reject) => {
      const jar = jarOf(url);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { Accept: 'text/html', ...(cookie !== '' && { Cookie: cookie }) };
      const ask = url.startsWith('https:') ? httpsRequest : httpRequest;
      const asked = ask(url, { method, headers, ca: suiteAuthority, agent: false }, async (response) => {
        for (const header of response.headers['set-cookie'] ?? []) keepCookie(jar, header);
        let text = '';
        for await (const part of response) text += part;
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ url, status, text, location: answered.location });
      });
      asked.on('error', reject).end();
    });
  return {
    async go(from: string): Promise<Arrived> {
      let [url, method] = [from, 'GET'];
      for (let steps = 0; steps < 15; steps += 1) {
        const { location, ...arrived } = await send(url, method);
        method = 'GET';
        if (location !== undefined) url = new URL(location, url).href;
        else if (arrived.text === '<form method="post"><button>Sign in at the provider</button></form>')
          method = 'POST';
        else return arrived;
      }
      assert.fail(`the redirects have no end: ${url}`);
    },
  };
}
