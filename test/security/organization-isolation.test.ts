import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportColumns } from '@rollcall/core/rules';
import { testUuid } from '@rollcall/core/testing';
import { checkAnswer } from '../support/http/contract.js';
import { securedCalls } from '../support/http/operations.js';
import {
  containsMarker,
  type IsolationSite,
  ids,
  invited,
  marker,
  startIsolationSite,
} from '../support/security/isolation-site.js';
import { type Bytes, type Site, wholeAnswer } from '../support/security/site.js';

interface Route {
  readonly method: string;
  path(at: { readonly organization: string; readonly uuid: string; readonly idpId: string }): string;
  readonly json?: unknown;
  /** The status of organization 1's own answer. */
  readonly status?: number;
  /** The `uuid` is that of an invitation. */
  readonly isOfInvitation?: true;
}

const columns = exportColumns.map(({ key }) => key);
const query = columns.map((column) => `column=${column}`).join('&');
const range = 'start_time=01%2F01%2F2000%2012:00%20AM&end_time=12%2F31%2F2099%2011:59%20PM';

/** Every route below an organization. */
const routes: Readonly<Record<string, Route>> = {
  inviteUser: {
    method: 'POST',
    path: () => '/invite_user',
    json: { email: 'new@example.test', first_name: 'New', last_name: 'Person' },
  },
  inviteUsers: {
    method: 'POST',
    path: () => '/invite_users',
    json: { users: [{ email: 'kim@example.test', first_name: 'Kim', last_name: 'Lee' }] },
  },
  listInvitations: { method: 'GET', path: () => '/invitations?limit=100' },
  readInvitation: { method: 'GET', path: ({ uuid }) => `/invitations/${uuid}`, isOfInvitation: true },
  revokeInvitation: {
    method: 'POST',
    path: ({ uuid }) => `/invitations/${uuid}/revoke`,
    isOfInvitation: true,
  },
  renewInvitation: {
    method: 'POST',
    path: ({ uuid }) => `/invitations/${uuid}/renew`,
    json: { first_name: 'Other' },
    isOfInvitation: true,
  },
  issueLoginLink: { method: 'POST', path: ({ uuid }) => `/users/${uuid}/generate_otl_url` },
  issueLoginLinkBySegment: { method: 'POST', path: ({ uuid }) => `/users/${uuid}/one_time_login_link` },
  listUsers: { method: 'GET', path: () => '/users?limit=100' },
  readUser: { method: 'GET', path: ({ uuid }) => `/users/${uuid}` },
  listUserMeetings: { method: 'GET', path: ({ uuid }) => `/users/${uuid}/upcoming_meetings?items=100` },
  listUpcomingMeetings: {
    method: 'GET',
    path: ({ idpId }) => `/members/${encodeURIComponent(idpId)}/upcoming_meetings?items=100`,
  },
  readWebhook: { method: 'GET', path: () => '/webhook' },
  // There is no URL yet, and no such delivery.
  testWebhook: { method: 'POST', path: () => '/webhook/test', status: 422 },
  readDelivery: { method: 'GET', path: () => '/webhook/deliveries/999999', status: 404 },
  redeliver: { method: 'POST', path: () => '/webhook/deliveries/999999/redeliver', status: 404 },
  redeliverFailed: {
    method: 'POST',
    path: () => '/webhook/redeliver_failed',
    json: { since: '2000-01-01T00:00:00Z' },
    status: 202,
  },
  listDeliveries: { method: 'GET', path: () => '/webhook/deliveries?limit=100' },
  createWebhook: { method: 'POST', path: () => '/webhook', json: { webhook: { enabled: false } } },
  changeWebhook: { method: 'PATCH', path: () => '/webhook', json: { webhook: { enabled: false } } },
  readEvents: { method: 'GET', path: () => '/events?limit=1000&order=desc' },
  readMeetingChanges: { method: 'GET', path: () => `/meeting_changes?limit=1000&${query}` },
  finishRotation: { method: 'POST', path: () => '/webhook/finish_rotation' },
  exportMeetings: { method: 'GET', path: () => `/export_meetings?${query}&reporting_days=custom&${range}` },
  listExportColumns: { method: 'GET', path: () => '/export_meetings/columns' },
  exportMeetingsByPost: {
    method: 'POST',
    path: () => '/export_meetings',
    json: {
      column: columns,
      reporting_days: 'all_upcoming',
      report_type: 'eap_meetings',
      updated_since: '2000-01-01T00:00:00Z',
    },
  },
  // The last ones, because the others need the users.
  changeUser: { method: 'PATCH', path: ({ uuid }) => `/users/${uuid}`, json: { user: { idp_id: null } } },
  removeUser: { method: 'DELETE', path: ({ uuid }) => `/users/${uuid}` },
};

describe('What organization 1 can find out about organization 2', () => {
  let site: Site;
  let tokens: IsolationSite['tokens'];
  before(async () => {
    ({ site, tokens } = await startIsolationSite('postgres'));
  });
  after(() => site.stop());

  /** The answer as a client sees it, checked against openapi.yaml. */
  async function call({
    method,
    path,
    json,
  }: Omit<Route, 'path'> & { readonly path: string }): Promise<Bytes> {
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
  const at = (route: Route, target: Parameters<Route['path']>[0]): Promise<Bytes> =>
    call({ ...route, path: `/${target.organization}${route.path(target)}` });

  test('the marker can be found: organization 2 sees it in every text of its own', async () => {
    const headers = { Authorization: `Bearer ${tokens.get(2)}` };
    const base = '/api/v2/organizations/2';
    const seen = await Promise.all(
      [
        routes.exportMeetings?.path(ids.foreign),
        `/members/${marker}-idp/upcoming_meetings`,
        '/webhook',
        '/events',
        '/meeting_changes',
      ].map((path) => site.send('GET', `${base}${path}`, { headers })),
    );
    for (const answer of seen) assert.ok(answer.status === 200 && containsMarker(answer.text), answer.text);
  });

  test('every operation that needs a token is among the routes', () => {
    assert.deepEqual(Object.keys(routes).sort(), securedCalls.map(({ id }) => id).sort());
  });

  for (const [name, route] of Object.entries(routes)) {
    test(`${name}: its own answer contains nothing of organization 2`, async () => {
      const own = { organization: '1', uuid: testUuid(1), idpId: 'idp-one' };
      const both = { organization: '1', uuid: testUuid(3), idpId: 'idp-both' };
      for (const target of [own, both]) {
        const uuid = route.isOfInvitation ? await invitedUuid(site, 1) : target.uuid;
        assert.equal((await at(route, { ...target, uuid })).status, route.status ?? 200);
      }
    });

    test(`${name}: another organization is 401 Not Authorized, byte for byte as an unknown one`, async () => {
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

    test(`${name}: a user of organization 2 gets the same answer, byte for byte, as an unknown one`, async () => {
      const target = { ...ids.missing, organization: '1' };
      if (route.path(target) === route.path({ ...ids.foreign, organization: '1' })) return;
      const missing = await at(route, target);
      assert.deepEqual(
        [missing.status, missing.text],
        route.isOfInvitation
          ? [404, '{"error":"This invitation does not exist"}']
          : !name.startsWith('issueLoginLink')
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
          `/api/v2/organizations/1${route.path({ organization: '1', uuid: id, idpId: id })}`,
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
