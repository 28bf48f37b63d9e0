import fc from 'fast-check';
import { type HttpService, startHttpService } from '../../support/http/service.js';
import type { DatabaseKind } from '../../support/storage.js';
import { wrongKeyLimit } from '../../support/wrong-key-limit.js';
import type { Real } from './command.js';
import { curlScript } from './curl-script.js';
import type { Model } from './model.js';
import { Mismatch } from './run-of-calls.js';
import { newModel } from './setup.js';
import { step } from './steps.js';

/** Where a failure can be found again: the database, and fast-check's seed, path and path of the commands. */
interface Replay {
  readonly database: DatabaseKind;
  readonly seed: number;
  readonly path: string;
  readonly commands: string;
}

export interface RunSequences {
  readonly service: HttpService;
  readonly database: DatabaseKind;
  readonly sequences: number;
  readonly steps: number;
  readonly seed: number;
  readonly maxMs?: number;
  /** True by default. */
  readonly isShrunk?: boolean;
  readonly replay?: Replay | undefined;
}

interface Ran {
  readonly sequences: number;
  /** How often each operation answered with each status, such as `readUser 404`. */
  readonly calls: ReadonlyMap<string, number>;
  /** Null: every answer was as the model expects. */
  readonly failure: Failure | null;
}

interface Failure {
  readonly why: string;
  readonly replay: string;
  /** The shrunk sequence, for a service that is running. */
  readonly script: string;
  /** The number of its calls. */
  readonly calls: number;
}

/** Runs random sequences, each with two new organizations, until one fails. That one is shrunk. */
export async function runSequences(given: RunSequences): Promise<Ran> {
  const { service, database, replay, seed } = given;
  const counts = new Map<string, number>();
  let sequences = 0;
  let last: { why: unknown; real: Real } | null = null;
  const commands = fc.commands([step], {
    maxCommands: given.steps,
    size: 'max',
    ...(replay !== undefined && { replayPath: replay.commands }),
  });
  const property = fc.asyncProperty(commands, async (sequence) => {
    sequences += 1;
    const { model, real } = await newModel(service, counts);
    try {
      await fc.asyncModelRun<Model, Real, false, Model>(() => ({ model, real }), sequence);
    } catch (why) {
      last = { why, real };
      throw why;
    }
  });
  const found = await fc.check(property, {
    numRuns: given.sequences,
    endOnFailure: given.isShrunk === false,
    ...(replay === undefined ? { seed } : { seed: replay.seed, path: replay.path }),
    ...(given.maxMs !== undefined && { interruptAfterTimeLimit: given.maxMs }),
  });
  const calls = counts;
  if (!found.failed || found.counterexample === null || last === null)
    return { sequences, calls, failure: null };

  // The last sequence that failed is the shrunk one.
  const { why, real } = last as { why: unknown; real: Real };
  const [shrunk] = found.counterexample as unknown as [{ metadataForReplay(): string }];
  const path = /replayPath="([^"]*)"/.exec(shrunk.metadataForReplay())?.[1] ?? '';
  const text = [database, found.seed, found.counterexamplePath ?? '', path].join(' ');
  const reason = why instanceof Mismatch ? why.message : why instanceof Error ? `${why.stack}` : String(why);
  const again = `STATE_MACHINE_REPLAY='${text}' npm run test:only -- property/state-machine`;
  return {
    sequences,
    calls,
    failure: {
      why: reason,
      replay: text,
      script: curlScript(real.run.calls, { why: reason, replay: again }),
      calls: real.run.calls.filter((call) => 'sent' in call).length,
    },
  };
}

/** Reads what a failure has printed. */
export function readReplay(text: string | undefined): Replay | undefined {
  if (text === undefined || text === '') return undefined;
  const [database = 'memory', seed = '0', path = '', commands = ''] = text.split(' ');
  return { database: database as DatabaseKind, seed: Number(seed), path, commands };
}

/** A service for sequences. Its limits are off. */
export function startForSequences(
  database: DatabaseKind,
  given: Partial<Parameters<typeof startHttpService>[0]> = {},
): Promise<HttpService> {
  return startHttpService({
    database,
    settings: wrongKeyLimit(0),
    // A busy machine must not lose a connection that is kept.
    timeouts: { keepAlive: 600_000 },
    ...given,
  });
}
