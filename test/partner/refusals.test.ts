import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { startPartnerSite } from '../support/partner/partner-site.js';
import { usePartner } from '../support/partner/use-partner.js';
import { startReceiver } from '../support/receiver.js';
import type { AnyRequest } from './program/refusals.js';

const partner = usePartner();

const UNKNOWN_UUID = '00000000-0000-4000-8000-00000000dead';

/** Valid bodies, by the last word of the path. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST invite_user': { email: 'mallory@rival.test', first_name: 'M', last_name: 'M', idp_id: 'nw-1' },
  'POST invite_users': { users: [{ email: 'mallory@rival.test', first_name: 'M', last_name: 'M' }] },
  'PATCH {uuid}': { user: { idp_id: 'nw-1' } },
  'POST renew': { first_name: 'Mallory' },
  'POST webhook': { webhook: { enabled: false } },
  'PATCH webhook': { webhook: { enabled: false } },
  'POST redeliver_failed': { since: '2026-01-01T00:00:00Z' },
  'POST export_meetings': { column: ['id', 'name'] },
};

test('another organization’s token gets the same refusals as for what does not exist, on every new path', async (t) => {
  const { connection, events, people, refusals } = partner().program;
  const site = await startPartnerSite(t, 'memory');
  const mine = connection.connect(await site.addOrganization(1));
  const rival = connection.connect(await site.addOrganization(2));

  // Something at every path of organization 1.
  const receiver = await startReceiver({ answer: (_request, response) => response.writeHead(500).end() });
  t.after(() => receiver.stop());
  await events.subscribe(mine, receiver.url);
  const member = await people.invite(mine, {
    email: 'd@p.test',
    firstName: 'D',
    lastName: 'K',
    idpId: 'nw-1',
  });
  await site.accept(member.url ?? assert.fail('no invitation'));
  const pending = await people.invite(mine, { email: 'l@p.test', firstName: 'L', lastName: 'P' });
  const { delivery } = await mine.api.post('/organizations/{organization_id}/webhook/test', {
    params: mine.ofWebhook,
  });
  const before = await stateOf(mine);

  const ids = [
    { uuid: member.id, delivery: String(delivery.id), idpId: 'nw-1' },
    { uuid: pending.id, delivery: String(delivery.id), idpId: 'nw-1' },
  ];
  const unknown = { uuid: UNKNOWN_UUID, delivery: '999999999', idpId: 'nobody' };
  let compared = 0;
  for (const { method, path } of operations()) {
    const body = bodies[`${method} ${path.split('/').at(-1)}`];
    const ask = (organization: string, of: typeof unknown) =>
      refusals.refusalOf(rival, { method, path, params: paramsOf(path, organization, of), body });

    // In the path of organization 1: as in that of an organization that does not exist.
    const nowhere = await ask('404404', unknown);
    assert.deepEqual([nowhere?.status, nowhere?.code], [401, 'not-authorized'], `${method} ${path}`);
    for (const of of ids) assert.deepEqual(await ask('1', of), nowhere, `${method} ${path}`);

    // In its own path, with what organization 1 has: as with what nobody has.
    if (!/uuid|delivery_id|members/.test(path)) continue;
    const nothing = await ask('2', unknown);
    assert.ok(nothing !== null && nothing.status >= 400, `${method} ${path} refuses what does not exist`);
    for (const of of ids) {
      // The message of a delivery names the number that was asked for.
      const known = JSON.parse(JSON.stringify(await ask('2', of)).replaceAll(of.delivery, unknown.delivery));
      assert.deepEqual(withoutLength(known), withoutLength(nothing), `${method} ${path}`);
    }
    compared += 1;
  }
  assert.ok(compared >= 10, `${compared} paths with an ID`);
  assert.deepEqual(await stateOf(mine), before);

  /** Everything that the rival could have changed. */
  async function stateOf(own: typeof mine) {
    const webhook = await own.api.get('/organizations/{organization_id}/webhook', {
      params: own.ofWebhook,
    });
    const params = { ...own.ofWebhook, query: { limit: 100 } };
    const log = await own.api.get('/organizations/{organization_id}/webhook/deliveries', { params });
    const attempts = log.deliveries.map(({ id, state, attempt_count }) => [id, state, attempt_count]);
    return { webhook, notes: [...(await people.recoverNotes(own))], attempts };
  }
});

test('uses nothing but the packed @rollcall/contracts', () => {
  const { folder } = partner();
  const code = `
    console.log(import.meta.resolve('@rollcall/contracts/client'), import.meta.resolve('@rollcall/contracts/webhooks'));
    for (const name of ['@rollcall/core', '@rollcall/sql', '@rollcall/express', 'rollcall', 'express'])
      await import(name).then(() => console.log(name), () => {});`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: folder,
    encoding: 'utf8',
  });
  const at = `file://${folder}/node_modules/@rollcall/contracts/dist`;
  assert.equal(output, `${at}/client.js ${at}/webhooks.js\n`);
});

/** Every operation below an organization. */
function operations(): readonly Pick<AnyRequest, 'method' | 'path'>[] {
  const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
  return Object.entries(openapi().paths ?? {})
    .filter(([path]) => path.startsWith('/organizations/'))
    .flatMap(([path, item]) =>
      methods.filter((method) => method.toLowerCase() in item).map((method) => ({ method, path })),
    );
}

function paramsOf(
  path: string,
  organization: string,
  { uuid, delivery, idpId }: { readonly uuid: string; readonly delivery: string; readonly idpId: string },
): Readonly<Record<string, string>> {
  const isMember = path.includes('/members/{id}');
  return {
    organization_id: organization,
    id: isMember ? idpId : organization,
    uuid,
    delivery_id: delivery,
  };
}

const withoutLength = (refusal: { readonly headers: readonly (readonly [string, string])[] } | null) => ({
  ...refusal,
  headers: refusal?.headers.filter(([name]) => name !== 'content-length'),
});
