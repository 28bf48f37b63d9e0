import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { aMeeting, anOrganization, aUser, type Dataset } from '@rollcall/core/testing';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { columns } from '../support/http/exported-meetings.js';
import type { Reply } from '../support/http/reply.js';
import { type HttpService, startHttpService } from '../support/http/service.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { startSqliteDatabase } from '../support/storage.js';
import { publicUrl, testNow, testSecretKey } from '../support/test-service.js';
import { openSecondFloor, type SecondFloor } from './second-floor.js';

const HOUR = 3_600_000;
const [withoutProgram, withProgram] = [1, 2];
const [withNone, withSome, withMany] = [1, 2, 3];
const ownMeetings = 5_000;

/** Values that are easily written differently: quotes, controls, a line separator, a null, fractions. */
const texts = [
  'plain',
  'a "quote" \\ and / more',
  'tab\t, line\n, \u0001, \u2028, ß, 😀',
  '"start_time":"x"',
];

function dataset(): Dataset {
  const meeting = (id: number, hours: number, given: Parameters<typeof aMeeting>[1] = {}) => {
    const startTime = new Date(testNow.getTime() + hours * HOUR + (id % 3 === 0 ? id % 1000 : 0));
    const text = texts[id % texts.length] ?? '';
    return aMeeting(id, {
      organizationId: withoutProgram,
      name: `${id} ${text}`,
      topic: text,
      specialFocus: text,
      host: text,
      startTime,
      endTime: new Date(startTime.getTime() + (1 + (id % 130)) * 60_000),
      status: 'complete',
      price: id % 4 === 0 ? null : id % 4 === 1 ? 12.5 : id,
      description: id % 5 === 0 ? null : text,
      groupLeaderId: id % 6 === 0 ? null : 1 + (id % 3),
      privacy: id % 2 === 0,
      eap: id % 3 === 0,
      allowMeetingDonation: id % 5 === 0,
      invitationOnly: id % 7 === 0,
      waitList: id % 4 !== 0,
      ...given,
    });
  };
  const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

  const past = range(1, ownMeetings).map((id) =>
    meeting(id, -2 - (id % 1_000), id % 90 === 0 ? { status: 'cancel' } : {}),
  );
  const program = [
    ...range(6_001, 250).map((id) => meeting(id, -2 - (id % 100), { organizationId: withProgram })),
    ...range(7_001, 130).map((id) =>
      meeting(id, -2 - (id % 100), {
        organizationId: null,
        eapOrganizationIds: [id % 2 === 0 ? withProgram : withoutProgram, 3],
        ...(id % 10 === 0 && { status: 'scheduled' }),
      }),
    ),
  ];
  const coming = range(8_001, 60).map((id) =>
    meeting(id, 1 + (id % 20), {
      status: id % 20 === 0 ? 'cancel' : 'scheduled',
      organizationId: id % 10 === 1 ? null : id % 10 === 2 ? withProgram : withoutProgram,
    }),
  );
  const registeredAt = new Date('2026-11-01T10:00:00.120Z');
  return {
    organizations: [
      anOrganization(withoutProgram),
      anOrganization(withProgram, { eap: true }),
      anOrganization(3),
    ],
    users: [
      aUser(withNone, { firstName: 'Ada', lastName: '😀dy', avatar: 'https://example.test/a.png' }),
      aUser(withSome, { lastName: 'łast' }),
      aUser(withMany),
    ],
    memberships: [withNone, withSome, withMany].map((userId) => ({
      organizationId: withoutProgram,
      userId,
      role: 'member' as const,
      idpId: `idp-${userId}`,
    })),
    meetings: [...past, ...program, ...coming],
    registrations: [
      ...past.map(({ id }) => ({ meetingId: id, userId: withMany, registeredAt })),
      ...coming.slice(0, 41).map(({ id }) => ({ meetingId: id, userId: withSome, registeredAt })),
      ...coming.slice(10, 35).map(({ id }) => ({ meetingId: id, userId: withMany, registeredAt })),
    ],
    waitingPlaces: coming.slice(30).flatMap(({ id }) =>
      [withSome, withMany].map((userId) => ({
        meetingId: id,
        userId,
        status: (['waiting', 'accepted', 'offered'] as const)[id % 3] ?? 'waiting',
        createdAt: registeredAt,
      })),
    ),
  };
}

