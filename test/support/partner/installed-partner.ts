import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as connection from '../../partner/program/connection.js';
import type * as events from '../../partner/program/events.js';
import type * as meetings from '../../partner/program/meetings.js';
import type * as people from '../../partner/program/people.js';
import type * as refusals from '../../partner/program/refusals.js';
import type * as rotation from '../../partner/program/rotation.js';
import { installPackage } from '../packed-packages.js';

/** The modules of the partner's program. */
interface Program {
  readonly connection: typeof connection;
  readonly people: typeof people;
  readonly events: typeof events;
  readonly rotation: typeof rotation;
  readonly meetings: typeof meetings;
  readonly refusals: typeof refusals;
}

/** The sample partner in a folder of its own, with nothing but the packed `@rollcall/contracts`. */
export interface InstalledPartner {
  readonly folder: string;
  /** The modules, which import the package from its tarball. */
  readonly program: Program;
  remove(): void;
}

const compiled = fileURLToPath(new URL('../../partner/program/', import.meta.url));

export async function installPartner(): Promise<InstalledPartner> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-partner-')));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    installPackage('contracts', folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    cpSync(compiled, folder, { recursive: true });
    const load = (name: keyof Program) => import(pathToFileURL(join(folder, `${name}.js`)).href);
    const program = {
      connection: await load('connection'),
      people: await load('people'),
      events: await load('events'),
      rotation: await load('rotation'),
      meetings: await load('meetings'),
      refusals: await load('refusals'),
    };
    return { folder, program, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
