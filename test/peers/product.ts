import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenOf } from '../support/api.js';
import { freePort, run, startAlone, temporaryDirectory } from '../support/app-cli.js';
import { testAuthority } from '../support/certificates.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { pageClient } from '../support/page/client.js';
import { ACCESS_KEY, COLUMNS, OWNER, PASSWORD, records } from './dataset.js';

/** The running product with the dataset of the peers. */
export interface Product {
  readonly port: number;
  readonly origin: string;
  readonly api: string;
  /** The bearer token of organization 1. */
  readonly token: string;
  readonly mails: MailServer;
  /** Calls the API for organization 1. `at` is another base of it, such as that of a proxy. */
  call(path: string, init?: RequestInit, at?: string): Promise<Response>;
  /** The whole export in a media type. */
  exported(type: string): Promise<string>;
  /** Stores more records. */
  store(records: readonly object[]): Promise<void>;
  /** A browser in which the owner has signed in, or nobody. */
  browser(email: string | null, at?: string): Promise<ReturnType<typeof pageClient>>;
  log(): string;
  /** Stops the process, as a supervisor does. */
  end(): Promise<unknown>;
  /** Kills it, and removes its files. */
  stop(): Promise<void>;
}

export const EXPORT = `export_meetings?reporting_days=all&${COLUMNS.map((key) => `column[]=${key}`).join('&')}`;

export async function startProduct(given: Readonly<Record<string, string>>, node?: string): Promise<Product> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const mails = await startMailServer();
  const origin = `http://localhost:${port}`;
  const authority = join(directory.path, 'authority.pem');
  writeFileSync(authority, (await testAuthority()).cert);
  const env = {
    ...{ PORT: String(port), SERVICE_NAME: 'Rollcall', SECRET_KEY: 'k'.repeat(32), TRUST_PROXY: '1' },
    ...{
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: authority,
      PAGE_LIMIT: '0',
      FEED_LIMIT: '0',
    },
    ...{ SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'rollcall@example.test' },
    ...given,
  };
  const options = { cwd: directory.path, env, ...(node && { node }) };
  const command = async (args: readonly string[], input: string): Promise<void> => {
    const { code, stderr } = await run(args, { ...options, input });
    assert.equal(code, 0, stderr);
  };
  const store = (more: readonly object[]): Promise<void> =>
    command(['import', '-'], more.map((record) => JSON.stringify(record)).join('\n'));
  await store(records);
  await command(['user', 'set-password', '--email', OWNER], PASSWORD);
  const server = startAlone(['serve'], options);
  await server.see(/"msg":"Listening"/);
  const api = `${origin}/api/v2`;
  const token = await tokenOf(origin, ACCESS_KEY);
  const call: Product['call'] = (path, init = {}, at = api) =>
    fetch(`${at}/organizations/1/${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, ...init.headers },
    });
  return {
    ...{ port, origin, api, token, mails, call, store },
    async exported(type) {
      const response = await call(EXPORT, { headers: { Accept: type } });
      assert.equal(response.status, 200);
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    },
    async browser(email, at = origin) {
      const client = pageClient({ url: at, origin });
      if (email === null) return client;
      const { status } = await client.fillIn('/sign-in', { email, password: PASSWORD });
      assert.equal(status, 303);
      return client;
    },
    log: () => server.stdout(),
    end: () => server.stop(),
    async stop() {
      await server.discard();
      await mails.stop();
      directory.remove();
    },
  };
}
