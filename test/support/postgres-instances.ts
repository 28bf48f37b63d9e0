import { freePort, type Running, start } from './app-cli.js';
import { wrongKeyLimitVariable } from './wrong-key-limit.js';

export const accessKey = '1'.repeat(24);

/** Organization 7 with its owner, for an import. */
export const dataset = [
  { kind: 'organization', id: 7, name: 'Northwind', access_key: accessKey },
  {
    kind: 'user',
    id: 1,
    uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001',
    email: 'owner@example.test',
    first_name: 'O',
    last_name: 'W',
  },
  { kind: 'membership', organization_id: 7, user_id: 1, role: 'owner' },
]
  .map((record) => JSON.stringify(record))
  .join('\n');

export interface ServedInstance {
  readonly server: Running;
  readonly url: string;
}

/** The origin of every page, whichever instance answers. */
export const PUBLIC_URL = 'http://127.0.0.1:3000';

/** Starts an instance, and resolves when it listens. */
export async function startServing({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<ServedInstance> {
  const port = await freePort();
  const server = start(['serve'], {
    cwd,
    env: { ...env, PORT: String(port), PUBLIC_URL, ...wrongKeyLimitVariable(3) },
  });
  await server.see(/"msg":"Listening"/).catch((error: unknown) => {
    server.child.kill('SIGKILL');
    throw error;
  });
  return { server, url: `http://127.0.0.1:${port}` };
}

/** The status of the readiness probe. */
export async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}
