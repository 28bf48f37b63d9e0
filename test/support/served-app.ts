import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postJson, tokenOf } from './api.js';
import { freePort, type Running, run, start, temporaryDirectory } from './app-cli.js';
import { pageClient } from './page/client.js';

export const accessKey = '1'.repeat(24);

const people = [
  { kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey },
  {
    kind: 'user',
    id: 1,
    uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001',
    email: 'owner@example.test',
    first_name: 'O',
    last_name: 'W',
  },
  { kind: 'membership', organization_id: 1, user_id: 1, role: 'owner' },
];

/** The fields of responses that the tests read. */
export interface Body {
  readonly success: unknown;
  readonly user: { readonly invitation_url: string };
  readonly webhook: { readonly secret: string };
}

export type ServedApp = Awaited<ReturnType<typeof prepareServedApp>>;

/** A directory and a port in which a test starts servers and commands. */
export async function prepareServedApp() {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const port = await freePort();
  const running: Running[] = [];

  /** Starts a server, and resolves when it listens. */
  async function serve(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Running> {
    const server = start(['serve', ...args], { cwd, env: { PORT: String(port), ...env } });
    running.push(server);
    await server.see(/"msg":"Listening"/);
    return server;
  }

  /** Imports organization 1 with its owner. */
  async function importPeople(env: Readonly<Record<string, string>> = {}): Promise<void> {
    writeFileSync(join(cwd, 'people.ndjson'), people.map((record) => JSON.stringify(record)).join('\n'));
    const { code, stderr } = await run(['import', 'people.ndjson'], { cwd, env });
    assert.equal(code, 0, stderr);
  }

  const origin = `http://localhost:${port}`;
  /** A token of organization 1. */
  const token = () => tokenOf(origin, accessKey);

  /** The API with a token of organization 1. */
  async function signedIn() {
    const own = await token();
    return {
      async post(path: string, body: unknown) {
        const answer = await postJson(`${origin}/api/v2/organizations/1${path}`, body, own);
        return (await answer.json()) as Body;
      },
    };
  }

  /** Invites someone and accepts the invitation in a browser. */
  async function register(email: string): Promise<void> {
    const { post } = await signedIn();
    const { user } = await post('/invite_user', { email, first_name: 'Ada', last_name: 'Lovelace' });
    const accepted = await pageClient({ url: origin, origin }).fillIn(new URL(user.invitation_url).pathname, {
      password: 'long enough',
    });
    assert.equal(accepted.status, 303, accepted.text);
  }

  return {
    cwd,
    port,
    serve,
    importPeople,
    token,
    signedIn,
    register,
    /** Kills the servers and removes the directory. */
    async stop() {
      await Promise.all(running.map((one) => one.discard()));
      directory.remove();
    },
  };
}
