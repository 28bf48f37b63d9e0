import type { ServerResponse } from 'node:http';
import { HttpError } from './errors.js';
import { localsOf } from './locals.js';
import { type Operation, type OperationHandler, type OperationWorld, operationHandler } from './operation.js';
import { authenticate } from './routes/authenticate.js';
import { exportMeetings, exportMeetingsByPost } from './routes/export-meetings.js';
import { inviteUser } from './routes/invite-user.js';
import { issueLoginLink, issueLoginLinkBySegment } from './routes/issue-login-link.js';
import { listUpcomingMeetings } from './routes/list-upcoming-meetings.js';
import { changeWebhook, createWebhook, readWebhook } from './routes/webhook.js';

/** The interface below this is version 2. */
export const API_BASE = '/api/v2';

/** Finds who answers a path; null: it is none of the interface. */
export type Api = (method: string, path: string) => FoundOperation | null;

export interface FoundOperation {
  /** The path with its variables as `:name`. */
  readonly route: string;
  /** The decoded variables of the path; those that can't be decoded are left out. */
  readonly path: Readonly<Record<string, string>>;
  /** Null: the path has no such method. */
  readonly handle: OperationHandler | null;
  /** For `Allow`. */
  readonly allowed: readonly string[];
}

/**
 * Every URL of section 4, in its order. A path is matched exactly: another case or a slash at the end is an
 * unknown path. HEAD answers wherever GET does. Express is not asked: it takes as much time as a small answer.
 */
export function createApi(world: OperationWorld): Api {
  const { get, post, patch, find } = table(world);

  post('/authenticate', authenticate);
  post('/organizations/:organizationId/invite_user', inviteUser);
  post('/organizations/:organizationId/users/:uuid/generate_otl_url', issueLoginLink);
  post('/organizations/:organizationId/users/:uuid/one_time_login_link', issueLoginLinkBySegment);
  get('/organizations/:organizationId/members/:idpId/upcoming_meetings', listUpcomingMeetings);
  get('/organizations/:organizationId/webhook', readWebhook);
  post('/organizations/:organizationId/webhook', createWebhook);
  patch('/organizations/:organizationId/webhook', changeWebhook);
  get('/organizations/:organizationId/export_meetings', exportMeetings);
  post('/organizations/:organizationId/export_meetings', exportMeetingsByPost);

  return find;
}

interface Endpoint {
  readonly route: string;
  readonly segments: readonly string[];
  readonly handlers: Map<string, OperationHandler>;
}

function table(world: OperationWorld) {
  const endpoints: Endpoint[] = [];
  const endpointOf = (route: string): Endpoint => {
    const known = endpoints.find((endpoint) => endpoint.route === route);
    if (known !== undefined) return known;
    const fresh = { route, segments: route.split('/'), handlers: new Map() };
    endpoints.push(fresh);
    return fresh;
  };
  const add =
    (...methods: readonly string[]) =>
    (path: string, operation: Operation): void => {
      const route = `${API_BASE}${path}`;
      const handler = operationHandler(world, { ...operation, route });
      for (const method of methods) endpointOf(route).handlers.set(method, handler);
    };
  return { get: add('GET', 'HEAD'), post: add('POST'), patch: add('PATCH'), find: finder(endpoints) };
}

function finder(endpoints: readonly Endpoint[]): Api {
  return (method, path) => {
    const segments = path.split('/');
    const endpoint = endpoints.find((candidate) => fits(candidate.segments, segments));
    if (endpoint === undefined) return null;
    const { route, handlers } = endpoint;
    const handle = handlers.get(method) ?? null;
    return { route, path: variablesOf(endpoint, segments), handle, allowed: [...handlers.keys()] };
  };
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

function variablesOf(
  { segments: pattern }: Endpoint,
  segments: readonly string[],
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const value = part.startsWith(':') ? decoded(segments[index] ?? '') : null;
    if (value !== null) variables[part.slice(1)] = value;
  }
  return variables;
}

function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Answers 405 and says which methods there are. */
export function refuseMethod(
  response: ServerResponse,
  { route, allowed }: Pick<FoundOperation, 'route' | 'allowed'>,
): never {
  localsOf(response).route = route;
  throw new HttpError('method-not-allowed', { headers: { Allow: allowed.join(', ') } });
}
