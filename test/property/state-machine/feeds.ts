import fc from 'fast-check';
import { eventName } from '#core/testing/subscribe.js';
import { Cell, Compared, type Draft, difference, forms, shown } from './cell.js';
import { caller, callerOf, maybe, rarely } from './choices.js';
import { type Answer, ApiCall, type Caller, type Plan, refused, type Step } from './command.js';
import { limitOf, type Part, part, requestOf, unknownCursor } from './lists.js';
import { type ColumnKey, columnKeys, meetingBody } from './meetings.js';
import {
  eventBody,
  type MeetingLogEntry,
  type Model,
  type ModelMeeting,
  type OrganizationModel,
  otherThan,
} from './model.js';
import { Mismatch } from './run-of-calls.js';

const readEvents: fc.Arbitrary<Step> = fc
  .record({
    caller,
    part,
    order: maybe(fc.constantFrom('asc', 'desc', 'desc', 'newest')),
    event: maybe(fc.constantFrom(eventName, eventName, 'user.left')),
  })
  .map(eventsRead);

/** Reads a part of all events, oldest first. */
export const readAllEvents = (
  organization: fc.Arbitrary<0 | 1>,
  asked: fc.Arbitrary<Part>,
): fc.Arbitrary<Step> => fc.record({ caller: callerOf(organization), part: asked }).map(eventsRead);

function eventsRead({
  caller: who,
  part: asked,
  order,
  event,
}: {
  readonly caller: Caller;
  readonly part: Part;
  readonly order?: string | undefined;
  readonly event?: string | undefined;
}): Step {
  const plan = (model: Model, organization: OrganizationModel): Plan => {
    // A cursor works in both orders.
    const request = requestOf(organization, otherThan(model, organization), {
      ...{ list: 'events', filters: [], part: asked },
    });
    const filters = [
      ...(order === undefined ? [] : [['order', order] as const]),
      ...(event === undefined ? [] : [['event', event] as const]),
    ];
    const call = { method: 'GET', path: ['/events'], query: [...filters, ...request.query] };
    const wrong = [
      ...(order === 'newest' ? ['order'] : []),
      ...(event === 'user.left' ? ['event'] : []),
      ...(request.isUnknown ? ['after'] : []),
    ];
    if (wrong.length > 1)
      return { call, answer: refused(400, 'invalid-request', new RegExp(wrong.join('|'))) };
    if (order === 'newest')
      return { call, answer: refused(400, 'invalid-request', 'order must be one of asc, desc') };
    if (event === 'user.left')
      return { call, answer: refused(400, 'invalid-request', `event must be one of ${eventName}`) };
    if (request.isUnknown) return { call, answer: unknownCursor };
    const after = request.from === null ? null : Number(request.from.after);
    const limit = limitOf(asked.limit, 1000);
    return { call, answer: eventsAnswer(organization, { after, limit, isAscending: order !== 'desc' }) };
  };
  return new ApiCall('readEvents', who, plan);
}

/** The events after the position, or before it if newest first. The first event is at position 1. */
function eventsAnswer(
  organization: OrganizationModel,
  {
    after,
    limit,
    isAscending,
  }: { readonly after: number | null; readonly limit: number; readonly isAscending: boolean },
): Answer {
  const all = organization.events.map((event, index) => ({ event, at: index + 1 }));
  const left = isAscending
    ? all.filter(({ at }) => at > (after ?? 0))
    : all.filter(({ at }) => after === null || at < after).reverse();
  const page = left.slice(0, limit);
  const hasMore = left.length > limit;
  const next = new Cell(forms.cursor, organization.index);
  const end = page.at(-1)?.at ?? after ?? 0;
  return {
    status: 200,
    headers: { link: hasMore ? /after=\S+>; rel="next"$/ : undefined },
    body: { success: true, events: page.map(({ event }) => eventBody(event)), next, has_more: hasMore },
    effect: () => void organization.cursors.push({ list: 'events', cell: next, query: [], after: end }),
  };
}

/** What a reader of changes has: where it is, and the meetings of its copy. */
interface Reader {
  /** The number of entries of the log that it has passed. */
  readonly at: number;
  readonly copy: ReadonlySet<number>;
}

