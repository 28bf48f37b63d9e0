import { type Core, type CoreOptions, createCore, type Ports } from '@rollcall/core';
import {
  type Dataset,
  fewCommonPasswords,
  fixedClock,
  memoryLimits,
  plainPasswords,
  recordingSender,
} from '@rollcall/core/testing';
import { createKeyring, type Keyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { randomIds } from '#adapters/node/system/ids.js';
import type { Database } from '#adapters/sql/index.js';
import { type DatabaseKind, startStorage, storageOver } from './storage.js';

/** The initial time of a test service. */
export const testNow = new Date('2026-11-20T12:00:00.000Z');
export const testSecretKey = 'the secret key of the tests, 32+ characters';
export const publicUrl = 'http://localhost:3000';

export interface TestService {
  readonly core: Core;
  readonly ports: Ports;
  readonly keyring: Keyring;
  readonly clock: ReturnType<typeof fixedClock>;
  /** Records the requests instead of sending them. */
  readonly webhookSender: ReturnType<typeof recordingSender>;
  /** The database of the storage, or null in memory. */
  readonly database: Database | null;
  load(dataset: Dataset): Promise<void>;
  stop(): Promise<void>;
}

/** A test service that stores what it has in a database. */
export interface StoredTestService extends TestService {
  readonly database: Database;
}

export interface StartTestService {
  /** The kind of a new database, memory if nothing is given, or an existing one, which is kept. */
  readonly database?: DatabaseKind | Database;
  readonly settings?: Partial<CoreOptions>;
  /** Replacements for the default ports. */
  readonly ports?: Partial<Ports>;
}

/** Starts the core with real secrets and tokens, a fixed clock, and the chosen storage. */
export function startTestService(
  given: StartTestService & { readonly database: Exclude<DatabaseKind, 'memory'> | Database },
): Promise<StoredTestService>;
export function startTestService(given?: StartTestService): Promise<TestService>;
export async function startTestService({
  database = 'memory',
  settings = {},
  ports: given = {},
}: StartTestService = {}): Promise<TestService> {
  const started =
    typeof database === 'string'
      ? await startStorage(database)
      : storageOver({ database, stop: async () => {} });
  const clock = fixedClock(testNow);
  const keyring = createKeyring({ secretKey: testSecretKey, previousSecretKeys: [] });
  const webhookSender = recordingSender();
  const ports: Ports = {
    ...started.storage,
    tokens: jwtTokens(keyring),
    secrets: keyedSecrets(keyring),
    passwords: plainPasswords(),
    commonPasswords: fewCommonPasswords(),
    limits: memoryLimits(clock),
    webhookSender,
    dispatcher: { wake() {} },
    clock,
    ids: randomIds,
    ...given,
  };
  const core = createCore(ports, {
    links: {
      invitation: (token) => `${publicUrl}/invitations/${token.reveal()}`,
      login: (token) => `${publicUrl}/login/${token.reveal()}`,
      setup: (token) => `${publicUrl}/setup/${token.reveal()}`,
      calendar: (token) => `${publicUrl}/calendar/${token.reveal()}.ics`,
      defaultAvatar: `${publicUrl}/assets/default-avatar.svg`,
    },
    ...settings,
  });
  const { load, stop } = started;
  return { core, ports, keyring, clock, webhookSender, database: started.database, load, stop };
}
