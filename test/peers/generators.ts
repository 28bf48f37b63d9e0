import assert from 'node:assert/strict';
import { join } from 'node:path';
import { root } from '../support/packing.js';
import { ACCESS_KEY, jsonRows } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';

interface Generator {
  readonly name: string;
  readonly packages: readonly string[];
  /** The generator's program, below node_modules, and its arguments. */
  readonly generate: readonly [program: string, ...args: readonly string[]];
  readonly config?: string;
  /** Makes the calls, with `base`, `access_key`, `id`, `person`, `webhook`, `columns` and `print`. */
  readonly program: string;
}

/** The parts of kubb that make a client. Its client with fetch joins lists with commas. */
const KUBB = ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'];

const ENVIRONMENT = `
const { BASE: base = '', ACCESS_KEY: access_key = '', ORGANIZATION: id = '', EMAIL: email = '', WEBHOOK: url = '' } = process.env;
const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
const webhook = {
  webhook: { url, enabled: true, events: ['user.registered' as const] },
  regenerate_secret: '1' as const,
};
const columns: ('name' | 'meeting_description' | 'group_leader_id')[] = ['name', 'meeting_description', 'group_leader_id'];
const print = (invited: string, upcoming: number, meetings: readonly object[], secret: string) =>
  console.log(JSON.stringify([invited, upcoming, meetings, secret.length]));
`;

