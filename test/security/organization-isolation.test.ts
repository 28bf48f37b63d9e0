import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { Secret } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { testUuid } from '@rollcall/core/testing';
import type { Bytes } from '../support/http/client.js';
import { checkAnswer } from '../support/http/contract.js';
import { securedCalls } from '../support/http/operations.js';
import {
  containsMarker,
  type IsolationSite,
  ids,
  invited,
  marker,
  password,
  startIsolationSite,
} from '../support/security/isolation-site.js';
import { type Site, wholeAnswer } from '../support/security/site.js';

const columns = exportColumns.map(({ key }) => key);
const query = columns.map((column) => `column=${column}`).join('&');
const range = 'start_time=01%2F01%2F2000%2012:00%20AM&end_time=12%2F31%2F2099%2011:59%20PM';

interface Route {
  readonly path?: string;
  readonly json?: unknown;
  /** The status of organization 1's own answer. */
  readonly status?: number;
}

/** What is asked otherwise than usual, so that the answers have as much as possible. */
const changes: Readonly<Record<string, Route>> = {
  listInvitations: { path: '/invitations?limit=100' },
  listUsers: { path: '/users?limit=100' },
  listUserMeetings: { path: `/users/${testUuid(1)}/upcoming_meetings?items=100` },
  listUpcomingMeetings: { path: '/members/idp-1/upcoming_meetings?items=100' },
  // There is no URL yet, and no such delivery.
  testWebhook: { status: 422 },
  readDelivery: { path: '/webhook/deliveries/999999', status: 404 },
  redeliver: { path: '/webhook/deliveries/999999/redeliver', status: 404 },
  redeliverFailed: { json: { since: '2000-01-01T00:00:00Z' }, status: 202 },
  listDeliveries: { path: '/webhook/deliveries?limit=100' },
  readEvents: { path: '/events?limit=1000&order=desc' },
  readMeetingChanges: { path: `/meeting_changes?limit=1000&${query}` },
  exportMeetings: { path: `/export_meetings?${query}&reporting_days=custom&${range}` },
  exportMeetingsByPost: {
    json: {
      column: columns,
      reporting_days: 'all_upcoming',
      report_type: 'eap_meetings',
      updated_since: '2000-01-01T00:00:00Z',
    },
  },
  changeUser: { json: { user: { idp_id: null } } },
};
const routes = securedCalls.map(({ id, method, path, sent: { json } }) => ({
  ...{ id, method, path, json, status: 200 },
  isOfInvitation: path.startsWith('/invitations/'),
  ...changes[id],
}));
/** The others need the users. */
const isLast = ({ id }: { readonly id: string }): boolean => ['changeUser', 'removeUser'].includes(id);
routes.sort((one, other) => Number(isLast(one)) - Number(isLast(other)));

interface Called {
  readonly method: string;
  readonly path: string;
  readonly json?: unknown;
}

interface Target {
  readonly organization: string;
  readonly uuid: string;
  readonly idpId: string;
}

const pathOf = (path: string, { organization, uuid, idpId }: Target): string =>
  `/${organization}${path}`.replace(testUuid(1), uuid).replace('idp-1', encodeURIComponent(idpId));

