import type { DatasetMeeting } from '../dataset.js';
import type { State } from './state.js';

/**
 * Begins a change of these meetings, with a later time than the change before. A storage with a clock would take the
 * current time. Call the returned function when everything is stored.
 */
export function startMeetingChange(state: State, touched: ReadonlySet<number>): () => void {
  state.changedAt = new Date(state.changedAt.getTime() + 1);
  const before = viewsOf(state, touched);
  return () => {
    const after = viewsOf(state, touched);
    for (const [view, { organizationId, meetingId, meeting }] of new Map([...before, ...after])) {
      const [was, is] = [before.get(view), after.get(view)];
      const isUnchanged =
        was !== undefined && is !== undefined && meeting.updatedAt === was.meeting.updatedAt;
      if (isUnchanged) continue;
      const changes = state.meetingChanges.get(organizationId) ?? new Map<number, Date>();
      state.meetingChanges.set(organizationId, changes.set(meetingId, state.changedAt));
    }
  };
}

interface View {
  readonly organizationId: number;
  readonly meetingId: number;
  readonly meeting: DatasetMeeting;
}

/** Who sees which of the meetings. */
function viewsOf(state: State, ids: ReadonlySet<number>): ReadonlyMap<string, View> {
  const views = new Map<string, View>();
  for (const meetingId of ids) {
    const meeting = state.meetings.get(meetingId);
    if (meeting === undefined) continue;
    const candidates =
      meeting.organizationId === null ? meeting.eapOrganizationIds : [meeting.organizationId];
    for (const organizationId of candidates)
      if (isVisible(state, organizationId, meeting))
        views.set(`${organizationId}/${meetingId}`, { organizationId, meetingId, meeting });
  }
  return views;
}

/** Whether the organization sees the meeting in its exports. */
export function isVisible(state: State, organizationId: number, meeting: DatasetMeeting): boolean {
  if (meeting.organizationId !== null) return meeting.organizationId === organizationId;
  const organization = state.organizations.get(organizationId);
  return organization?.eap === true && meeting.eapOrganizationIds.includes(organizationId);
}
