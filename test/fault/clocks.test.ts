import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deliverWithWrongClocks } from '../support/fault/clocks.js';
import { type PostgresSite, preparePostgresSite } from '../support/fault/postgres.js';
import { signIn } from '../support/fault/service.js';
import { pageClient } from '../support/page/client.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { shiftedBy } from '../support/shifted-clock.js';

const MINUTES_5 = 300_000;
let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server.remove());

/** `npm run test:soak` delivers far more events. */
describe('Three instances whose clocks are five minutes apart', () => {
  test('send no event twice and lose none', { timeout: 150_000 }, async (t) => {
    const { counts, problems } = await deliverWithWrongClocks({ server, people: 60, seconds: 20 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('accept tokens and login links of each other until they expire', {
    timeout: 120_000,
  }, async () => {
    const site = await preparePostgresSite({ server });
    try {
      const ahead = await site.serve({ env: shiftedBy(MINUTES_5) });
      const behind = await site.serve({ env: shiftedBy(-MINUTES_5) });
      const [organization] = site.organizations;
      assert.ok(organization);
      const uuid = await registerMember(site);
      for (const [one, other] of [
        [ahead, behind],
        [behind, ahead],
      ] as const) {
        const { token } = await signIn(one, organization);
        const call = (instance: { readonly url: string }, method: string, path: string): Promise<Response> =>
          fetch(`${instance.url}/api/v2/organizations/${organization.id}${path}`, {
            method,
            headers: { Authorization: `Bearer ${token}` },
          });
        const exported = await call(other, 'GET', '/export_meetings?column[]=name');
        assert.equal(exported.status, 200, 'a token');

        const redeem = async (ageSeconds: number): Promise<number> => {
          const answer = await call(one, 'POST', `/users/${uuid}/generate_otl_url`);
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
    } finally {
      await site.remove();
    }
  });
});

/** The UUID of a member who may get a login link. */
async function registerMember(site: PostgresSite): Promise<string> {
  return site.embedded(async (core) => {
    const { uuid } = await core.registerUser({
      email: 'ada@example.test',
      firstName: 'Ada',
      lastName: 'Lovelace',
      organizationId: site.organizations[0]?.id ?? 0,
    });
    return uuid;
  });
}
