import { openDatabase } from '#adapters/sql/index.js';
import type { Guide as Printed } from '#app/demo/guide.js';
import { tokenOf } from './api.js';
import { freePort, type Running, start, temporaryDirectory } from './app-cli.js';
import { pageClient } from './page/client.js';

/** What a demo prints as JSON. */
export interface Guide extends Printed {}

/** The fields of answers that the tests read. */
interface Body {
  readonly success: unknown;
  readonly user: { readonly invitation_url: string };
  readonly otl_url: string;
  readonly meetings: readonly Readonly<Record<string, unknown>>[];
  readonly webhook: { readonly url: string };
  readonly delivery: { readonly state: string };
}

export type TestDemo = Awaited<ReturnType<typeof startTestDemo>>;

/** A demo in a temporary directory, which a test can stop and start again. */
export async function startTestDemo() {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  // Everything but PORT is ignored: a demo is the same everywhere.
  const env = {
    PORT: String(await freePort()),
    DATABASE_URL: 'postgres://me@db.example/production',
    SECRET_KEY: 'short',
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://production.example',
  };
  const startProcess = async (...options: readonly string[]): Promise<Running> => {
    const started = start(['demo', ...options], { cwd, env });
    await started.see(/\n/);
    return started;
  };
  let running = await startProcess();
  const guide: Guide = JSON.parse(running.stdout());

  /** Calls the API with the access key of the guide. */
  async function api(path: string, init: { readonly method?: string; readonly body?: unknown } = {}) {
    const token = await tokenOf(new URL(guide.api).origin, guide.access_key);
    const response = await fetch(`${guide.api}/organizations/${guide.organization.id}${path}`, {
      method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  return {
    ...{ cwd, env, api },
    /** What the first start printed. */
    guide,
    /** The process of the latest start. */
    process: () => running,
    /** Starts the demo again, and resolves when it has printed its guide. */
    async start(...options: readonly string[]): Promise<void> {
      running = await startProcess(...options);
    },
    browser() {
      const origin = new URL(guide.pages).origin;
      return pageClient({ url: origin, origin });
    },
    /** The deliveries, invitations and audit entries in the database. */
    history: () => readHistory(guide.database),
    /** Kills the demo and removes its directory. */
    async remove(): Promise<void> {
      await running.discard();
      directory.remove();
    },
  };
}

async function readHistory(file: string) {
  const database = await openDatabase(`sqlite:${file}`);
  const found = await database.write(async (sql) => ({
    deliveries: await sql.all<{ readonly state: string; readonly is_test: number }>(
      'SELECT id, state, is_test FROM deliveries ORDER BY id',
    ),
    reasons: await sql.all<{ readonly reason: string }>('SELECT reason FROM attempts ORDER BY started_at'),
    invitations: await sql.all<{ readonly accepted_at: unknown; readonly revoked_at: unknown }>(
      'SELECT email, accepted_at, revoked_at FROM invitations ORDER BY created_at, id',
    ),
    entries: await sql.all('SELECT action FROM audit_entries ORDER BY id'),
  }));
  await database.close();
  return found;
}
