import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, type Dataset, testUuid } from '@rollcall/core/testing';
import { checkAnswer } from '../support/http/contract.js';
import { formFields } from '../support/page/client.js';
import { type Bytes, noLimits, type Site, startSite, wholeAnswer } from '../support/security/site.js';
import { databaseKinds } from '../support/storage.js';

/** In every text of organization 2, and nowhere else. */
const marker = 'Zq7MARKER';
const password = 'a good password';

/** Users: 1 belongs to organization 1, 2 owns organization 2, 3 belongs to both. 4 leads in organization 2. */
const dataset: Dataset = {
  organizations: [
    anOrganization(1, { name: 'Northwind', eap: true }),
    anOrganization(2, { name: `${marker} organization`, eap: true }),
  ],
  users: [
    aUser(1, { email: 'one@example.test' }),
    aUser(2, {
      email: `${marker.toLowerCase()}-two@example.test`,
      firstName: `${marker}First`,
      lastName: `${marker}Last`,
      avatar: `https://pictures.test/${marker}`,
    }),
    aUser(3, { email: 'both@example.test' }),
    aUser(4, { email: `${marker.toLowerCase()}-four@example.test`, firstName: marker, lastName: marker }),
  ],
  memberships: [
    { organizationId: 1, userId: 1, role: 'member', idpId: 'idp-one' },
    { organizationId: 2, userId: 2, role: 'owner', idpId: 'idp-two' },
    { organizationId: 1, userId: 3, role: 'member', idpId: 'idp-both' },
    { organizationId: 2, userId: 3, role: 'member', idpId: `${marker}-idp` },
    { organizationId: 2, userId: 4, role: 'member', idpId: null },
  ],
  meetings: [
    aMeeting(1, { organizationId: 1, name: 'Own', status: 'scheduled' }),
    aMeeting(2, { organizationId: 1, name: 'Own and past', status: 'complete' }),
    aMeeting(3, {
      organizationId: null,
      name: 'Of the service, tied to 1',
      eapOrganizationIds: [1],
      eap: true,
    }),
    ...(['scheduled', 'complete'] as const).map((status, index) =>
      aMeeting(4 + index, { organizationId: 2, status, groupLeaderId: 4, waitList: true, ...marked(index) }),
    ),
    ...(['scheduled', 'complete'] as const).map((status, index) =>
      aMeeting(6 + index, {
        organizationId: null,
        status,
        eap: true,
        eapOrganizationIds: [2],
        ...marked(10 + index),
      }),
    ),
  ],
  // The members of a meeting of the service can see it, so user 3 is in none of those with the marker.
  registrations: [1, 4, 5].map((meetingId) => ({
    meetingId,
    userId: 3,
    registeredAt: new Date('2026-11-01T10:00:00.000Z'),
  })),
  waitingPlaces: [
    { meetingId: 4, userId: 3, status: 'waiting', createdAt: new Date('2026-11-01T10:00:00.000Z') },
  ],
};

function marked(number: number) {
  return {
    name: `${marker} name ${number}`,
    meetingType: `${marker}Type`,
    topic: `${marker} topic`,
    specialFocus: `${marker} focus`,
    host: `${marker} host`,
    description: `${marker} description`,
    price: 7777.77,
    maxAttendees: 77_777,
  };
}

const holdsMarker = (text: string): boolean =>
  new RegExp(`${marker}|${Buffer.from(marker).toString('base64').slice(0, 10)}|7777\\.77`, 'i').test(text);

/** Ids that do not exist in organization 1, from the most to the least likely. */
const ids = {
  foreign: { organization: '2', uuid: testUuid(2), idpId: 'idp-two' },
  missing: { organization: '999', uuid: testUuid(999), idpId: 'idp-nobody' },
  huge: { organization: '9223372036854775808', uuid: 'f'.repeat(400), idpId: '9'.repeat(400) },
  textual: { organization: 'northwind', uuid: 'two', idpId: "two' OR '1'='1" },
} as const;

const columns = [
  ...['name', 'meeting_type', 'start_time', 'duration', 'status', 'topic', 'special_focus', 'host'],
  ...['location', 'price', 'max_attendees', 'meeting_description', 'group_leader_id', 'privacy', 'eap'],
];

interface Route {
  readonly method: string;
  path(at: { readonly organization: string; readonly uuid: string; readonly idpId: string }): string;
  readonly json?: unknown;
}

