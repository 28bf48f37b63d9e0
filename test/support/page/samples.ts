import { aMeeting, anOrganization, aUser, type Dataset } from '@rollcall/core/testing';

/** A member whose meetings show everything that a member page can show. IDs from 100 are members, from 200 leaders. */
export const sampleMeetings: Dataset = {
  organizations: [
    anOrganization(1, { name: 'Northwind Wellness' }),
    anOrganization(2, { name: 'Contoso <b>Care</b> & Sons' }),
  ],
  users: [
    aUser(100, { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' }),
    aUser(200, { firstName: 'Maria', lastName: 'Santos' }),
    aUser(201, { firstName: 'Jörg', lastName: 'Öztürk', avatar: 'https://pictures.example/joerg.png' }),
    aUser(202, { firstName: 'نور', lastName: 'حداد', avatar: 'https://pictures.example/nour.png' }),
    aUser(203, {
      firstName: 'W'.repeat(300),
      lastName: 'W'.repeat(300),
      avatar: 'https://pictures.example/w.png',
    }),
  ],
  memberships: [{ organizationId: 1, userId: 100, role: 'member', idpId: null }],
  meetings: [
    aMeeting(1, { name: 'Grief circle', groupLeaderId: 200 }),
    aMeeting(2, {
      name: 'Sleep, stress and shift work: an evening for people who never get enough of the first',
      startTime: new Date('2026-11-20T23:15:00.000Z'),
      endTime: new Date('2026-11-21T00:45:00.000Z'),
      topic: 'Stress',
      groupLeaderId: 201,
      maxAttendees: 8,
      waitList: true,
      location: 'acme-care',
      description: 'Short talks, then questions.\n\nBring something to write, and come as you are.',
    }),
    aMeeting(3, {
      name: 'دائرة الدعم للآباء الجدد',
      startTime: new Date('2026-11-23T09:00:00.000Z'),
      endTime: new Date('2026-11-23T09:45:00.000Z'),
      topic: 'Parenting 👶🏽',
      groupLeaderId: 202,
      waitList: true,
    }),
    aMeeting(4, {
      name: '<script>alert("name")</script>',
      startTime: new Date('2026-11-23T10:00:00.000Z'),
      endTime: new Date('2026-11-23T12:00:00.000Z'),
      topic: '',
      waitList: true,
    }),
    aMeeting(5, {
      name: 'N'.repeat(300),
      startTime: new Date('2026-11-24T10:00:00.000Z'),
      endTime: new Date('2026-11-24T11:00:00.000Z'),
      topic: 'T'.repeat(300),
      groupLeaderId: 203,
      waitList: true,
    }),
    aMeeting(6, {
      name: 'Anxiety skills',
      startTime: new Date('2026-11-24T18:30:00.000Z'),
      endTime: new Date('2026-11-24T20:00:00.000Z'),
      topic: 'Anxiety',
      groupLeaderId: 200,
      waitList: true,
    }),
  ],
  registrations: [1, 3].map((meetingId) => ({
    meetingId,
    userId: 100,
    registeredAt: new Date('2026-11-01T10:00:00.000Z'),
  })),
  waitingPlaces: (
    [
      [2, 'waiting'],
      [3, 'accepted'],
      [4, 'offered'],
      [5, 'expired'],
      [6, 'rejected'],
    ] as const
  ).map(([meetingId, status]) => ({
    meetingId,
    userId: 100,
    status,
    createdAt: new Date('2026-11-02T10:00:00.000Z'),
  })),
};
