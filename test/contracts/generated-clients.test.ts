import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type HttpService, startHttpService, type TestOrganization } from '../support/http/service.js';
import { root } from '../support/packed-core.js';

/** What a partner's program prints, with any generated client. */
const expected = {
  health: 'ok',
  ready: 'ok',
  invited: 'dana@example.test',
  users: 0,
  webhook: null,
  refused: 422,
};

const environment =
  'const { env: { BASE_URL: baseUrl = "", ACCESS_KEY: access_key = "", ORGANIZATION: id = "" } } = process;';
const person = '{ email: "dana@example.test", first_name: "Dana", last_name: "Kim" }';

const withOpenapiFetch = `
  import createClient from 'openapi-fetch';
  import type { paths } from './openapi.js';
  ${environment}
  const client = createClient<paths>({ baseUrl });
  const { data: health } = await client.GET('/healthz');
  const { data: ready } = await client.GET('/readyz');
  const { data: access } = await client.POST('/authenticate', { body: { access_key } });
  client.use({ onRequest: ({ request }) => request.headers.set('Authorization', \`Bearer \${access?.token}\`) });
  const { data: invited } = await client.POST('/organizations/{id}/invite_user', { params: { path: { id } }, body: ${person} });
  const { data: list } = await client.GET('/organizations/{id}/users', { params: { path: { id }, query: { limit: 10 } } });
  const ofWebhook = { params: { path: { organization_id: id } } };
  const { data: webhook } = await client.GET('/organizations/{organization_id}/webhook', ofWebhook);
  const { error, response } = await client.PATCH('/organizations/{organization_id}/webhook', { ...ofWebhook, body: { webhook: { enabled: true } } });
  console.log(JSON.stringify({
    health: health?.status, ready: ready?.status, invited: invited?.user.email, users: list?.users.length,
    webhook: webhook?.webhook, refused: error === undefined ? 0 : response.status,
  }));`;

const withHeyApi = `
  import { client } from './hey-api/client.gen.js';
  import { authenticate, changeWebhook, inviteUser, listUsers, readHealth, readReadiness, readWebhook } from './hey-api/index.js';
  ${environment}
  client.setConfig({ baseUrl });
  const { data: health } = await readHealth();
  const { data: ready } = await readReadiness();
  const { data: access } = await authenticate({ body: { access_key } });
  client.setConfig({ auth: () => access?.token });
  const { data: invited } = await inviteUser({ path: { id }, body: ${person} });
  const { data: list } = await listUsers({ path: { id }, query: { limit: 10 } });
  const { data: webhook } = await readWebhook({ path: { organization_id: id } });
  const { error, response } = await changeWebhook({ path: { organization_id: id }, body: { webhook: { enabled: true } } });
  console.log(JSON.stringify({
    health: health?.status, ready: ready?.status, invited: invited?.user.email, users: list?.users.length,
    webhook: webhook?.webhook, refused: error === undefined ? 0 : response?.status,
  }));`;

const tools = join(root, 'contracts/node_modules');

describe('A client that is generated from /openapi.json', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-clients-')));
  let service: HttpService;
  let organization: TestOrganization;
  before(async () => {
    service = await startHttpService();
    const document = await fetch(`http://127.0.0.1:${service.client.port}/openapi.json`);
    writeFileSync(join(folder, 'openapi.json'), await document.text());
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  for (const { name, generate, source } of [
    {
      name: 'openapi-typescript and openapi-fetch',
      generate: ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'openapi.ts'],
      source: withOpenapiFetch,
    },
    {
      name: 'hey-api',
      generate: ['@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey-api', '--no-log-file'],
      source: withHeyApi,
    },
  ]) {
    test(`${name}: compiles, and works with one base URL`, async () => {
      organization = await service.organization();
      const [tool = '', ...options] = generate;
      await node(join(tools, tool), ...options);
      const file = `${name.replaceAll(' ', '-')}.ts`;
      writeFileSync(join(folder, file), source);
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      const compiled = [
        '--outDir',
        'dist',
        '--strict',
        '--skipLibCheck',
        '--target',
        'ES2023',
        '--lib',
        'ES2023,DOM',
      ];
      await node(
        join(root, 'node_modules/typescript/bin/tsc'),
        ...compiled,
        ...types,
        '--module',
        'nodenext',
        file,
      );
      const output = await node(join('dist', file.replace('.ts', '.js')));
      assert.deepEqual(JSON.parse(output), expected);
    });
  }

  async function node(...args: readonly string[]): Promise<string> {
    const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, ...env } = process.env;
    const { id, accessKey } = organization;
    const own = {
      BASE_URL: `http://127.0.0.1:${service.client.port}/api/v2`,
      ACCESS_KEY: accessKey,
      ORGANIZATION: String(id),
    };
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { ...env, ...own },
      timeout: 120_000,
    });
    return stdout;
  }
});
