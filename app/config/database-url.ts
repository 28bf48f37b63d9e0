import { resolve } from 'node:path';
import { Secret } from '@rollcall/core';
import { refuse } from './invalid-value.js';

export type ConfiguredDatabase =
  | {
      readonly engine: 'sqlite';
      /** As configured. */
      readonly url: string;
      /** Absolute path. */
      readonly file: string;
    }
  | {
      readonly engine: 'postgres';
      /** As configured, with `***` instead of the password. */
      readonly url: string;
      readonly connection: Secret;
      /** The schema of the tables. By default, the first one of `search_path`. */
      readonly schema?: string;
    };

export interface ConfiguredReplica {
  /** As configured, with `***` instead of the password. */
  readonly url: string;
  readonly connection: Secret;
  readonly maxLagSeconds: number;
}

export function configuredDatabase(text: string, environment: PgVariables = {}): ConfiguredDatabase {
  if (!/^postgres(ql)?:/i.test(text)) return { engine: 'sqlite', url: text, file: sqliteFile(text) };
  const url = postgresUrl(text, environment);
  return { engine: 'postgres', url: withoutPassword(url), connection: new Secret(url.href) };
}

/** The values of libpq's `sslmode`. */
const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Settings of libpq for several servers. The driver ignores them, and a failover would not work as they promise. */
const ofSeveralServers = ['target_session_attrs', 'load_balance_hosts', 'hostaddr'];

function refuseSeveralServers(text: string): void {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  const query = new URLSearchParams(text.split('?')[1] ?? '');
  const lists = [authority.slice(authority.lastIndexOf('@') + 1), query.get('host'), query.get('port')];
  const unsupported = ofSeveralServers.find((name) => query.has(name));
  if (unsupported === undefined && !lists.some((list) => list?.includes(','))) return;
  const what = unsupported ?? 'several hosts';
  refuse(
    `${what}: not supported. Name one host that always leads to the right server: HAProxy, a virtual IP address, or a DNS name`,
  );
}

/** As `psql` does, which uses them where the URL names none. */
type PgVariables = { readonly PGSSLMODE?: string | undefined; readonly PGSSLROOTCERT?: string | undefined };

function postgresUrl(text: string, { PGSSLMODE = '', PGSSLROOTCERT = '' }: PgVariables): URL {
  refuseSeveralServers(text);
  const url = new URL(text);
  const { searchParams } = url;
  if (PGSSLMODE !== '' && !searchParams.has('sslmode')) searchParams.set('sslmode', PGSSLMODE);
  if (PGSSLROOTCERT !== '' && !searchParams.has('sslrootcert'))
    searchParams.set('sslrootcert', PGSSLROOTCERT);
  if (url.hostname === '' && !searchParams.has('host')) refuse('the URL names no host');
  if (url.pathname.length < 2) refuse('the URL names no database');
  const schema = searchParams.get('schema') ?? 'public';
  if (schema !== 'public') refuse('schema is not a parameter; use options=-c%20search_path%3D<schema>');
  const mode = searchParams.get('sslmode');
  if (mode !== null && !tlsModes.includes(mode)) refuse(`sslmode must be one of ${tlsModes.join(', ')}`);
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) refuse('verify-ca needs sslrootcert');
  return url;
}

export function configuredReplica(url: URL, maxLagSeconds: number): ConfiguredReplica {
  return { url: withoutPassword(url), connection: new Secret(url.href), maxLagSeconds };
}

export function replicaAddress(text: string, environment: PgVariables = {}): URL {
  if (/^postgres(ql)?:/i.test(text)) return postgresUrl(text, environment);
  return refuse(foreignReason(text));
}

export function hasPassword(connection: Secret): boolean {
  const { password, searchParams } = new URL(connection.reveal());
  return password !== '' || searchParams.has('password');
}

function withoutPassword(url: URL): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  if (shown.searchParams.has('password')) shown.searchParams.set('password', '***');
  return shown.href;
}

/** What other programs write for the same database. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/^jdbc:/i, 'a URL that begins with jdbc: is for Java; leave jdbc: out'],
  [/^postgres(?:ql)?\+\w+:/i, 'the name of a driver after + is for Python; leave it out'],
  [/^["']/, 'the value begins with a quotation mark; leave the quotation marks out'],
];

function foreignReason(text: string): string | undefined {
  return foreign.find(([pattern]) => pattern.test(text))?.[1];
}

function sqliteFile(text: string): string {
  const reason = foreignReason(text);
  if (reason !== undefined) refuse(reason);
  const path = /^sqlite:(?!\/\/[^/])(.+)$/.exec(text)?.[1]?.trim() ?? '';
  if (path === '' || path.includes('\0')) return refuse();
  if (path === ':memory:') refuse('a database in memory is lost after every command');
  if (/[\\/]$/.test(path)) refuse('the path names a directory');
  return resolve(path);
}