const generators: readonly Generator[] = [
  {
    name: 'orval',
    packages: ['orval@8.38.0'],
    generate: ['orval/dist/bin/orval.mjs', '--config', 'config.mjs'],
    config: `export default { api: { input: './openapi.json', output: { target: './api.ts', client: 'fetch',
      baseUrl: { runtime: 'globalThis.process.env.BASE' } } } };`,
    program: `
      import { authenticate, createWebhook, exportMeetings, inviteUser, listUpcomingMeetings } from './api';
      const access = await authenticate({ access_key });
      if (access.status !== 200) throw new Error('no token');
      const own = { headers: { Authorization: 'Bearer ' + access.data.token } };
      const invited = await inviteUser(id, person, own);
      const upcoming = await listUpcomingMeetings(id, 'idp-0', { items: 3 }, own);
      const exported = await exportMeetings(id, { 'column[]': columns, reporting_days: 'last_month' }, own);
      const hook = await createWebhook(id, webhook, own);
      if (invited.status !== 200 || upcoming.status !== 200 || exported.status !== 200 || hook.status !== 200) throw new Error('refused');
      if (typeof exported.data !== 'object') throw new Error('text');
      print(invited.data.user.email, upcoming.data.meetings.length, exported.data.meetings, hook.data.webhook.secret);`,
  },
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts@0.99.0'],
    generate: ['@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'api', '--no-log-file'],
    program: `
      import { client } from './api/client.gen';
      import { authenticate, createWebhook, exportMeetings, inviteUser, listUpcomingMeetings } from './api';
      client.setConfig({ baseUrl: base, throwOnError: true });
      const access = await authenticate<true>({ body: { access_key } });
      client.setConfig({ auth: access.data.token });
      const invited = await inviteUser<true>({ path: { id }, body: person });
      const upcoming = await listUpcomingMeetings<true>({ path: { organization_id: id, id: 'idp-0' }, query: { items: 3 } });
      const exported = await exportMeetings<true>({ path: { id }, query: { 'column[]': columns, reporting_days: 'last_month' } });
      const hook = await createWebhook<true>({ path: { organization_id: id }, body: webhook });
      if (typeof exported.data !== 'object') throw new Error('text');
      print(invited.data.user.email, upcoming.data.meetings.length, exported.data.meetings, hook.data.webhook.secret);`,
  },
  {
    name: 'oazapfts',
    packages: ['oazapfts@7.5.0', '@oazapfts/runtime'],
    generate: ['oazapfts/dist/cli.js', 'openapi.json', 'api.ts'],
    program: `
      import { authenticate, createWebhook, defaults, exportMeetings, inviteUser, listUpcomingMeetings } from './api';
      defaults.baseUrl = base;
      const access = await authenticate({ access_key });
      if (access.status !== 200) throw new Error('no token');
      defaults.headers = { Authorization: 'Bearer ' + access.data.token };
      const invited = await inviteUser(id, person);
      const upcoming = await listUpcomingMeetings(id, 'idp-0', { items: 3 });
      const exported = await exportMeetings(id, { column: columns, reportingDays: 'last_month' });
      const hook = await createWebhook(id, webhook);
      if (invited.status !== 200 || upcoming.status !== 200 || exported.status !== 200 || hook.status !== 200) throw new Error('refused');
      if (typeof exported.data !== 'object') throw new Error('text');
      print(invited.data.user.email, upcoming.data.meetings.length, exported.data.meetings, hook.data.webhook.secret);`,
  },
  {
    name: 'typed-openapi',
    packages: ['typed-openapi@2.2.7'],
    generate: ['typed-openapi/bin.js', 'openapi.json', '-o', 'api.ts'],
    program: `
      import { createApiClient } from './api';
      let token = '';
      const api = createApiClient({
        fetch: ({ method, url, urlSearchParams, parameters }) => {
          if (urlSearchParams) url.search = urlSearchParams.toString();
          const body = parameters?.body === undefined ? {} : { body: JSON.stringify(parameters.body) };
          const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer ' + token };
          return fetch(url, { method: method.toUpperCase(), headers, ...body });
        },
      }, base);
      token = (await api.post('/authenticate', { body: { access_key } })).token;
      const invited = await api.post('/organizations/{id}/invite_user', { path: { id }, body: person });
      const upcoming = await api.get('/organizations/{organization_id}/members/{id}/upcoming_meetings',
        { path: { organization_id: id, id: 'idp-0' }, query: { items: 3 } });
      const exported = await api.get('/organizations/{id}/export_meetings',
        { path: { id }, query: { 'column[]': columns, reporting_days: 'last_month' } });
      const hook = await api.post('/organizations/{organization_id}/webhook', { path: { organization_id: id }, header: {}, body: webhook });
      if (typeof exported !== 'object') throw new Error('text');
      print(invited.user.email, upcoming.meetings.length, exported.meetings, hook.webhook.secret);`,
  },
  {
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api@13.13.0'],
    generate: [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      '-p',
      'openapi.json',
      '-o',
      '.',
      '-n',
      'api.ts',
    ],
    program: `
      import { Api, Column, EventName, ReportingDays } from './api';
      let token = '';
      const securityWorker = () => ({ headers: { Authorization: 'Bearer ' + token } });
      const api = new Api({ baseUrl: base, securityWorker, baseApiParams: { format: 'json' } });
      token = (await api.authenticate.authenticate({ access_key })).data.token;
      const invited = await api.organizations.inviteUser(id, person);
      const upcoming = await api.organizations.listUpcomingMeetings(id, 'idp-0', { items: 3 });
      const exported = await api.organizations.exportMeetings(id,
        { 'column[]': [Column.Name, Column.MeetingDescription, Column.GroupLeaderId], reporting_days: ReportingDays.LastMonth });
      const hook = await api.organizations.createWebhook(id,
        { ...webhook, webhook: { ...webhook.webhook, events: [EventName.UserRegistered] } });
      print(invited.data.user.email, upcoming.data.meetings.length, exported.data.meetings, hook.data.webhook.secret);`,
  },
  {
    name: 'ng-openapi-gen',
    packages: [
      'ng-openapi-gen@1.1.0',
      '@angular/common@21',
      '@angular/core@21',
      '@angular/compiler@21',
      'rxjs@7',
    ],
    generate: ['ng-openapi-gen/lib/index.js', '--input', 'openapi.json', '--output', 'api'],
    program: `
      import '@angular/compiler';
      import { HttpClient, type HttpRequest, HttpResponse } from '@angular/common/http';
      import { firstValueFrom, from } from 'rxjs';
      import { authenticate, createWebhook, exportMeetings$Json, inviteUser$Json, listUpcomingMeetings } from './api/functions';
      let token = '';
      const send = async (request: HttpRequest<unknown>) => {
        const headers = Object.fromEntries(request.headers.keys().map((name) => [name, request.headers.get(name) ?? '']));
        const own = { 'Content-Type': 'application/json', ...headers, Authorization: 'Bearer ' + token };
        const body = request.body === null ? {} : { body: String(request.serializeBody()) };
        const response = await fetch(request.urlWithParams, { method: request.method, headers: own, ...body });
        return new HttpResponse({ status: response.status, body: await response.json() });
      };
      const http = new HttpClient({ handle: (request) => from(send(request)) });
      token = (await firstValueFrom(authenticate(http, base, { body: { access_key } }))).body.token;
      const invited = await firstValueFrom(inviteUser$Json(http, base, { id, body: person }));
      const upcoming = await firstValueFrom(listUpcomingMeetings(http, base, { organization_id: id, id: 'idp-0', items: 3 }));
      const exported = await firstValueFrom(exportMeetings$Json(http, base, { id, 'column[]': columns, reporting_days: 'last_month' }));
      const hook = await firstValueFrom(createWebhook(http, base, { organization_id: id, body: webhook }));
      print(invited.body.user.email, upcoming.body.meetings.length, exported.body.meetings, hook.body.webhook.secret);`,
  },
  {
    name: 'openapi-zod-client',
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10', 'axios@1', 'zod@3'],
    generate: ['openapi-zod-client/bin.js', 'openapi.json', '-o', 'api.ts', '--with-alias'],
    program: `
      import { createApiClient } from './api';
      const { token } = await createApiClient(base).authenticate({ access_key });
      const api = createApiClient(base, { axiosConfig: { headers: { Authorization: 'Bearer ' + token } } });
      const invited = await api.inviteUser(person, { params: { id } });
      const upcoming = await api.listUpcomingMeetings({ params: { organization_id: id, id: 'idp-0' }, queries: { items: 3 } });
      const exported = await api.exportMeetings({ params: { id }, queries: { 'column[]': columns, reporting_days: 'last_month' } });
      const hook = await api.createWebhook(webhook, { params: { organization_id: id } });
      print(invited.user.email, upcoming.meetings.length, exported.meetings, hook.webhook.secret);`,
  },
  {
    name: 'kubb',
    packages: [...KUBB.map((part) => `@kubb/${part}@4.39.3`), 'axios@1'],
    generate: ['@kubb/cli/bin/kubb.cjs', 'generate', '--config', 'config.mjs'],
    config: `import { defineConfig } from '@kubb/core';
      import { pluginClient } from '@kubb/plugin-client';
      import { pluginOas } from '@kubb/plugin-oas';
      import { pluginTs } from '@kubb/plugin-ts';
      export default defineConfig({
        root: '.', input: { path: './openapi.json' }, output: { path: './api', format: false, lint: false },
        plugins: [pluginOas({ generators: [] }), pluginTs({ output: { path: 'types' } }),
          pluginClient({ output: { path: 'clients' }, client: 'axios' })],
      });`,
    program: `
      import { authenticate, createWebhook, exportMeetings, inviteUser, listUpcomingMeetings } from './api/clients/index';
      import { setConfig } from '@kubb/plugin-client/clients/axios';
      const json = { 'Content-Type': 'application/json' };
      setConfig({ baseURL: base, headers: json });
      const { token } = await authenticate({ access_key });
      setConfig({ baseURL: base, headers: { ...json, Authorization: 'Bearer ' + token } });
      const invited = await inviteUser(id, person);
      const upcoming = await listUpcomingMeetings(id, 'idp-0', { items: 3 });
      const exported = await exportMeetings(id, { 'column[]': columns, reporting_days: 'last_month' });
      const hook = await createWebhook(id, webhook);
      if (typeof exported !== 'object') throw new Error('text');
      print(invited.user.email, upcoming.meetings.length, exported.meetings, hook.webhook.secret);`,
  },
  {
    name: 'openapi-typescript-codegen',
    packages: ['openapi-typescript-codegen@0.31.0'],
    generate: [
      'openapi-typescript-codegen/bin/index.js',
      '--input',
      'openapi.json',
      '--output',
      'api',
      '--useOptions',
    ],
    program: `
      import { AccessService, Column, EventName, MeetingsService, OpenAPI, ReportingDays, UsersService, WebhookService } from './api';
      OpenAPI.BASE = base;
      OpenAPI.TOKEN = (await AccessService.authenticate({ requestBody: { access_key } })).token;
      const invited = await UsersService.inviteUser({ id, formData: person });
      const upcoming = await MeetingsService.listUpcomingMeetings({ organizationId: id, id: 'idp-0', items: 3 });
      const exported = await MeetingsService.exportMeetings({
        id, columnArray: [Column.NAME, Column.MEETING_DESCRIPTION, Column.GROUP_LEADER_ID], reportingDays: ReportingDays.LAST_MONTH });
      const requestBody = { ...webhook, webhook: { ...webhook.webhook, events: [EventName.USER_REGISTERED] } };
      const hook = await WebhookService.createWebhook({ organizationId: id, requestBody });
      print(invited.user.email, upcoming.meetings.length, exported.meetings, hook.webhook.secret);`,
  },
];

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'ES2023',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  allowImportingTsExtensions: true,
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  skipLibCheck: true,
  types: ['node'],
};

