import { createInterface } from 'node:readline';
import { Failure } from '../failure.js';
import { isTerminal, print, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';

/** The options of a command that removes something for good. */
export interface RemovalOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Refuses a command that could ask nobody. */
export function requireAnswerer({ yes = false, dryRun = false }: RemovalOptions): void {
  if (!yes && !dryRun && !isTerminal.stdin()) throw new UsageError('Without a terminal, --yes is required.');
}

export function printCounts(counts: Readonly<Record<string, number>>): void {
  for (const [what, count] of Object.entries(counts))
    print(`${what.replaceAll('_', ' ').padEnd(18)} ${String(count).padStart(9)}`);
}

/** Asks, and throws unless the answer is yes. */
export async function confirm(verb: string, participle: string): Promise<void> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  prompt.once('SIGINT', () => prompt.close());
  try {
    prompt.setPrompt(`This cannot be undone. Type yes to ${verb}: `);
    prompt.prompt();
    // Ctrl+C and Ctrl+D close it.
    const answer = await new Promise<string | null>((resolve) => {
      prompt.once('line', resolve);
      prompt.once('close', () => resolve(null));
    });
    if (answer === null) say('');
    if (answer?.trim().toLowerCase() !== 'yes') throw new Failure(`Nothing was ${participle}.`);
  } finally {
    prompt.close();
  }
}
