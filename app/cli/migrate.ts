import { processEnvironment, readConfig } from '../config.js';
import { openConfiguredDatabase } from '../open-configured-database.js';
import { print, printJson, say } from '../terminal.js';

export async function migrateCommand(options: { readonly json?: boolean }): Promise<void> {
  const config = readConfig(processEnvironment, say);
  const database = await openConfiguredDatabase(config);
  try {
    const applied = await database.migrate({ onWait: say });
    if (options.json === true) return printJson({ database: config.database.url, applied });
    if (applied.length === 0) return say(`${config.database.url} is up to date.`);
    say(`Migrations applied to ${config.database.url}:`);
    for (const migration of applied) print(migration);
  } finally {
    await database.close();
  }
}
