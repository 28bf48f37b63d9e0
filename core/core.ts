import { type AccessUseCases, accessNeeds, createAccess } from './access/create-access.js';
import type { PortsOf } from './deps.js';
import { createMeetings, type MeetingsUseCases, meetingsNeeds } from './meetings/create-meetings.js';
import { readDeps } from './read-deps.js';
import type { CoreOptions } from './settings.js';
import { createUsers, type UsersUseCases, usersNeeds } from './users/create-users.js';
import { createWebhooks, type WebhooksUseCases, webhooksNeeds } from './webhooks/create-webhooks.js';

const coreNeeds = [...new Set([...accessNeeds, ...usersNeeds, ...meetingsNeeds, ...webhooksNeeds])];

/** The ports that the use-cases of all chapters need. */
export type CorePorts = PortsOf<(typeof coreNeeds)[number]>;
/** What `createCore` returns: every use-case, bound to the ports. An inferred type would lose the descriptions. */
export interface Core extends AccessUseCases, UsersUseCases, MeetingsUseCases, WebhooksUseCases {}

/**
 * Binds every use-case to the given ports and options and returns them as plain functions. Expected refusals are thrown
 * as `Refusal`, an unreachable adapter as `Unavailable`; anything else that is thrown is a bug. For one chapter alone,
 * call `createAccess`, `createUsers`, `createMeetings` or `createWebhooks`, with fewer ports.
 *
 * @throws `TypeError` that names every port that is missing and every setting that is wrong.
 */
export function createCore(ports: CorePorts, options: CoreOptions): Core {
  readDeps('createCore', coreNeeds, { ports, options });
  return {
    ...createAccess(ports, options),
    ...createUsers(ports, options),
    ...createMeetings(ports, options),
    ...createWebhooks(ports, options),
  };
}
