import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deliverWithWrongClocks } from '../support/fault/clocks.js';
import type { Instance, PostgresSite } from '../support/fault/postgres.js';
import { signIn } from '../support/fault/service.js';
import { pageClient } from '../support/page/client.js';
import { sharedPostgresServer } from '../support/postgres.js';

/** `npm run test:soak` delivers far more events. */
describe('Three instances whose clocks are five minutes apart', () => {
  test('send no event twice and lose none, and accept tokens and login links of each other until they expire', {
    timeout: 150_000,
  }, async (t) => {
    const server = await sharedPostgresServer();
    const { counts, problems } = await deliverWithWrongClocks({
      ...{ server, people: 36, seconds: 15 },
      async meanwhile(site, ahead, behind) {
        await accept(site, { issuer: ahead, other: behind });
        await accept(site, { issuer: behind, other: ahead });
      },
    });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});

async function accept(
  site: PostgresSite,
  { issuer, other }: { readonly issuer: Instance; readonly other: Instance },
): Promise<void> {
  const [organization] = site.organizations;
  assert.ok(organization);
  const { token } = await signIn(issuer, organization);
  const call = ({ url }: Instance, method: string, path: string): Promise<Response> =>
    fetch(`${url}/api/v2/organizations/${organization.id}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
    });
  const exported = await call(other, 'GET', '/export_meetings?column[]=name');
  assert.equal(exported.status, 200, 'a token');

  const [member] = await site.rows<{ uuid: string }>(
    `SELECT users.uuid FROM memberships JOIN users ON users.id = user_id WHERE organization_id = ${organization.id}`,
  );
  const redeem = async (ageSeconds: number): Promise<number> => {
    const answer = await call(issuer, 'POST', `/users/${member?.uuid}/generate_otl_url`);
    const { otl_url } = (await answer.json()) as { readonly otl_url: string };
    // As if the link had been issued that many seconds ago.
    await site.rows(
      `UPDATE login_links SET created_at = created_at - interval '${ageSeconds} s',
        expires_at = expires_at - interval '${ageSeconds} s' WHERE redeemed_at IS NULL`,
    );
    const visitor = pageClient({ url: other.url, origin: site.publicUrl });
    const { pathname } = new URL(otl_url);
    const { status } = await visitor.fillIn(pathname, {}).catch(() => ({ status: 0 }));
    return status;
  };
  assert.equal(await redeem(285), 303, 'a link of 285 s');
  assert.notEqual(await redeem(301), 303, 'a link of 301 s');
}
