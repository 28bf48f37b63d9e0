import { after, before, type TestContext } from 'node:test';
import { type Role, Secret } from '@rollcall/core';
import { aMeeting, aUser, type DatasetMeeting } from '@rollcall/core/testing';
import { noLimits, type Site, startSite } from '../security/site.js';

export const password = 'a good password';

export type OpenedExport = Awaited<ReturnType<ReturnType<typeof useExportSite>['openExport']>>;

export interface ExportFixtures {
  readonly role?: Role;
  /** Whether the organization runs a program. By default it does. */
  readonly eap?: boolean;
  readonly meetings?: readonly DatasetMeeting[];
  /** The IDs of meetings for which the visitor is registered. */
  readonly seats?: readonly number[];
}

/** Starts a site before all tests of a file, and stops it after them. */
export function useExportSite() {
  let site: Site;
  before(async () => {
    site = await startSite({ ports: { limits: noLimits } });
  });
  after(() => site.stop());

  /**
   * Adds an organization with these meetings, and signs in a visitor with the role. Today is Friday 20 November 2026.
   */
  async function openExport({ role = 'admin', eap = true, meetings = [], seats = [] }: ExportFixtures = {}) {
    const registeredAt = new Date('2026-11-01T10:00:00.000Z');
    const own = await site.organization({ name: 'Northwind Wellness', eap }, (organizationId) => {
      const userId = organizationId;
      const idOf = (id: number): number => organizationId * 10_000 + id;
      return {
        users: [aUser(userId)],
        memberships: [{ organizationId, userId, role, idpId: null }],
        meetings: meetings.map((meeting) => ({ ...meeting, id: idOf(meeting.id), organizationId })),
        registrations: seats.map((seat) => ({ meetingId: idOf(seat), userId, registeredAt })),
      };
    });
    const { email } = aUser(own.id);
    await site.core.setPassword({ email, password: new Secret(password) });
    const client = site.browser();
    await client.fillIn('/sign-in', { email, password });
    return { own, page: `/organizations/${own.id}/export`, client };
  }

  /** Replaces the rows of exports until the test ends. */
  function replaceExportRows(context: TestContext, rows: () => AsyncIterable<Uint8Array>): void {
    context.after(site.replace('meetings', { export: async () => ({ total: null, chunks: rows() }) }));
  }

  return { site: () => site, openExport, replaceExportRows };
}

export const at = (time: string) => ({
  startTime: new Date(time),
  endTime: new Date(Date.parse(time) + 3_600_000),
});

/** One meeting for each preset. */
export const spread = [
  aMeeting(1, { name: 'Long ago', status: 'complete', ...at('2026-03-03T10:00:00.000Z') }),
  aMeeting(2, { name: 'Last month', status: 'complete', ...at('2026-10-20T10:00:00.000Z') }),
  aMeeting(3, { name: 'Last week', status: 'complete', ...at('2026-11-11T10:00:00.000Z') }),
  aMeeting(4, { name: 'Cancelled today', status: 'cancel', ...at('2026-11-20T08:00:00.000Z') }),
  aMeeting(5, { name: 'Tonight', ...at('2026-11-20T18:00:00.000Z') }),
  aMeeting(6, { name: 'Next month', eap: true, ...at('2026-12-09T18:00:00.000Z') }),
];

export const names = ['Long ago', 'Last month', 'Last week', 'Cancelled today', 'Tonight', 'Next month'];