const starts = {
  async sqlite() {
    const { database, file, stop } = await startSqliteDatabase();
    return { database, url: `sqlite:${file}`, stop };
  },
  postgres: startPostgresDatabase,
};

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`The second floor over ${kind}`, () => {
    let started: Awaited<ReturnType<(typeof starts)[typeof kind]>>;
    let service: HttpService;
    let floor: SecondFloor;
    let server: Server;

    before(async () => {
      started = await starts[kind]();
      service = await startHttpService({ database: started.database });
      await service.load(dataset());
      floor = await openSecondFloor({
        databaseUrl: started.url,
        tokenKey: createKeyring({ secretKey: testSecretKey }).current.keys.token,
        publicUrl,
        now: () => testNow,
      });
      server = floor.app.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await floor.close();
      await service.stop();
      await started.stop();
    });

    async function send(token: string, path: string): Promise<readonly [status: number, body: string]> {
      const { port } = server.address() as AddressInfo;
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/organizations/${path}`, { headers });
      return [response.status, await response.text()];
    }

    async function assertSame(organizationId: number, path: string): Promise<Reply> {
      const { get, token } = await service.signIn(organizationId);
      const product = await get(path);
      const answer = await send(token, `${organizationId}${path}`);
      assert.deepEqual(answer, [product.status, product.text], path);
      return product;
    }

    const exported = columns.slice(0, 18);
    const query = exported.map((column) => `column[]=${column}`).join('&');

    for (const [name, organizationId, pages] of [
      ['its own meetings', withoutProgram, { 1: 100, 25: 100, 50: 45, 51: 0 }],
      ['those of its program too', withProgram, { 1: 100, 2: 100, 4: 2, 5: 0 }],
    ] as const) {
      test(`pages of an organization with ${name} are the product's, byte for byte`, async () => {
        for (const [page, count] of Object.entries(pages)) {
          const { json } = await assertSame(organizationId, `/export_meetings?${query}&page=${page}`);
          assert.deepEqual([json.meetings.length, page], [count, page]);
        }
        await assertSame(organizationId, `/export_meetings?${query}&page=7&per_page=3`);
        await assertSame(
          organizationId,
          '/export_meetings?column[]=price&column[]=name&page=0&per_page=1000',
        );
      });
    }

    for (const [name, member, count] of [
      ['no registration', withNone, 0],
      ['some', withSome, 48],
      ['5,000', withMany, 38],
    ] as const) {
      test(`upcoming meetings of a member with ${name} are the product's, byte for byte`, async () => {
        const path = `/members/idp-${member}/upcoming_meetings`;
        const { json } = await assertSame(withoutProgram, path);
        assert.equal(json.total_items, count);
        for (const part of ['items=100', 'items=25', 'page=2', 'page=3&items=20', 'page=900']) {
          await assertSame(withoutProgram, `${path}?${part}`);
        }
      });
    }

    test('an unknown member gets the same answer', async () => {
      const { status } = await assertSame(withoutProgram, '/members/idp-404/upcoming_meetings');
      assert.equal(status, 404);
    });

    test('tokens that are forged, replaced or of another organization are refused', async () => {
      const request = async (token: string) => {
        const [status, body] = await send(token, `${withoutProgram}/export_meetings?${query}&page=1`);
        return [status, JSON.parse(body).error];
      };
      const { token } = await service.signIn(withoutProgram);
      assert.equal((await request(token))[0], 200);
      const other = await service.signIn(withProgram);
      assert.deepEqual(await request(other.token), [401, 'Not Authorized']);
      const [head, claims] = token.split('.');
      const forged = `${head}.${claims}.${other.token.split('.')[2]}`;
      assert.deepEqual(await request(forged), [401, 'Unauthorized Access']);
      await service.signIn(withoutProgram);
      assert.deepEqual(await request(token), [401, 'Unauthorized Access']);
    });
  });
}
