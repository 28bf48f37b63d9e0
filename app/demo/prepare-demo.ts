import { Readable } from 'node:stream';
import { Secret } from '@rollcall/core';
import type { CommandContext } from '../command-context.js';
import { locationLiterals } from '../config/locations.js';
import type { Config } from '../config.js';
import { datasetRules } from '../dataset/dataset-rules.js';
import { loadDataset } from '../dataset/load-dataset.js';
import { MAX_DAYS_FROM_TODAY, sampleDayOf, startOfDay, timestamp } from '../sample/days.js';
import { sampleDataset } from '../sample/sample-dataset.js';
import { sampleFacts } from '../sample/sample-facts.js';
import type { SampleRecord } from '../sample/sample-record.js';
import { callApi, invitePeople, setUpWebhook } from './history.js';
import { isReceiverUrl } from './receiver.js';

/** The password of everyone in the demo. */
export const demoPassword = 'try-it-yourself';

/** The people who can sign in, with their roles. */
export const demoPeople = [
  { ...sampleFacts.owner, role: 'owner' },
  { ...sampleFacts.admin, role: 'admin' },
  { ...sampleFacts.member, role: 'member' },
] as const;

export interface PrepareDemo {
  readonly context: CommandContext;
  readonly receiverUrl: string;
  readonly onLoading: () => void;
}

/**
 * Fills the demo's database with sample data. Each step checks whether it was already done, so that the next start
 * completes an interrupted one, and keeps what visitors added or changed.
 */
export async function prepareDemo({ context, receiverUrl, onLoading }: PrepareDemo): Promise<void> {
  const missing = await missingRecords(context);
  if (missing !== null) {
    onLoading();
    const now = context.clock.now();
    const isMeeting = ({ kind }: SampleRecord) => meetingKinds.includes(kind);
    // What the pages tell of the latest weeks happened to people who had joined, with a key that was there.
    await load(context, (record) => !isMeeting(record) && missing(record), joiningTime(now));
    await load(context, (record) => isMeeting(record) && missing(record), now);
  }
  await setPasswords(context);
  await pointWebhook(context, receiverUrl);
  await invitePeople(context);
  await callApi(context);
}

/**
 * All records at the first start. The meetings on another day, so that some are always upcoming, and if the service has
 * got another name. Otherwise null.
 */
async function missingRecords({
  config,
  ports,
}: CommandContext): Promise<((record: SampleRecord) => boolean) | null> {
  const { organizations, meetings, clock } = ports;
  const { id } = sampleFacts.organization;
  if ((await organizations.byId(id)) === null) return () => true;

  const [first] = await meetings.details({ organizationId: id, ids: [1] });
  const today = startOfDay(clock.now()).getTime();
  const isCurrent = first !== undefined && locationLiterals(config).includes(first.location);
  if (isCurrent && sampleDayOf(first.startTime).getTime() === today) return null;
  return ({ kind }) => meetingKinds.includes(kind);
}

/** Before the first meeting of the sample. */
function joiningTime(now: Date): Date {
  return new Date(timestamp(startOfDay(now), -MAX_DAYS_FROM_TODAY - 30, 9 * 60));
}

const meetingKinds: readonly SampleRecord['kind'][] = ['meeting', 'registration', 'waitlist_entry'];

/** Loads the records in the same way as every dataset. */
async function load(
  context: CommandContext,
  isWanted: (record: SampleRecord) => boolean,
  at: Date,
): Promise<void> {
  await loadDataset({
    database: context.database,
    source: Readable.from(chunksOf(sampleRecords(context.config, context.clock.now()), isWanted)),
    rules: datasetRules(context),
    at,
  });
}

function sampleRecords(config: Config, now: Date): Iterable<SampleRecord> {
  return sampleDataset({ now, locations: locationLiterals(config) });
}

const CHUNK_LINES = 500;

function* chunksOf(
  records: Iterable<SampleRecord>,
  isWanted: (record: SampleRecord) => boolean,
): Generator<Uint8Array> {
  let lines: string[] = [];
  for (const record of records) {
    if (isWanted(record)) lines.push(`${JSON.stringify(record)}\n`);
    if (lines.length < CHUNK_LINES) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  yield Buffer.from(lines.join(''));
}

async function setPasswords({ core, ports: { users } }: CommandContext): Promise<void> {
  for (const { id, email } of demoPeople) {
    const isSet = (await users.passwordHash(id)) !== null;
    if (!isSet) await core.setPassword({ email, password: new Secret(demoPassword) });
  }
}

/** Does not change a webhook that a visitor has pointed elsewhere or switched off. */
async function pointWebhook(context: CommandContext, url: string): Promise<void> {
  const { core, ports } = context;
  const organization = { id: sampleFacts.organization.id };
  const current = await ports.webhooks.of(organization.id);
  if (current === null) await setUpWebhook(context, url);
  else if (current.url !== null && current.url !== url && isReceiverUrl(current.url)) {
    await core.configureWebhook({ organization, how: 'change', webhook: { enabled: current.enabled, url } });
  }
}

/** The number of records of each kind in the sample. */
export function countSample({ config, clock }: CommandContext): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of sampleRecords(config, clock.now())) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Returns false if a visitor has replaced the access key that the demo prints. */
export async function isAccessKeyValid({
  ports: { organizations, secrets },
}: CommandContext): Promise<boolean> {
  const hashes = secrets.accessKeyHashes(sampleFacts.organization.accessKey);
  return (await organizations.byAccessKeyHash(hashes))?.id === sampleFacts.organization.id;
}
