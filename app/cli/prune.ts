import { compact, prune } from '@rollcall/sql/maintenance';
import { print, printJson, say } from '../terminal.js';
import { withJsonNames } from './json-names.js';
import { notCompacted } from './personal-data.js';
import { type JsonOptions, withCore } from './with-core.js';

export async function pruneCommand({
  dryRun = false,
  compact: isCompacting = false,
  json,
}: JsonOptions & { readonly dryRun?: boolean; readonly compact?: boolean }): Promise<void> {
  await withCore(async ({ database, clock, config: { deliveryRetentionDays, eventRetentionDays } }) => {
    const pruned = await prune(database, {
      now: clock.now(),
      deliveryRetentionDays,
      eventRetentionDays,
      dryRun,
    });
    const counts = withJsonNames({ ...pruned });
    if (isCompacting && !dryRun) {
      const problem = await compact(database);
      if (problem !== null) say(notCompacted[problem]);
    }
    if (json === true) return printJson({ dry_run: dryRun, ...counts });
    say(dryRun ? 'Would delete:' : 'Deleted:');
    for (const [what, count] of Object.entries(counts))
      print(`${what.padEnd(13)} ${String(count).padStart(9)}`);
  });
}
