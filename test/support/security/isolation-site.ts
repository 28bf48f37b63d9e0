import { type Ids, Secret } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, type Dataset, testUuid } from '@rollcall/core/testing';
import type { DatabaseKind } from '../storage.js';
import { webhookAt } from '../webhook-at.js';
import { noLimits, startSite } from './site.js';

/** Is in every text of organization 2, and nowhere else. */
export const marker = 'Zq7MARKER';
export const password = 'a good password';

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
      aMeeting(4 + index, {
        organizationId: 2,
        status,
        groupLeaderId: 4,
        waitList: true,
        ...withMarker(index),
      }),
    ),
    ...(['scheduled', 'complete'] as const).map((status, index) =>
      aMeeting(6 + index, {
        organizationId: null,
        status,
        eap: true,
        eapOrganizationIds: [2],
        ...withMarker(10 + index),
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

function withMarker(number: number) {
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

/** A person whom organization 2 has invited. */
export const invited = {
  email: `${marker.toLowerCase()}-in@example.test`,
  firstName: `${marker}In`,
  lastName: `${marker}Vited`,
};

export const containsMarker = (text: string): boolean =>
  new RegExp(`${marker}|${Buffer.from(marker).toString('base64').slice(0, 10)}|7777\\.77`, 'i').test(text);

/** Ids that do not exist in organization 1, from the most to the least likely. */
export const ids = {
  foreign: { organization: '2', uuid: testUuid(2), idpId: 'idp-two' },
  missing: { organization: '999', uuid: testUuid(999), idpId: 'idp-nobody' },
  huge: { organization: '9223372036854775808', uuid: 'f'.repeat(400), idpId: '9'.repeat(400) },
  textual: { organization: 'northwind', uuid: 'two', idpId: "two' OR '1'='1" },
} as const;

/** UUIDs that no user of the dataset has. */
function newIds(): Ids {
  let last = 1000;
  return {
    uuid() {
      last += 1;
      return testUuid(last);
    },
  };
}

export type IsolationSite = Awaited<ReturnType<typeof startIsolationSite>>;

/** A site with the dataset, in which organization 2 has the marker in all of its data, and the token of each organization by its id. */
export async function startIsolationSite(database: DatabaseKind) {
  const tokens = new Map<number, string>();
  const site = await startSite({ database, ports: { limits: noLimits, ids: newIds() } });
  await site.load(dataset);
  const { core } = site;
  for (const id of [1, 2]) tokens.set(id, (await site.signIn(id)).token);
  await core.configureWebhook({
    organization: { id: 2 },
    how: 'set',
    webhook: webhookAt(`https://${marker}.test/${marker}`),
  });
  await core.inviteUser({ organization: { id: 2 }, ...invited });
  const registered = { email: `${marker}-new@example.test`, firstName: marker, lastName: marker };
  await core.registerUser({ organizationId: 2, ...registered });
  for (const { email } of dataset.users ?? []) {
    await core.setPassword({ email, password: new Secret(password) });
  }
  return { site, tokens };
}
