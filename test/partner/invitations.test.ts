import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { pageClient, readableText } from '../support/page/client.js';
import { startPartnerSite } from '../support/partner/partner-site.js';
import { usePartner } from '../support/partner/use-partner.js';
import { startReceiver } from '../support/receiver.js';

/** An HTTP proxy that can cut connections, as a bad network does. */
interface CuttingProxy {
  readonly port: number;
  /** The number of requests that it has forwarded to a path that was cut. */
  forwarded(): number;
  stop(): Promise<void>;
}

/** When the connection of the client is cut: as soon as the service has the request, or when its answer comes. */
type Cut = 'after the request' | 'before the answer';

/** Cuts the first requests to a path in these ways. The service gets each of them, and does not notice. */
async function startCuttingProxy(
  target: number,
  { path, cuts }: { readonly path: RegExp; readonly cuts: readonly Cut[] },
): Promise<CuttingProxy> {
  const left = [...cuts];
  let forwarded = 0;
  const forward = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const isCounted = path.test(incoming.url ?? '');
    const cut = isCounted ? left.shift() : undefined;
    forwarded += isCounted ? 1 : 0;
    const { method, url, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: target, method, path: url, headers, agent: false });
    outgoing.on('error', () => answer.destroy());
    outgoing.on('response', (response) => {
      if (cut === 'before the answer') answer.destroy();
      if (cut !== undefined) return void response.resume();
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
    if (cut === 'after the request') outgoing.on('finish', () => answer.destroy());
  };
  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    forwarded: () => forwarded,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const partner = usePartner();

test('fixes a misspelled name in an invitation', async (t) => {
  const { connection, people } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  const email = 'dana@partner.test';
  const misspelled = { email, firstName: 'Dnaa', lastName: 'Kim', idpId: 'nw-1' };
  const { id, url } = await people.invite(mine, misspelled);

  const corrected = await people.correct(mine, id, { first_name: 'Dana' });
  assert.equal(corrected.id, id);
  const { first_name, last_name, idp_id, state, invitation_url } = corrected;
  assert.deepEqual(
    { first_name, last_name, idp_id, state },
    {
      first_name: 'Dana',
      last_name: 'Kim',
      idp_id: 'nw-1',
      state: 'pending',
    },
  );
  const visitor = pageClient({ url: site.url, origin: site.url });
  const dead = await visitor.open(new URL(url ?? assert.fail('no invitation')).pathname);
  assert.match(readableText(dead.text), /This invitation was revoked/);
  await site.accept(invitation_url ?? assert.fail('no invitation'));
  const user = await people.readUser(mine, id);
  assert.deepEqual([user.first_name, user.last_name, user.idp_id], ['Dana', 'Kim', 'nw-1']);
});

test('bulk-invites 500 with 7 bad ones, cut off by the network and repeated with the same Idempotency-Key: 493 invitations, one answer', async (t) => {
  const { connection, people } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const settings = await site.addOrganization(1);
  const proxy = await startCuttingProxy(Number(new URL(site.url).port), {
    path: /\/invite_users$/,
    cuts: ['after the request', 'before the answer'],
  });
  t.after(() => proxy.stop());
  const mine = connection.connect({ ...settings, baseUrl: `http://127.0.0.1:${proxy.port}/api/v2` });

  const person = (index: number) => ({ email: `e${index}@partner.test`, firstName: 'A', lastName: 'B' });
  await site.core.registerUser({ organizationId: 1, ...person(499) });
  const bad: Readonly<Record<number, object>> = {
    0: { email: 'no address' },
    13: { email: '' },
    100: { firstName: '' },
    101: { lastName: ' ' },
    250: { email: 'two@partner@test' },
    498: { idpId: '' },
    // A member already.
    499: {},
  };
  const employees = Array.from({ length: 500 }, (_, index) => ({ ...person(index), ...bad[index] }));
  const results = await people.inviteAll(mine, employees, 'November');
  assert.equal(proxy.forwarded() >= 3, true, `${proxy.forwarded()} requests`);

  assert.deepEqual(
    results.map(({ index }) => index),
    employees.map((_, index) => index),
  );
  const refused = results.filter(({ status }) => status === 'error');
  assert.deepEqual(
    refused.map(({ index }) => index),
    Object.keys(bad).map(Number),
  );
  assert.ok(refused.every(({ user, error }) => user === null && error !== null));
  const created = results.filter(({ status, error }) => status === 'created' && error === null);
  assert.equal(created.length, 493);

  const params = { path: { id: mine.id }, query: { limit: 100 } };
  const urls = new Map<string, string | null>();
  for await (const invitation of mine.api.items('/organizations/{id}/invitations', { params }))
    urls.set(invitation.id, invitation.invitation_url);
  assert.equal(urls.size, 493);
  for (const { user } of created) assert.equal(urls.get(user?.id ?? ''), user?.invitation_url);

  // Repeated again, and in a new process of the partner.
  assert.deepEqual(await people.inviteAll(mine, employees, 'November'), results);
  assert.deepEqual(await people.inviteAll(connection.connect(settings), employees, 'November'), results);
  await assert.rejects(people.inviteAll(mine, employees.slice(1), 'November'), {
    status: 422,
    code: 'idempotency-key-reused',
  });
});

test('50 equal POSTs with one key: one effect', async (t) => {
  const { connection, events, people } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  const fifty = <Answer>(send: () => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: 50 }, send));

  const employees = [{ email: 'dana@partner.test', firstName: 'Dana', lastName: 'Kim' }];
  const [first, ...invited] = await fifty(() => people.inviteAll(mine, employees, 'k'));
  assert.equal(first?.[0]?.status, 'created');
  for (const answer of invited) assert.deepEqual(answer, first);
  assert.equal((await people.recoverNotes(mine)).size, 1);

  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const original = await events.subscribe(mine, receiver.url);
  const secrets = new Set(
    await fifty(async () => {
      const params = { ...mine.ofWebhook, header: { 'Idempotency-Key': 'k' } };
      const body = { webhook: { enabled: true }, regenerate_secret: '1' as const };
      const answer = await mine.api.patch('/organizations/{organization_id}/webhook', { params, body });
      return answer.webhook.secret;
    }),
  );
  assert.equal(secrets.size, 1);
  assert.ok(!secrets.has(original));
  const { items } = await site.core.listActivity({ organization: { id: 1 } });
  const actions = items.map(({ action }) => action);
  assert.equal(actions.filter((action) => action === 'signing-secret-rotated').length, 1);
  assert.equal(actions.filter((action) => action === 'user-invited').length, 1);
});
