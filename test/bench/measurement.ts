import type { BenchOrganization } from './data.js';
import type { Engine, Subject } from './servers.js';
import type { Result } from './table.js';

/** The servers and databases of a measurement. */
export interface Bench {
  readonly engine: Engine;
  readonly product: Subject;
  readonly floor: Subject;
  /** The reference for small requests: Express costs a constant 0.06 to 0.08 ms of CPU a request. */
  readonly floorBehindExpress: Subject;
  /** A bearer token of the organization. */
  tokenOf(organization: BenchOrganization): string;
  /** The servers' own core; null if the cores are shared. */
  readonly core: number | null;
  /** Creates an empty database of the engine, and returns its URL. */
  another(name: string): Promise<string>;
}

/** One measurement, in its own file. `name` selects it on the command line. */
export interface Measurement {
  readonly name: string;
  /** Whether it reads the organization with a million meetings. */
  readonly readsMillion?: boolean;
  run(bench: Bench): Promise<readonly Result[]>;
}
