import { setTimeout as pause } from 'node:timers/promises';
import { createMeetings, type MeetingsUseCases, type Organization } from '@rollcall/core';
import { memoryPorts } from '@rollcall/core/testing';
import { type Database, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import type { DatasetRecord } from '#adapters/sql/maintenance/dataset.js';
import type { FaultReport } from '../fault/audit.js';
import { type ForkedInstance, forkInstance } from '../forked-instance.js';
import { pick, type Random, randomNumbers } from '../random-numbers.js';
import type { Fault, Task } from './messages.js';

export type ImportInstance = ForkedInstance<Task, true>;

export const INSTANCES = 3;

/** Processes that can do the imports of one proof after another. */
export function startInstances(): Promise<readonly ImportInstance[]> {
  const program = new URL(import.meta.resolve('#app/bundle/changes-process.js'));
  return Promise.all(Array.from({ length: INSTANCES }, () => forkInstance<Task, true>(program, [])));
}

export interface ChangesRounds {
  readonly instances: readonly ImportInstance[];
  /** A migrated, empty database. */
  readonly url: string;
  readonly rounds: number;
  /** The maximum time for which an import is held open before its commit. */
  readonly maxHoldMs: number;
  readonly seed: number;
  readonly fault?: Fault;
}

const ORGANIZATIONS = [1, 2, 3];
const MEETINGS = 40;

/**
 * In each round, three processes import at the same time: random meetings that are new, changed, the same, moved to
 * another organization or the service, tied to others, or deleted, and programs that are switched on or off. Meanwhile
 * readers keep copies by applying changes at random times, each from where it was. After the round, every copy must
 * equal an export of everything.
 */
export async function proveChanges(options: ChangesRounds): Promise<FaultReport> {
  const { instances, url, rounds, maxHoldMs, fault = null, seed } = options;
  const random = randomNumbers(seed);
  const database = await openDatabase(url, { timeoutMs: 20_000 });
  await Promise.all(instances.map((instance) => instance.run({ kind: 'open', url, fault })));
  const site = siteOf(database);
  const readers = ORGANIZATIONS.flatMap((id) => [newReader(id, 'eager'), newReader(id, 'lazy')]);
  const problems: string[] = [];
  const counts = { imports: 0, records: 0, switches: 0, reads: 0, changes: 0, deletions: 0 };
  try {
    const records = ORGANIZATIONS.map((id) => organization(id, true));
    await instances[0]?.run({ kind: 'import', records, holdMs: 0 });
    for (let round = 1; round <= rounds && problems.length === 0; round += 1) {
      let isOver = false;
      const reading = readers
        .filter(({ kind }) => kind === 'eager')
        .map((reader) => follow(reader, { site, random, isOver: () => isOver }));
      const importing = instances.map((instance) => importAtRandom(instance, { random, maxHoldMs, counts }));
      await Promise.all(importing).finally(() => {
        isOver = true;
      });
      await Promise.all(reading);
      // The others fall behind, and begin in the middle of what has happened since.
      const last = round === rounds;
      const compared = readers.filter(({ kind }) => kind === 'eager' || last || random(5) === 0);
      if (last) compared.push(...ORGANIZATIONS.map((id) => newReader(id, 'late')));
      for (const reader of compared) {
        await follow(reader, { site, random, isOver: () => true });
        const found = await differences(reader, site);
        problems.push(...found.map((problem) => `round ${round}: ${problem}`));
      }
    }
    for (const reader of readers) {
      counts.reads += reader.reads;
      counts.changes += reader.changes;
      counts.deletions += reader.deletions;
    }
    return { counts, problems };
  } finally {
    await database.close();
  }
}

// ── Imports ────────────────────────────────────────────────────────────────────────────────────────────────

async function importAtRandom(
  instance: ImportInstance,
  {
    random,
    maxHoldMs,
    counts,
  }: {
    readonly random: Random;
    readonly maxHoldMs: number;
    readonly counts: Record<'imports' | 'records' | 'switches', number>;
  },
): Promise<void> {
  const records = [
    ...(random(4) === 0 ? [organization(pick(random, ORGANIZATIONS), random(2) === 0)] : []),
    ...Array.from({ length: random(9) }, () => randomMeeting(random)),
  ];
  await pause(random(4));
  await instance.run({ kind: 'import', records, holdMs: random(maxHoldMs + 1) });
  counts.imports += 1;
  counts.records += records.length;
  counts.switches += records.filter(({ kind }) => kind === 'organization').length;
}

function organization(id: number, eap: boolean): DatasetRecord {
  return { kind: 'organization', id, name: `Organization ${id}`, eap };
}

/** The lists of the others are left out, or kept beside an owner, where they do not count. */
function randomMeeting(random: Random): DatasetRecord {
  const id = 1 + random(MEETINGS);
  if (random(4) === 0) return { kind: 'meeting', deleted: true, id };
  return {
    ...{ kind: 'meeting', id, name: `Meeting ${id}`, meeting_type: 'Group', location: 'zoom', duration: 60 },
    organization_id: random(2) === 0 ? null : pick(random, ORGANIZATIONS),
    ...(random(3) > 0 && { eap_organization_ids: ORGANIZATIONS.filter(() => random(2) === 0) }),
    start_time: `2026-11-${10 + random(3)}T18:00:00.000Z`,
    end_time: '2026-11-20T19:00:00.000Z',
    status: pick(random, ['scheduled', 'complete', 'cancel']),
    topic: `Topic ${random(3)}`,
  };
}

// ── Readers ────────────────────────────────────────────────────────────────────────────────────────────────

interface Site {
  readonly meetings: MeetingsUseCases;
  organization(id: number): Promise<Organization>;
}

function siteOf(database: Database): Site {
  const ports = { ...memoryPorts().ports, ...sqlPorts(database) };
  const links = { calendar: () => '', defaultAvatar: '' };
  return {
    meetings: createMeetings(ports, { serviceName: 'Service', links }),
    async organization(id) {
      const found = await ports.organizations.byId(id);
      if (found === null) throw new Error(`there is no organization ${id}`);
      return found;
    },
  };
}

interface Reader {
  readonly organizationId: number;
  /** `eager` readers read during each round, `lazy` ones after some, and a `late` one after all. */
  readonly kind: 'eager' | 'lazy' | 'late';
  readonly rows: Map<number, string>;
  after: string | undefined;
  reads: number;
  changes: number;
  deletions: number;
}

function newReader(organizationId: number, kind: Reader['kind']): Reader {
  return { organizationId, kind, rows: new Map(), after: undefined, reads: 0, changes: 0, deletions: 0 };
}

interface Following {
  readonly site: Site;
  readonly random: Random;
  readonly isOver: () => boolean;
}

const columns = ['id', 'name', 'start_time', 'status', 'topic', 'updated_at'];

/** Applies pages of changes at random times until the round is over, and then to the end. */
async function follow(reader: Reader, { site, random, isOver }: Following): Promise<void> {
  for (;;) {
    const isLast = isOver();
    const page = await site.meetings.readMeetingChanges({
      organization: { id: reader.organizationId },
      after: reader.after,
      limit: 1 + random(isLast ? 1000 : 5),
      columns,
    });
    reader.reads += 1;
    for (const { id, row } of page.changes) {
      reader.changes += 1;
      if (row === null) reader.deletions += 1;
      if (row === null) reader.rows.delete(id);
      else reader.rows.set(id, row);
    }
    reader.after = page.next;
    if (isLast && !page.hasMore) return;
    if (!isLast) await pause(random(40));
  }
}

/** The meetings in which the copy differs from an export of everything. */
async function differences(
  { organizationId, kind, rows }: Reader,
  { meetings, organization }: Site,
): Promise<readonly string[]> {
  const { chunks } = await meetings.exportMeetings({
    ...{ organization: await organization(organizationId), columns, reportingDays: 'everything' },
    form: 'ndjson',
  });
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  const lines = text.split('\n').filter((line) => line !== '');
  const exported = new Map(lines.map((line) => [(JSON.parse(line) as { readonly id: number }).id, line]));
  const reader = `the ${kind} reader of organization ${organizationId}`;
  return [...new Set([...rows.keys(), ...exported.keys()])].flatMap((id) => {
    const [copied, right] = [rows.get(id), exported.get(id)];
    if (copied === right) return [];
    if (right === undefined) return [`${reader} still has meeting ${id}`];
    return [`${reader} ${copied === undefined ? 'lacks' : 'has an old state of'} meeting ${id}`];
  });
}