const readMeetingChanges: fc.Arbitrary<Step> = fc
  .record({
    caller,
    part,
    columns: maybe(fc.subarray<string>([...columnKeys], { minLength: 1, maxLength: 4 })),
    isWrong: rarely(15),
  })
  .map(({ caller: who, part: asked, columns, isWrong }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const request = requestOf(organization, otherThan(model, organization), {
        ...{ list: 'changes', filters: [], part: asked },
      });
      const wanted = [...(columns ?? []), ...(isWrong ? ['nme'] : [])];
      const query = [...wanted.map((key) => ['column[]', key] as const), ...request.query];
      const call = { method: 'GET', path: ['/meeting_changes'], query };
      if (isWrong)
        return {
          call,
          answer: refused(400, 'invalid-request', request.isUnknown ? /column|after/ : /column/),
        };
      if (request.isUnknown) return { call, answer: unknownCursor };
      const from = (request.from?.after ?? { at: 0, copy: new Set() }) as Reader;
      const keys = (columns ?? columnKeys) as readonly ColumnKey[];
      return {
        call,
        answer: changesAnswer(model, organization, { from, limit: limitOf(asked.limit, 1000), keys }),
      };
    };
    return new ApiCall('readMeetingChanges', who, plan);
  });

/** The place of a meeting among the changes: that of its latest one. */
interface Change {
  readonly at: number;
  readonly entry: MeetingLogEntry;
  /** Null: the organization no longer sees it. */
  readonly meeting: ModelMeeting | null;
}

function changesAnswer(
  model: Model,
  organization: OrganizationModel,
  given: { readonly from: Reader; readonly limit: number; readonly keys: readonly ColumnKey[] },
): Answer {
  const { from, limit, keys } = given;
  const left = latestChanges(model, organization).filter(({ at }) => at > from.at);
  // A deletion of a meeting that the reader does not have may come or not.
  const isDue = ({ entry, meeting }: Change): boolean => meeting !== null || from.copy.has(entry.id);
  const seenChanges: Change[] = [];
  const compare = (seen: unknown, draft: Draft, path: string): string | null => {
    if (!Array.isArray(seen)) return `${path} is not a list`;
    if (seen.length > limit) return `${path} has ${seen.length} items, more than ${limit}`;
    const rest = [...left];
    for (const [index, item] of seen.entries()) {
      while (rest[0] !== undefined && !isDue(rest[0]) && rest[0].entry.id !== item.id) rest.shift();
      const change = rest.shift();
      if (change === undefined) return `${path}[${index}] is not expected: ${JSON.stringify(item)}`;
      const found = difference(changeBody(change, keys), item, draft, `${path}[${index}]`);
      if (found !== null) return found;
      seenChanges.push(change);
    }
    const missing = rest.find(isDue);
    return seen.length < limit && missing !== undefined
      ? `${path} ends before ${shown(changeBody(missing, keys))}`
      : null;
  };
  const next = new Cell(forms.cursor, organization.index);
  return {
    status: 200,
    body: {
      success: true,
      changes: new Compared(left.map((change) => shown(changeBody(change, keys))).join(', '), compare),
      next,
      has_more: new Compared('whether there are more', (seen, _draft, path) => {
        const end = seenChanges.at(-1)?.at ?? from.at;
        const more = left.filter(({ at }) => at > end);
        const allowed = more.some(isDue) ? [true] : more.length > 0 ? [true, false] : [false];
        return allowed.includes(seen as boolean) ? null : `${path} is ${String(seen)}`;
      }),
    },
    effect: ({ headers, json }) => {
      if ((headers.link !== undefined) !== json.has_more)
        throw new Mismatch(`readMeetingChanges: Link is ${headers.link}, and has_more ${json.has_more}`);
      const copy = new Set(from.copy);
      for (const { entry, meeting } of seenChanges) {
        if (meeting === null) copy.delete(entry.id);
        else copy.add(entry.id);
      }
      const at = seenChanges.at(-1)?.at ?? from.at;
      organization.cursors.push({ list: 'changes', cell: next, query: [], after: { at, copy } });
    },
  };
}

function latestChanges({ meetingLog, meetings }: Model, { index }: OrganizationModel): readonly Change[] {
  const latest = new Map<number, Change>();
  for (const [position, entry] of meetingLog.entries()) {
    const isSeen = entry.seenBy.includes(index);
    const wasSeen = latest.get(entry.id)?.meeting != null;
    if (!isSeen && !wasSeen) continue;
    const meeting = isSeen ? (meetings.get(entry.id) ?? null) : null;
    latest.delete(entry.id);
    // A meeting that was deleted later has a later entry, which takes the place of this one.
    latest.set(entry.id, { at: position + 1, entry, meeting: isSeen ? (meeting ?? gone) : null });
  }
  return [...latest.values()];
}

/** Stands for a meeting that a later entry removes. */
const gone = {} as ModelMeeting;

function changeBody({ entry, meeting }: Change, keys: readonly ColumnKey[]): object {
  return {
    id: entry.id,
    is_deleted: meeting === null,
    changed_at: entry.at,
    meeting: meeting === null ? null : meetingBody(meeting, keys),
  };
}

export const feedSteps: readonly fc.Arbitrary<Step>[] = [readEvents, readEvents, readMeetingChanges];
