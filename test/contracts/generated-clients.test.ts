import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type HttpService, startHttpService, type TestOrganization } from '../support/http/service.js';
import { root } from '../support/packing.js';

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

const withOazapfts = `
  import * as api from './oazapfts.js';
  ${environment}
  api.defaults.baseUrl = baseUrl;
  const health = await api.readHealth();
  const ready = await api.readReadiness();
  const access = await api.authenticate({ access_key });
  if (access.status !== 200) throw new Error('no token');
  api.defaults.headers = { Authorization: \`Bearer \${access.data.token}\` };
  const invited = await api.inviteUser(id, ${person});
  const list = await api.listUsers(id, { limit: 10 });
  const webhook = await api.readWebhook(id);
  const refused = await api.changeWebhook(id, { webhook: { enabled: true } });
  console.log(JSON.stringify({
    health: health.status === 200 && health.data.status, ready: ready.status === 200 && ready.data.status,
    invited: invited.status === 200 && invited.data.user.email, users: list.status === 200 && list.data.users.length,
    webhook: webhook.status === 200 && webhook.data.webhook, refused: refused.status,
  }));`;

const withCodegen = `
  import { AccessService, ApiError, OperationService, OpenAPI, UsersService, WebhookService } from './codegen/index.js';
  ${environment}
  OpenAPI.BASE = baseUrl;
  const health = await OperationService.readHealth();
  const ready = await OperationService.readReadiness({});
  OpenAPI.TOKEN = (await AccessService.authenticate({ requestBody: { access_key } })).token;
  const invited = await UsersService.inviteUser({ id, formData: ${person} });
  const list = await UsersService.listUsers({ id, limit: 10 });
  const webhook = await WebhookService.readWebhook({ organizationId: id });
  const refused = await WebhookService.changeWebhook({ organizationId: id, requestBody: { webhook: { enabled: true } } })
    .then(() => 0, (error: unknown) => (error instanceof ApiError ? error.status : -1));
  console.log(JSON.stringify({
    health: health.status, ready: ready.status, invited: invited.user.email, users: list.users.length,
    webhook: webhook.webhook, refused,
  }));`;

/** Generators, and a program with the client that each makes. */
const generators = [
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
  {
    name: 'oazapfts',
    generate: ['oazapfts/dist/cli.js', 'openapi.json', 'oazapfts.ts'],
    source: withOazapfts,
  },
  {
    name: 'openapi-typescript-codegen',
    generate: [
      'openapi-typescript-codegen/bin/index.js',
      ...['--input', 'openapi.json', '--output', 'codegen', '--useOptions'],
    ],
    source: withCodegen,
  },
] as const;

/** The file of a tool that the contracts have for development. */
function toolAt(file: string): string {
  const own = join(root, 'contracts/node_modules', file);
  return existsSync(own) ? own : join(root, 'node_modules', file);
}

const COMPILER_OPTIONS = {
  ...{
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  },
  ...{ module: 'ESNext', moduleResolution: 'Bundler', types: ['node'] },
};

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

  test('compiles in strict mode, from every generator', async () => {
    organization = await service.organization();
    const generate = async ([tool = '', ...options]: readonly string[]) => node(toolAt(tool), ...options);
    await Promise.all(generators.map((generator) => generate(generator.generate)));
    for (const [at, { source }] of generators.entries())
      writeFileSync(join(folder, `program-${at}.ts`), source);
    const files = generators.map((_, at) => `program-${at}.ts`);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }),
    );
    await node(join(root, 'node_modules/typescript/bin/tsc'));
    const options = ['--bundle', '--packages=external', '--platform=node', '--format=esm', '--outdir=dist'];
    await promisify(execFile)(join(root, 'node_modules/.bin/esbuild'), [...files, ...options], {
      cwd: folder,
    });
  });

  for (const [at, { name }] of generators.entries())
    test(`works with one base URL: ${name}`, async () => {
      assert.deepEqual(JSON.parse(await node(join('dist', `program-${at}.js`))), expected);
    });

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
      timeout: 240_000,
    });
    return stdout;
  }
});