const operationId = /(?<="operationId":")\w+/g;
const isAboutPerson = ({ path }: { readonly path: string }): boolean =>
  pathOf(path, { ...ids.missing, organization: '1' }) !== pathOf(path, { ...ids.foreign, organization: '1' });

describe('What organization 1 can find out about organization 2', () => {
  let site: Site;
  let tokens: IsolationSite['tokens'];
  before(async () => {
    ({ site, tokens } = await startIsolationSite('postgres'));
  });
  after(() => site.stop());

  /** The answer as a client sees it, checked against openapi.yaml. */
  async function call({ method, path, json }: Called): Promise<Bytes> {
    const body = json === undefined ? undefined : JSON.stringify(json);
    const headers = {
      Authorization: `Bearer ${tokens.get(1)}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const answer = await site.send(method, `/api/v2/organizations${path}`, { headers, body });
    const parsed = answer.text === '' ? null : JSON.parse(answer.text);
    checkAnswer({ method, path: `/api/v2/organizations${path}`, reply: { ...answer, json: parsed } });
    assert.ok(!containsMarker(wholeAnswer(answer)), `${method} ${path}: ${wholeAnswer(answer)}`);
    return answer;
  }

  /** The answer for these ids, which must be the same as for unknown ids. */
  const at = (route: Called, target: Target): Promise<Bytes> =>
    call({ ...route, path: pathOf(route.path, target) });

  test('the marker can be found: organization 2 sees it in every text of its own', async () => {
    const headers = { Authorization: `Bearer ${tokens.get(2)}` };
    const base = '/api/v2/organizations/2';
    const seen = await Promise.all(
      [
        changes.exportMeetings?.path,
        `/members/${marker}-idp/upcoming_meetings`,
        '/webhook',
        '/events',
        '/meeting_changes',
      ].map((path) => site.send('GET', `${base}${path}`, { headers })),
    );
    for (const answer of seen) assert.ok(answer.status === 200 && containsMarker(answer.text), answer.text);
  });

  test('every operation about a person or an invitation is known as such', () => {
    const operations = Object.entries(openapi().paths).flatMap(([path, item]) =>
      /\/(?:users|members|invitations)\/\{/.test(path) ? JSON.stringify(item).match(operationId) : [],
    );
    const known = routes.filter(isAboutPerson).map(({ id }) => id);
    assert.deepEqual(known.sort(), operations.sort());
  });

  for (const route of routes) {
    test(`${route.id}: its own answer contains nothing of organization 2`, async () => {
      const own = { organization: '1', uuid: testUuid(1), idpId: 'idp-one' };
      const both = { organization: '1', uuid: testUuid(3), idpId: 'idp-both' };
      for (const target of [own, both]) {
        const uuid = route.isOfInvitation ? await invitedUuid(site, 1) : target.uuid;
        assert.equal((await at(route, { ...target, uuid })).status, route.status);
      }
    });

    test(`${route.id}: another organization is 401 Not Authorized, byte for byte as an unknown one`, async () => {
      const own = { uuid: testUuid(1), idpId: 'idp-one' };
      const missing = wholeAnswer(await at(route, { ...own, organization: ids.missing.organization }));
      assert.match(
        missing,
        /^401\n[\s\S]*X-Error-Code: not-authorized\n[\s\S]*\n\n\{"error":"Not Authorized"\}$/,
      );
      for (const { organization } of Object.values(ids)) {
        assert.equal(wholeAnswer(await at(route, { ...own, organization })), missing);
        for (const { uuid, idpId } of Object.values(ids)) {
          assert.equal(wholeAnswer(await at(route, { organization, uuid, idpId })), missing);
        }
      }
    });

    if (!isAboutPerson(route)) continue;
    test(`${route.id}: a user of organization 2 gets the same answer, byte for byte, as an unknown one`, async () => {
      const target = { ...ids.missing, organization: '1' };
      const missing = await at(route, target);
      assert.deepEqual(
        [missing.status, missing.text],
        route.isOfInvitation
          ? [404, '{"error":"This invitation does not exist"}']
          : !route.id.startsWith('issueLoginLink')
            ? [404, '{"error":"User not found on Service"}']
            : [400, '{"error":"User not found"}'],
      );
      for (const { uuid, idpId } of Object.values(ids)) {
        assert.equal(wholeAnswer(await at(route, { organization: '1', uuid, idpId })), wholeAnswer(missing));
      }
      const idsOfOrganization2 = [invitedUuid(site), Promise.resolve(`${marker}-idp`)];
      for (const id of await Promise.all(idsOfOrganization2)) {
        const answer = await site.send(
          route.method,
          `/api/v2/organizations${pathOf(route.path, { organization: '1', uuid: id, idpId: id })}`,
          {
            headers: { Authorization: `Bearer ${tokens.get(1)}`, 'Content-Type': 'application/json' },
            ...(route.json !== undefined && { body: JSON.stringify(route.json) }),
          },
        );
        assert.equal(wholeAnswer(answer), wholeAnswer(missing));
      }
    });
  }

  test('inviting a user of organization 2 gets the same answer as inviting an unknown person', async () => {
    const invite = async (email: string): Promise<string> => {
      const json = { email, first_name: 'A', last_name: 'B' };
      const body = JSON.stringify(json);
      const headers = { Authorization: `Bearer ${tokens.get(1)}`, 'Content-Type': 'application/json' };
      const answer = await site.send('POST', '/api/v2/organizations/1/invite_user', { headers, body });
      const { id, invitation_url } = JSON.parse(answer.text).user;
      return wholeAnswer(answer).replace(email, 'EMAIL').replace(id, 'ID').replace(invitation_url, 'URL');
    };
    const unknown = await invite(`nobody-is-this@example.test`);
    for (const email of [
      `${marker.toLowerCase()}-two@example.test`,
      `${marker.toLowerCase()}-in@example.test`,
    ]) {
      assert.equal(
        (await invite(email)).replace(/Content-Length: \d+/, ''),
        unknown.replace(/Content-Length: \d+/, ''),
      );
    }
  });

  test('a delivery of organization 2 gets the same answer as an unknown one', async () => {
    const { core } = site;
    const { deliveryId } = await core.testWebhook({ organization: { id: 2, name: marker } });
    const ownView = await site.send('GET', `/api/v2/organizations/2/webhook/deliveries/${deliveryId}`, {
      headers: { Authorization: `Bearer ${tokens.get(2)}` },
    });
    assert.ok(ownView.status === 200 && containsMarker(ownView.text), ownView.text);
    const calls = [
      ['GET', ''],
      ['POST', '/redeliver'],
    ] as const;
    for (const [method, end] of calls) {
      const about = async (id: number): Promise<string> => {
        const answer = await call({ method, path: `/1/webhook/deliveries/${id}${end}` });
        return wholeAnswer(answer)
          .replace(`delivery ${id}`, 'delivery ID')
          .replace(/Content-Length: \d+/, '');
      };
      assert.match(await about(deliveryId), /^404\n[\s\S]*There is no delivery ID/);
      assert.equal(await about(deliveryId), await about(999_999));
    }
    const { attempts } = await core.readDelivery({ organization: { id: 2 }, deliveryId });
    assert.equal(attempts.length, 1);
    const listed = await call({ method: 'GET', path: '/1/webhook/deliveries?limit=100' });
    assert.deepEqual(JSON.parse(listed.text).deliveries, []);
  });

  test('a token is not a session, and a session is not a token', async () => {
    const token = tokens.get(2) ?? '';
    const Cookie = `3000-session=${token}`;
    const page = await site.send('GET', '/organizations/2/meetings', {
      headers: { Accept: 'text/html', Cookie },
    });
    assert.equal(page.status, 303);
    const email = `${marker.toLowerCase()}-two@example.test`;
    const { session } = await site.core.signIn({ email, password: new Secret(password), address: 'a test' });
    const answer = await site.send('GET', '/api/v2/organizations/2/webhook', {
      headers: { Authorization: `Bearer ${session.reveal()}`, Cookie: `3000-session=${session.reveal()}` },
    });
    assert.deepEqual([answer.status, answer.text], [401, '{"error":"Unauthorized Access"}']);
  });

  test('the requests of organization 1 have changed nothing of organization 2', async () => {
    const { core } = site;
    const webhook = await core.readWebhook({ organization: { id: 2 } });
    assert.deepEqual([webhook?.url, webhook?.enabled], [`https://${marker}.test/${marker}`, true]);
    const again = await core.inviteUser({ organization: { id: 2 }, ...invited, firstName: 'Other' });
    assert.equal(again.firstName, invited.firstName);
  });

  test('none of these requests caused an unexpected failure', () => {
    assert.deepEqual(site.reports, []);
  });
});

/** The UUID of a person whom the organization has invited. */
async function invitedUuid({ core }: Site, id = 2): Promise<string> {
  const person = id === 2 ? invited : { email: 'own-in@example.test', firstName: 'Ana', lastName: 'Lopez' };
  return (await core.inviteUser({ organization: { id }, ...person })).uuid;
}
