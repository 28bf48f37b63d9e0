import type { Actor } from '@rollcall/core';
import { createLog } from '@rollcall/node/log';
import type { Database } from '@rollcall/sql';
import { type CommandContext, createCommandContext } from '../command-context.js';
import { processEnvironment, readConfig } from '../config.js';
import { Failure } from '../failure.js';
import { adoptKey } from '../key-use.js';
import { openConfiguredDatabase } from '../open-configured-database.js';
import { say } from '../terminal.js';

/** The actor of all commands in the audit trail. */
export const commandLine: Actor = { who: { kind: 'command-line' }, from: null };

export interface JsonOptions {
  readonly json?: boolean;
}

export interface OrganizationOptions extends JsonOptions {
  readonly organization: number;
}

/** Runs a command on the configured database. A server may be running on it. */
export async function withCore(work: (context: CommandContext) => Promise<void> | void): Promise<void> {
  const config = readConfig(processEnvironment, say);
  const database = await openConfiguredDatabase(config);
  try {
    await prepareSchema(database);
    const log = createLog({ level: 'warn', destination: { write: (line) => process.stderr.write(line) } });
    const context = createCommandContext({ config, database, log });
    await adoptKey(context);
    await context.clock.measure();
    await work(context);
  } finally {
    await database.close();
  }
}

/** The first command creates the schema of a new database. Older schemas are changed by `migrate` and `serve` only. */
async function prepareSchema(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  if (pending[0]?.startsWith('0001-') !== true) {
    throw new Failure(
      `The database schema is out of date (${pending.join(', ')} missing). Run: rollcall migrate`,
    );
  }
  await database.migrate({ onWait: say });
}
