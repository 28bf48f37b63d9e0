import type { DatasetMeeting } from '@rollcall/core/testing';
import { aMeeting } from '@rollcall/core/testing';
import { markerOf, type Real } from './command.js';
import {
  HOUR,
  MINUTE,
  type Model,
  type ModelMeeting,
  type OrganizationModel,
  pick,
  timeCell,
} from './model.js';

/** Whom a meeting belongs to: an organization, or the service, tied to organizations. */
type Owner = 'a' | 'b' | readonly ('a' | 'b')[];

interface Planned {
  readonly of: Owner;
  /** In hours from the beginning of the sequence. */
  readonly starts: number;
  readonly status?: string;
  readonly fields?: Partial<DatasetMeeting>;
  /** Who has a seat, and who waits. */
  readonly seats?: readonly Seated[];
  readonly waiting?: readonly Seated[];
}

/** People who are members from the beginning. `sam` is one of both organizations, `mia` of the first. */
export type Seated = 'mia' | 'sam' | 'owner';

const planned: readonly Planned[] = [
  { of: 'a', starts: -24 * 7, status: 'complete', fields: { price: 12.5, eap: true, specialFocus: '=1+1' } },
  { of: 'a', starts: 0.5, seats: ['mia', 'sam'] },
  { of: 'a', starts: 24, fields: { waitList: true }, seats: ['sam', 'owner'], waiting: ['mia'] },
  { of: 'a', starts: 30, status: 'cancel', seats: ['sam'] },
  { of: 'b', starts: 24, fields: { description: 'Bring “tea”' }, seats: ['sam'] },
  { of: 'b', starts: -24 * 30, status: 'complete', fields: { privacy: true } },
  { of: ['a', 'b'], starts: -24, status: 'complete', fields: { eap: true } },
  { of: ['a'], starts: 48, seats: ['mia', 'sam'] },
  { of: [], starts: 3, waiting: ['sam'] },
  { of: 'a', starts: 24 * 20 },
];

interface MeetingIds {
  readonly run: number;
  readonly organizations: Model['organizations'];
  readonly startedAt: number;
  /** The number of the owner of the first organization. */
  readonly leader: number;
}

/** The meetings of a new model, with the seats in them. */
export function plannedMeetings({ run, organizations, startedAt, leader }: MeetingIds) {
  const updatedAt = timeCell();
  const [a, b] = organizations;
  const idOf = (owner: 'a' | 'b'): number => (owner === 'a' ? a.id : b.id);
  const meetings = planned.map(({ of, starts, status = 'scheduled', fields }, index): ModelMeeting => {
    const startTime = new Date(startedAt + starts * HOUR);
    const organization = of === 'a' ? a : of === 'b' ? b : null;
    const isOwn = organization !== null;
    const { updatedAt: _, ...meeting } = aMeeting(run * 100 + index, {
      organizationId: organization?.id ?? null,
      eapOrganizationIds: typeof of === 'string' ? [] : of.map(idOf),
      name: isOwn ? `${markerOf(organization, { run })} circle ${index}` : `=Open “evening” ${index}`,
      startTime,
      endTime: new Date(startTime.getTime() + (index + 1) * 15 * MINUTE),
      status,
      groupLeaderId: of === 'a' && index % 2 === 0 ? leader : null,
      ...fields,
    });
    return { ...meeting, updatedAt, updatedIn: 0 };
  });
  const places = (kind: 'seats' | 'waiting') =>
    planned.flatMap((meeting, index) =>
      (meeting[kind] ?? []).map((who) => ({ meetingId: run * 100 + index, who })),
    );
  return { meetings, seats: places('seats'), waiting: places('waiting'), updatedAt };
}

/** Adds what changed with a load to the log, in the order of the ids. */
export function logChanges(
  model: Model,
  changed: readonly { readonly id: number }[],
  at: ModelMeeting['updatedAt'],
): void {
  for (const { id } of [...changed].sort((one, two) => one.id - two.id)) {
    const meeting = model.meetings.get(id);
    const seenBy = model.organizations
      .filter((organization) => meeting !== undefined && sees(organization, meeting))
      .map(({ index }) => index);
    model.meetingLog.push({ id, at, seenBy });
  }
}

/** Whether an export of everything has the meeting (decision 12). */
function sees({ id, eap }: OrganizationModel, meeting: ModelMeeting): boolean {
  if (meeting.organizationId !== null) return meeting.organizationId === id;
  return eap && meeting.eapOrganizationIds.includes(id);
}

export const meetingChanges = [
  'rename',
  'rename',
  'complete',
  'cancel',
  'waitlist',
  'owner',
  'tie',
  'delete',
] as const;
export type MeetingChange = (typeof meetingChanges)[number];

/** Changes or removes one meeting, as an import does. */
export async function changeMeeting(
  model: Model,
  { service, run }: Real,
  { number, change }: { readonly number: number; readonly change: MeetingChange },
): Promise<void> {
  const meeting = pick([...model.meetings.values()], number);
  if (meeting === undefined) return;
  const { id } = meeting;
  const at = timeCell();
  if (change === 'delete') {
    const isTaken = [...model.registrations, ...model.waitingPlaces].some(
      ({ meetingId }) => meetingId === id,
    );
    if (isTaken) return;
    run.note(`An import removes meeting ${id}.`);
    await service.load({ deletedMeetings: [id] });
    model.meetings.delete(id);
  } else {
    const updatedIn = model.meetingLog.length;
    const changed: ModelMeeting = {
      ...meeting,
      ...changesOf(model, meeting, change),
      updatedAt: at,
      updatedIn,
    };
    const { updatedAt: _, updatedIn: __, ...fields } = changed;
    run.note(`An import changes meeting ${id} (${change}).`);
    await service.load({ changedMeetings: [aMeeting(id, fields)] });
    model.meetings.set(id, changed);
  }
  logChanges(model, [{ id }], at);
}

/** Every change is one. */
function changesOf(
  { organizations }: Model,
  meeting: ModelMeeting,
  change: MeetingChange,
): Partial<DatasetMeeting> {
  const [a, b] = organizations;
  const { name, status, waitList, organizationId, eapOrganizationIds } = meeting;
  switch (change) {
    case 'complete':
      return { status: status === 'complete' ? 'scheduled' : 'complete' };
    case 'cancel':
      return { status: status === 'cancel' ? 'in_progress' : 'cancel' };
    case 'waitlist':
      return { waitList: !waitList };
    case 'owner':
      if (organizationId === null) return { name: `${name}+` };
      // The name would show whose meeting it was.
      return { organizationId: organizationId === a.id ? b.id : a.id, name: `Moved ${meeting.id}` };
    case 'tie':
      if (organizationId !== null) return { name: `${name}+` };
      return { eapOrganizationIds: eapOrganizationIds.includes(a.id) ? [] : [a.id] };
    default:
      return { name: `${name}!` };
  }
}
