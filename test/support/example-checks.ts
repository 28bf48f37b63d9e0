import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { createRollcall } from '#app/index.js';
import { postJson, tokenOf } from './api.js';
import { freePort, temporaryDirectory } from './app-cli.js';
import type { PackedPackages } from './packed-packages.js';
import { startPostgresDatabase } from './postgres.js';
import { storageOver } from './storage.js';

type Programs = Pick<PackedPackages, 'run' | 'serve'>;

const SECRET_KEY = 'a secret key of more than 32 characters';

/** What each program in `test/examples` must do, with any runtime. */
export const exampleChecks: readonly {
  readonly name: string;
  check(packed: Programs): Promise<void>;
}[] = [
  {
    name: 'an Express host serves our database, our API and our core, and a partner invites someone and lists the members',
    check: async (packed) => {
      await withHost(packed, 'express-host.mjs', async ({ base, accessKey, organizationId }) => {
        const token = await tokenOf(`${base}/partner`, accessKey);
        const invited = await postJson(
          `${base}/partner/api/v2/organizations/${organizationId}/invite_user`,
          { email: 'ada@example.test', first_name: 'Ada', last_name: 'Kim' },
          token,
        );
        assert.equal(invited.status, 200);
        const { user } = (await invited.json()) as { readonly user: { readonly invitation_url: string } };
        const { invitation_url: url } = user;
        assert.ok(url.startsWith(`${base}/partner/invitations/`), url);
        const page = await fetch(url, { headers: { Accept: 'text/html' } });
        assert.match(`${page.status} ${await page.text()}`, /^200 [\s\S]*ada@example\.test/);
        for (const path of ['sign-in', 'docs', 'docs/guide', 'assets/default-avatar.svg'])
          assert.equal((await fetch(`${base}/partner/${path}`)).status, 200, path);
        assert.equal(await (await fetch(base)).text(), 'the host');
        const runPartner = (key: string) =>
          packed.run(['partner.mjs', `${base}/partner`, String(organizationId), key]);
        assert.match(runPartner(accessKey), /^Send dana@example\.test this link: http:\S+\n$/);
        assert.throws(
          () => runPartner('0'.repeat(24)),
          /401 invalid-access-key Invalid Access Key \(request \S+\)/,
        );
      });
    },
  },

  {
    name: 'the whole service runs inside another program, which ends when the program says so',
    check: async (packed) => {
      const code = await withHost(packed, 'embedded-service.mjs', async ({ base, accessKey }) => {
        await tokenOf(`${base}/partner`, accessKey);
        const page = await fetch(`${base}/partner/sign-in`);
        assert.equal(page.status, 200);
        const [, styles = ''] = /href="([^"]+\.css)"/.exec(await page.text()) ?? [];
        assert.equal((await fetch(new URL(styles, base))).status, 200);
        assert.equal(await (await fetch(base)).text(), 'the host');
      });
      assert.equal(code, 0);
    },
  },

  {
    name: 'a receiver verifies webhooks',
    check: async (packed) => {
      const port = await freePort();
      assert.throws(
        () => packed.run(['webhook-receiver.mjs', String(port)]),
        /WEBHOOK_SECRET is missing: set it to/,
      );
      const env = { WEBHOOK_SECRET: 'whsec_new,whsec_old' };
      const served = await packed.serve(['webhook-receiver.mjs', String(port)], { port, env });
      try {
        const body = JSON.stringify({ event: 'user.registered', event_id: 'e1' });
        const answers = ['whsec_new', 'whsec_old', 'whsec_other'].map(async (secret) => {
          const signature = createHmac('sha256', secret).update(body).digest('hex');
          const headers = {
            'Content-Type': 'application/json',
            'X-Service-Signature': `sha256=${signature}`,
          };
          const answer = await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body });
          return [answer.status, await answer.text()];
        });
        assert.deepEqual(await Promise.all(answers), [
          [200, 'e1'],
          [200, 'e1'],
          [401, 'wrong-signature'],
        ]);
      } finally {
        await served.stop();
      }
    },
  },

  {
    name: 'Fastify serves the first use-case over the host’s own store',
    check: async (packed) => {
      const port = await freePort();
      const served = await packed.serve(['fastify-host.mjs', String(port)], { port });
      try {
        const listed = await fetch(`http://127.0.0.1:${port}/members/dana/meetings`);
        const { meetings, totalItems } = (await listed.json()) as {
          readonly meetings: readonly { readonly name: string }[];
          readonly totalItems: number;
        };
        assert.deepEqual([meetings.map(({ name }) => name), totalItems], [['Choir', 'Chess'], 2]);
        const unknown = await fetch(`http://127.0.0.1:${port}/members/nobody/meetings`);
        assert.deepEqual([unknown.status, await unknown.json()], [404, { code: 'member-not-found' }]);
      } finally {
        await served.stop();
      }
    },
  },

  {
    name: 'a script exports from an existing PostgreSQL database',
    check: async (packed) => {
      const postgres = await startPostgresDatabase();
      try {
        const { load } = storageOver(postgres);
        const [startTime, endTime] = [new Date('2026-01-05T10:00:00Z'), new Date('2026-01-05T11:00:00Z')];
        const meeting = aMeeting(1, { name: 'Choir, "mixed"', startTime, endTime, status: 'complete' });
        await load({ organizations: [anOrganization(1)], meetings: [meeting] });
        const csv = packed.run(['export-script.mjs', postgres.url, '1']);
        assert.equal(csv, '\ufeff"Name","Start Time"\r\n"Choir, ""mixed""",2026-01-05T10:00:00.000Z\r\n');
      } finally {
        await postgres.stop();
      }
    },
  },

  {
    name: 'a CommonJS program uses the core',
    check: async (packed) => {
      assert.equal(packed.run(['commonjs.cjs']), 'true invalid-request\n');
    },
  },
];

export interface Host {
  readonly base: string;
  readonly organizationId: number;
  readonly accessKey: string;
}

/** Runs the example on a database with one organization. Returns its exit code. */
export async function withHost(
  packed: Programs,
  example: string,
  use: (host: Host) => Promise<void>,
): Promise<number | null> {
  const { path, remove } = temporaryDirectory();
  const databaseUrl = `sqlite:${join(path, 'rollcall.db')}`;
  const publicUrl = 'http://127.0.0.1';
  const rollcall = await createRollcall({ databaseUrl, publicUrl, secretKey: SECRET_KEY });
  const { id } = await rollcall.core.createOrganization({ name: 'Northwind', eap: false });
  const { accessKey } = await rollcall.core.generateAccessKey({ organizationId: id });
  await rollcall.stop();

  const port = await freePort();
  const served = await packed.serve([example, databaseUrl, String(port)], { port, env: { SECRET_KEY } });
  try {
    await use({ base: `http://127.0.0.1:${port}`, organizationId: id, accessKey: accessKey.reveal() });
    return await served.stop();
  } finally {
    await served.stop();
    remove();
  }
}