const query = columns.map((column) => `column=${column}`).join('&');
const start = 'start_time=01%2F01%2F2000%2012:00%20AM&end_time=12%2F31%2F2099%2011:59%20PM';

/** Every route of section 4 below an organization. */
const routes: Readonly<Record<string, Route>> = {
  inviteUser: {
    method: 'POST',
    path: () => '/invite_user',
    json: { email: 'new@example.test', first_name: 'New', last_name: 'Person' },
  },
  issueLoginLink: { method: 'POST', path: ({ uuid }) => `/users/${uuid}/generate_otl_url` },
  issueLoginLinkBySegment: { method: 'POST', path: ({ uuid }) => `/users/${uuid}/one_time_login_link` },
  listUpcomingMeetings: {
    method: 'GET',
    path: ({ idpId }) => `/members/${encodeURIComponent(idpId)}/upcoming_meetings?items=100`,
  },
  readWebhook: { method: 'GET', path: () => '/webhook' },
  createWebhook: { method: 'POST', path: () => '/webhook', json: { webhook: { enabled: false } } },
  changeWebhook: { method: 'PATCH', path: () => '/webhook', json: { webhook: { enabled: false } } },
  exportMeetings: { method: 'GET', path: () => `/export_meetings?${query}&reporting_days=custom&${start}` },
  exportMeetingsByPost: {
    method: 'POST',
    path: () => '/export_meetings',
    json: { column: columns, reporting_days: 'all_upcoming', report_type: 'eap_meetings' },
  },
};

