import type { BenchOrganization } from './data.js';
import type { BenchDatabase } from './database.js';
import type { ImportFiles } from './import-data.js';
import type { Served, Subject } from './servers.js';
import type { Result } from './table.js';

/** What has happened to the served database since it was loaded: nothing, or what happens in the long run. */
export type DatabaseState = 'loaded' | 'vacuumed';

/** The servers and databases of a measurement. */
export interface Bench extends Pick<Served, 'engine' | 'core'> {
  readonly state: DatabaseState;
  readonly product: Subject;
  readonly floor: Subject;
  /** The reference for small requests: Express costs a constant 0.06 to 0.08 ms of CPU a request. */
  readonly floorBehindExpress: Subject;
  /** A bearer token of the organization. */
  tokenOf(organization: BenchOrganization): string;
  readonly databases: Pick<BenchDatabase, 'another' | 'copy' | 'drop' | 'rows'>;
  /** The settings for programs with another database. */
  servedOn(url: string): Served;
  /** Null unless `Measurement.imports`. */
  readonly imports: ImportFiles | null;
}

/** One measurement, in its own file. `name` selects it on the command line. */
export interface Measurement {
  readonly name: string;
  /** Whether it reads the organization with a million meetings. */
  readonly readsMillion?: boolean;
  /** Whether it imports the files of import-data.ts. */
  readonly imports?: boolean;
  /** Whether it is also run right after the load. */
  readonly alsoLoaded?: boolean;
  run(bench: Bench): Promise<readonly Result[]>;
}

export const RIGHT_AFTER_THE_LOAD = ', right after the load';

/** The name of work on the served database. */
export function workIn(state: DatabaseState, work: string): string {
  return state === 'loaded' ? `${work}${RIGHT_AFTER_THE_LOAD}` : work;
}
