// Upcoming meetings of a member from the host's own store, served by Fastify: node fastify-host.mjs <port>
import { listUpcomingMeetings, Refusal } from '@rollcall/core';
import fastify from 'fastify';

const HOUR_MS = 3_600_000;
const members = new Map([['dana', { id: 7, organizationId: 1 }]]);
const sessions = [
  { id: 5, name: 'Choir', startsInHours: 1, attendees: [7] },
  { id: 6, name: 'Chess', startsInHours: 3, attendees: [7] },
  { id: 8, name: 'Other', startsInHours: 2, attendees: [] },
];

/** The one method of storage that the use-case needs. */
const meetings = {
  async placesOf({ organizationId, idpId, now, page }) {
    const member = members.get(idpId);
    if (member?.organizationId !== organizationId) return null;
    const own = sessions.filter(({ attendees }) => attendees.includes(member.id));
    const details = own.slice(page.offset, page.offset + page.limit).map(({ id, name, startsInHours }) => ({
      id,
      name,
      topic: 'Leisure',
      description: null,
      location: 'Hall 2',
      startTime: new Date(now.getTime() + startsInHours * HOUR_MS),
      endTime: new Date(now.getTime() + (startsInHours + 1) * HOUR_MS),
      maxAttendees: 20,
      registeredAttendees: 12,
      groupLeader: null,
    }));
    const registered = details.map(({ id, startTime }) => ({ meetingId: id, startTime, registeredAt: now }));
    return { registered, waiting: [], details, total: own.length };
  },
};

const deps = {
  meetings,
  clock: { now: () => new Date() },
  settings: { serviceName: 'Acme' },
  links: { defaultAvatar: 'https://acme.example/avatar.svg' },
};

const server = fastify();
server.get('/members/:idpId/meetings', async ({ params }) =>
  listUpcomingMeetings(deps, { organization: { id: 1 }, idpId: params.idpId }),
);
server.setErrorHandler((error, _request, reply) => {
  if (error instanceof Refusal) reply.status(404).send({ code: error.code });
  else reply.status(500).send({ code: 'unexpected' });
});
await server.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