for (const database of databaseKinds) {
  describe(`What organization 1 can find out about organization 2, over ${database}`, () => {
    let site: Site;
    const tokens = new Map<number, string>();
    before(async () => {
      site = await startSite({ database, ports: { limits: noLimits } });
      await site.load(dataset);
      const { core } = site;
      for (const id of [1, 2]) {
        const { accessKey } = await core.generateAccessKey({ organizationId: id });
        const { token } = await core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' });
        tokens.set(id, token.reveal());
      }
      await core.configureWebhook({
        organization: { id: 2 },
        how: 'set',
        webhook: { enabled: true, url: `https://${marker}.test/${marker}`, events: ['user.registered'] },
      });
      await core.inviteUser({ organization: { id: 2 }, ...invited });
      for (const { email } of dataset.users ?? []) {
        await core.setPassword({ email, password: new Secret(password) });
      }
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
      const answer = await site.ask(method, `/api/v2/organizations${path}`, { headers, body });
      const parsed = answer.text === '' ? null : JSON.parse(answer.text);
      checkAnswer({ method, path: `/api/v2/organizations${path}`, reply: { ...answer, json: parsed } });
      assert.ok(!holdsMarker(wholeAnswer(answer)), `${method} ${path}: ${wholeAnswer(answer)}`);
      return answer;
    }

    /** The answer for these ids, which must be the same as for unknown ids. */
    const at = (route: Route, place: Parameters<Route['path']>[0]): Promise<Bytes> =>
      call({ ...route, path: `/${place.organization}${route.path(place)}` });

    test('the marker can be found: organization 2 sees it in every text of its own', async () => {
      const headers = { Authorization: `Bearer ${tokens.get(2)}` };
      const base = '/api/v2/organizations/2';
      const seen = await Promise.all(
        [
          routes.exportMeetings?.path(ids.foreign),
          `/members/${marker}-idp/upcoming_meetings`,
          '/webhook',
        ].map((path) => site.ask('GET', `${base}${path}`, { headers })),
      );
      for (const answer of seen) assert.ok(answer.status === 200 && holdsMarker(answer.text), answer.text);
    });

    for (const [name, route] of Object.entries(routes)) {
      test(`${name}: its own answer contains nothing of organization 2`, async () => {
        const own = { organization: '1', uuid: testUuid(1), idpId: 'idp-one' };
        const both = { organization: '1', uuid: testUuid(3), idpId: 'idp-both' };
        for (const place of [own, both]) assert.equal((await at(route, place)).status, 200);
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
        const place = { ...ids.missing, organization: '1' };
        if (route.path(place) === route.path({ ...ids.foreign, organization: '1' })) return;
        const missing = await at(route, place);
        assert.deepEqual(
          [missing.status, missing.text],
          name === 'listUpcomingMeetings'
            ? [404, '{"error":"User not found on Service"}']
            : [400, '{"error":"User not found"}'],
        );
        for (const { uuid, idpId } of Object.values(ids)) {
          assert.equal(
            wholeAnswer(await at(route, { organization: '1', uuid, idpId })),
            wholeAnswer(missing),
          );
        }
        const elsewhere = [invitedUuid(site), Promise.resolve(`${marker}-idp`)];
        for (const id of await Promise.all(elsewhere)) {
          const answer = await site.ask(
            route.method,
            `/api/v2/organizations/1${route.path({ organization: '1', uuid: id, idpId: id })}`,
            { headers: { Authorization: `Bearer ${tokens.get(1)}` } },
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
        const answer = await site.ask('POST', '/api/v2/organizations/1/invite_user', { headers, body });
        const { id, invitation_url } = JSON.parse(answer.text).user;
        return wholeAnswer(answer).replace(email, 'EMAIL').replace(id, 'ID').replace(invitation_url, 'URL');
      };
      const nobody = await invite(`nobody-is-this@example.test`);
      for (const email of [
        `${marker.toLowerCase()}-two@example.test`,
        `${marker.toLowerCase()}-in@example.test`,
      ]) {
        assert.equal(
          (await invite(email)).replace(/Content-Length: \d+/, ''),
          nobody.replace(/Content-Length: \d+/, ''),
        );
      }
    });

    test('the requests of organization 1 have changed nothing of organization 2', async () => {
      const { core } = site;
      const webhook = await core.readWebhook({ organization: { id: 2 } });
      assert.deepEqual([webhook?.url, webhook?.enabled], [`https://${marker}.test/${marker}`, true]);
      const again = await core.inviteUser({ organization: { id: 2 }, ...invited, firstName: 'Other' });
      assert.equal(again.firstName, invited.firstName);
    });

    // ── The pages ────────────────────────────────────────────────────────────────────────────────────────

    describe('by the pages', () => {
      const visitors: Readonly<Record<string, () => Promise<string | null>>> = {
        nobody: async () => null,
        'a session bound to 1, of a member of both': async () => linked(site, testUuid(3)),
        'a session bound to 1, of a member of 1': async () => linked(site, testUuid(1)),
        'a member of 1': async () => signedIn(site, 'one@example.test'),
      };

      const webhookPages = [
        '',
        '/secret',
        '/test',
        '/redeliver',
        '/redeliver?since=2020-01-01T00:00',
        '/deliveries/1',
      ].map((path) => `/organizations/2/webhooks${path}`);
      const pages = [
        ...['/', '/sign-in', '/meetings', '/organizations/1/meetings', '/assets/default-avatar.svg'],
        ...Object.values(ids).map(({ organization }) => `/organizations/${organization}/meetings`),
        ...['/invitations/x', '/login/x', '/no/such/page', '/sign-in?next=/organizations/2/meetings'],
        ...['/organizations/2/meetings?page=2', '/organizations/2', '/organizations/2/webhook'],
        ...webhookPages,
        ...['/organizations/1/calendar', '/organizations/2/calendar', '/organizations/2/invitations'],
        ...['/organizations/2/meetings/1.ics', '/calendar/x.ics'],
      ];
      const forms = [
        '/sign-in',
        '/sign-out',
        '/invitations/x',
        '/login/x',
        '/organizations/2/meetings',
        '/organizations/2/calendar',
        ...webhookPages,
      ];

      for (const [name, session] of Object.entries(visitors)) {
        test(`${name}: no page and no form contains anything of organization 2`, async () => {
          for (const path of pages) {
            const answer = await open(site, path, await session());
            assert.ok(answer.status < 500 && !holdsMarker(wholeAnswer(answer)), `${path}: ${answer.text}`);
          }
          for (const path of forms) {
            const answer = await sendTo(site, path, await session());
            assert.ok(answer.status < 500 && !holdsMarker(wholeAnswer(answer)), `${path}: ${answer.text}`);
          }
        });

        test(`${name}: organization 2 gets the same answer, byte for byte, as an unknown one`, async () => {
          const cookie = await session();
          const expected = { nobody: 303, 'a member of 1': 404 }[name] ?? 403;
          const [foreign, missing] = await Promise.all(
            ['2', '999'].map((id) => open(site, `/organizations/${id}/meetings`, cookie)),
          );
          assert.ok(foreign !== undefined && missing !== undefined);
          assert.equal(foreign.status, expected);
          assert.equal(pageOf(foreign, '2'), pageOf(missing, '999'));
          for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
            const [one, other] = await Promise.all(
              ['2', '999'].map((id) => open(site, `/organizations/${id}/meetings`, cookie, method)),
            );
            assert.ok(one !== undefined && other !== undefined);
            assert.equal(pageOf(one, '2'), pageOf(other, '999'), method);
          }
        });
      }

      test('a session bound to 1 opens the member page of 1 and no other page', async () => {
        const cookie = await linked(site, testUuid(3));
        assert.equal((await open(site, '/organizations/1/meetings', cookie)).status, 200);
        const meetings = await open(site, '/meetings', cookie);
        assert.deepEqual([meetings.status, meetings.headers.location], [303, '/organizations/1/meetings']);
        assert.equal((await open(site, '/organizations/2/meetings', cookie)).status, 403);
        // Signing in again needs the password.
        assert.equal((await open(site, '/sign-in', cookie)).status, 200);
      });

      test('the owner of 2 sees the pages of 2 and nothing of 1', async () => {
        const cookie = await signedIn(site, `${marker.toLowerCase()}-two@example.test`);
        const own = await open(site, '/organizations/2/meetings', cookie);
        assert.ok(own.status === 200 && holdsMarker(own.text));
        assert.equal((await open(site, '/organizations/1/meetings', cookie)).status, 404);
      });

      test('a token is not a session, and a session is not a token', async () => {
        const token = tokens.get(2) ?? '';
        assert.equal((await open(site, '/organizations/2/meetings', `session=${token}`)).status, 303);
        const session = await signedIn(site, `${marker.toLowerCase()}-two@example.test`);
        const headers = { Authorization: `Bearer ${session.slice('session='.length)}`, Cookie: session };
        const answer = await site.ask('GET', '/api/v2/organizations/2/webhook', { headers });
        assert.deepEqual([answer.status, answer.text], [401, '{"error":"Unauthorized Access"}']);
      });

      test('nothing of this was an unexpected failure', () => {
        assert.deepEqual(site.reports, []);
      });
    });
  });
}

const invited = {
  email: `${marker.toLowerCase()}-in@example.test`,
  firstName: `${marker}In`,
  lastName: `${marker}Vited`,
};

/** The UUID of a person whom organization 2 has invited. */
async function invitedUuid({ core }: Site): Promise<string> {
  return (await core.inviteUser({ organization: { id: 2 }, ...invited })).uuid;
}

async function signedIn({ core }: Site, email: string): Promise<string> {
  const { session } = await core.signIn({ email, password: new Secret(password), address: 'a test' });
  return `session=${session.reveal()}`;
}

/** With a login link of organization 1. */
async function linked({ core }: Site, uuid: string): Promise<string> {
  const { url } = await core.issueLoginLink({ organization: { id: 1 }, uuid });
  const { session } = await core.redeemLoginLink({ token: url.split('/').at(-1) ?? '' });
  return `session=${session.reveal()}`;
}

function open({ ask }: Site, path: string, cookie: string | null, method = 'GET'): Promise<Bytes> {
  return ask(method, path, { headers: { Accept: 'text/html', ...(cookie !== null && { Cookie: cookie }) } });
}

/** A form with a valid token, if there can be one. */
async function sendTo(site: Site, path: string, cookie: string | null): Promise<Bytes> {
  const page = await open(site, '/sign-in', cookie);
  const visitor = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]);
  const { form_token = '' } = formFields(page.text);
  const fields = new URLSearchParams({ form_token, email: 'one@example.test', password: 'wrong one' });
  return site.ask('POST', path, {
    headers: {
      Accept: 'text/html',
      Cookie: [...visitor, ...(cookie === null ? [] : [cookie])].join('; '),
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: fields.toString(),
  });
}

/** The whole page without its request id and the requested number. */
function pageOf(answer: Bytes, id: string): string {
  return wholeAnswer(answer)
    .replace(/<code>[^<]*<\/code>/, '')
    .replaceAll(new RegExp(`organizations(/|%2F)${id}\\b`, 'g'), 'organizations$1ID')
    .replace(/^Content-Length: \d+$/m, '');
}
