import type { BenchOrganization } from './data.js';
import type { Engine, Subject } from './servers.js';
import type { Result } from './table.js';

/** What every measurement works with. */
export interface Bench {
  readonly engine: Engine;
  readonly product: Subject;
  readonly floor: Subject;
  /** What small requests are judged against: Express costs a constant 0.06 to 0.08 ms of CPU a request. */
  readonly floorBehindExpress: Subject;
  /** A bearer token of the organization. */
  tokenOf(organization: BenchOrganization): string;
  /** The servers' core, if there is one to have. */
  readonly core: number | null;
  /** The URL of an empty database of the engine. */
  another(name: string): Promise<string>;
}

/** One measured thing: a file of its own, named on the command line by `name`. */
export interface Measurement {
  readonly name: string;
  /** Whether it reads the organization with a million meetings. */
  readonly readsMillion?: boolean;
  run(bench: Bench): Promise<readonly Result[]>;
}
