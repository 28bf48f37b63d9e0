import { Readable } from 'node:stream';
import { Secret } from '@rollcall/core';
import { locationLiterals } from '../config.js';
import { type Assembly, names } from '../container.js';
import { loadDataset } from '../dataset.js';
import { datasetRules } from '../dataset-rules.js';
import { type SampleRecord, sampleDataset, sampleDayOf, sampleFacts, startOfDay } from '../sample.js';
import { inviteGuests, setUpWebhook } from './history.js';
import { isReceiverUrl } from './receiver.js';

/** For all sign-ins of the demo. */
export const demoPassword = 'northwind-demo';

/** Who can sign in, and as what. */
export const demoPeople = [
  { ...sampleFacts.owner, role: 'owner' },
  { ...sampleFacts.admin, role: 'admin' },
  { ...sampleFacts.member, role: 'member' },
] as const;

export interface PrepareDemo {
  readonly assembly: Assembly;
  readonly receiverUrl: string;
  readonly onLoading: () => void;
}

/**
 * Brings the demo's database to where a visitor expects it. Each step looks whether it is done already, so that
 * a start that was cut off is made good by the next one, and what visitors added or changed stays.
 */
export async function prepareDemo({ assembly, receiverUrl, onLoading }: PrepareDemo): Promise<void> {
  const missing = await missingRecords(assembly);
  if (missing !== null) {
    onLoading();
    await load(assembly, missing);
  }
  await setPasswords(assembly);
  await pointWebhook(assembly, receiverUrl);
  await inviteGuests(assembly);
}

/** All on the first start; on another day the meetings, so that there are always some to come; else none (null). */
async function missingRecords(assembly: Assembly): Promise<((record: SampleRecord) => boolean) | null> {
  const { organizations, meetings, clock } = assembly.get(names.ports);
  const { id } = sampleFacts.organization;
  if ((await organizations.byId(id)) === null) return () => true;

  const [first] = await meetings.details({ organizationId: id, ids: [1] });
  const today = startOfDay(clock.now()).getTime();
  if (first !== undefined && sampleDayOf(first.startTime).getTime() === today) return null;
  return ({ kind }) => ['meeting', 'registration', 'waitlist_entry'].includes(kind);
}

/** By the way that every dataset goes. */
async function load(assembly: Assembly, isWanted: (record: SampleRecord) => boolean): Promise<void> {
  const now = assembly.get(names.ports).clock.now();
  await loadDataset({
    database: assembly.get(names.database),
    source: Readable.from(chunksOf(sampleRecords(assembly, now), isWanted)),
    rules: datasetRules(assembly),
    at: now,
  });
}

function sampleRecords(assembly: Assembly, now: Date): Iterable<SampleRecord> {
  return sampleDataset({ now, locations: locationLiterals(assembly.get(names.config)) });
}

const LINES_AT_ONCE = 500;

function* chunksOf(
  records: Iterable<SampleRecord>,
  isWanted: (record: SampleRecord) => boolean,
): Generator<Uint8Array> {
  let lines: string[] = [];
  for (const record of records) {
    if (isWanted(record)) lines.push(`${JSON.stringify(record)}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  yield Buffer.from(lines.join(''));
}

async function setPasswords(assembly: Assembly): Promise<void> {
  const { users } = assembly.get(names.ports);
  const core = assembly.get(names.core);
  for (const { id, email } of demoPeople) {
    const isSet = (await users.passwordHash(id)) !== null;
    if (!isSet) await core.setPassword({ email, password: new Secret(demoPassword) });
  }
}

/** A webhook that a visitor pointed elsewhere, or switched off, stays so. */
async function pointWebhook(assembly: Assembly, url: string): Promise<void> {
  const core = assembly.get(names.core);
  const organization = { id: sampleFacts.organization.id };
  const current = await assembly.get(names.ports).webhooks.of(organization.id);
  if (current === null) await setUpWebhook(assembly, url);
  else if (current.url !== null && current.url !== url && isReceiverUrl(current.url)) {
    await core.configureWebhook({ organization, how: 'change', webhook: { enabled: current.enabled, url } });
  }
}

/** How many records of each kind the sample has. */
export function countSample(assembly: Assembly): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of sampleRecords(assembly, assembly.get(names.ports).clock.now())) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Whether the access key that the demo prints still opens; somebody may have replaced it. */
export async function accessKeyWorks(assembly: Assembly): Promise<boolean> {
  const { organizations, secrets } = assembly.get(names.ports);
  const hashes = secrets.accessKeyHashes(sampleFacts.organization.accessKey);
  return (await organizations.byAccessKeyHash(hashes))?.id === sampleFacts.organization.id;
}