const TOOLS = ['typescript@5.9.3', 'esbuild@0.28.2', '@types/node@22'];

async function tryGenerator({ name, generate, config, program }: Generator, context: Context): Promise<void> {
  const { node, cwd } = context;
  const product = await context.product();
  const modules = join(cwd, '../node_modules');
  context.file('openapi.json', await (await fetch(`${product.origin}/openapi.json`)).text());
  if (config !== undefined) context.file('config.mjs', config);
  const [file, ...args] = generate;
  await context.exec(node, [join(modules, file), ...args]);
  const imports = program.match(/^ *import .*$/gm) ?? [];
  const calls = imports.reduce((text, line) => text.replace(line, ''), program);
  context.file('program.ts', [...imports, ENVIRONMENT, calls].join('\n'));
  const include = ['api.ts', 'api/**/*.ts', 'program.ts'];
  context.file('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include }));
  await context.exec(node, [join(modules, 'typescript/bin/tsc')]);
  const bundle = ['--bundle', '--packages=external', '--platform=node', '--format=esm'];
  const esbuild = join(root, 'node_modules/.bin/esbuild');
  await context.exec(esbuild, ['program.ts', ...bundle, '--outfile=program.mjs']);
  const email = `${name}@example.test`;
  const printed = await context.exec(node, ['program.mjs'], {
    ...{ BASE: product.api, ACCESS_KEY, ORGANIZATION: '1', EMAIL: email },
    WEBHOOK: 'https://localhost:3443/webhook',
  });
  const rows = jsonRows.map(({ name, meeting_description, group_leader }) => ({
    ...{ name, meeting_description, group_leader },
  }));
  assert.deepEqual(JSON.parse(printed), [email, 3, rows, 'whsec_'.length + 44]);
}

export const generatorGroup: Group = {
  title: 'Generators of clients',
  tried:
    'A client is generated from the document and compiled in strict mode. It makes the five calls of the README, and exports more than 100 meetings, in which null stays null.',
  peers: generators.map(
    (generator): Peer => ({
      name: generator.name,
      npm: [...generator.packages, ...TOOLS],
      run: (context) => tryGenerator(generator, context),
    }),
  ),
};
