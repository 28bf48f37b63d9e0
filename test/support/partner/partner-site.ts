import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Core } from '@rollcall/core';
import { anOrganization, type Dataset, type DatasetMeeting } from '@rollcall/core/testing';
import { uncorrectedClock } from '@rollcall/node';
import { createHttpServer } from '#adapters/express/server.js';
import { createLog } from '#adapters/node/system/log.js';
import type { Database } from '#adapters/sql/index.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import { ID } from '#app/assembly/identifiers.js';
import type { Settings } from '../../partner/program/connection.js';
import { startAssembledService } from '../assembled-service.js';
import { testAuthority } from '../certificates.js';
import { datasetRecords } from '../dataset-records.js';
import { pageClient } from '../page/client.js';
import type { DatabaseKind } from '../storage.js';

/** The service that a partner uses. It sends real webhooks to receivers on this machine. */
export interface PartnerSite {
  readonly url: string;
  readonly core: Core;
  readonly database: Database | null;
  /** Every request that arrived, such as `POST /api/v2/authenticate`. */
  readonly requests: readonly string[];
  /** Moves the service's clock, which otherwise shows the current time. */
  advanceClock(milliseconds: number): void;
  load(dataset: Dataset): Promise<void>;
  /** Imports meetings, as `rollcall import` does. */
  importMeetings(meetings: readonly DatasetMeeting[]): Promise<void>;
  /** Adds an organization, and returns what its owner gives to the partner. */
  addOrganization(id: number): Promise<Settings>;
  /** Accepts an invitation on its page, as a new person does. */
  accept(invitationUrl: string): Promise<void>;
}

/** What runs hooks at its end, such as a test. */
export interface Ending {
  after(hook: () => Promise<void>): void;
}

export const serviceName = 'Acme Care';

/** Starts a service, and stops it when the test ends. It must not have reported an unexpected error by then. */
export async function startPartnerSite(context: Ending, database: DatabaseKind): Promise<PartnerSite> {
  const log = createLog({ level: 'silent' });
  const requests: string[] = [];
  const reports: unknown[] = [];
  let aheadMs = 0;
  let handle: Parameters<typeof createHttpServer>[0]['handler'] | null = null;
  const server = createHttpServer({
    log,
    handler: (request, response) => {
      requests.push(`${request.method} ${request.url?.replace(/\?.*/, '')}`);
      handle?.(request, response);
    },
    timeouts: { lastRequests: 300 },
  });
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${port}`;
  const { cert } = await testAuthority();
  const service = await startAssembledService({
    database,
    log,
    environment: { PUBLIC_URL: url, SERVICE_NAME: serviceName },
    real: ['webhookSender', 'dispatcher'],
    override(container) {
      container
        .rebind(ID.clock)
        .toConstantValue({ ...uncorrectedClock, now: () => new Date(Date.now() + aheadMs) });
      container.rebind(ID.localReceivers).toConstantValue({ networks: [], certificateAuthorities: [cert] });
      container
        .rebind(ID.errorTracker)
        .toConstantValue({ report: (error) => reports.push(error), flush: async () => {} });
    },
  });
  const { core, assembly, load } = service;
  handle = assembly.get(ID.app);
  const dispatcher = assembly.get(ID.dispatcher);
  dispatcher.start(core.deliverWebhooks);
  context.after(async () => {
    await server.stop();
    await dispatcher.stop();
    await service.stop();
    assert.deepEqual(reports, []);
  });
  return {
    url,
    core,
    database: service.database,
    requests,
    advanceClock(milliseconds) {
      aheadMs += milliseconds;
    },
    load,
    async importMeetings(meetings) {
      const { database: into } = service;
      assert.ok(into !== null, 'there is no database');
      const items = datasetRecords({ meetings }).map((record, index) => ({ line: index + 1, record }));
      await importDataset(into, batchesOf(items), { at: new Date() });
    },
    async addOrganization(id) {
      await load({ organizations: [anOrganization(id, { name: `Partner ${id}` })] });
      const { accessKey } = await core.generateAccessKey({ organizationId: id });
      return { baseUrl: `${url}/api/v2`, organizationId: id, accessKey: accessKey.reveal() };
    },
    async accept(invitationUrl) {
      const path = new URL(invitationUrl).pathname;
      const { status, text } = await pageClient({ url, origin: url }).fillIn(path, {
        password: 'a good password',
      });
      assert.equal(status, 303, text);
    },
  };
}

/** Checks a condition until it is true. Fails after 30 s. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isTrue())) {
    assert.ok(performance.now() < end, `not in 30 s: ${what}`);
    await pause(20);
  }
}

async function* batchesOf<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
