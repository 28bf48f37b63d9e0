import type { Actor } from '@rollcall/core';
import type { Database } from '#adapters/sql/index.js';
import { createLog } from '#adapters/system/log.js';
import { type CommandContext, createCommandContext } from '../command-context.js';
import { processEnvironment, readConfig } from '../config.js';
import { Failure } from '../failure.js';
import { adoptKey } from '../key-use.js';
import { openConfigured } from '../open-database.js';
import { say } from '../terminal.js';

/** Whoever runs a command, for the audit trail. */
export const commandLine: Actor = { who: { kind: 'command-line' }, from: null };

/** Runs one command over the configured database, beside a server that may be running. */
export async function withCore(work: (context: CommandContext) => Promise<void> | void): Promise<void> {
  const config = readConfig(processEnvironment, say);
  const database = await openConfigured(config);
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

/** A new database gets its schema by whichever command comes first; an older one is changed only by who means to. */
async function prepareSchema(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  if (pending[0]?.startsWith('0001-') !== true) {
    throw new Failure(`The database lacks ${pending.join(', ')}. Run: rollcall migrate`);
  }
  await database.migrate({ onWait: say });
}
