import assert from 'node:assert/strict';
import { openapi } from '@rollcall/contracts';
import { testUuid } from '@rollcall/core/testing';
import type { Sent } from './client.js';
import { apiBase } from './service.js';

const queries: Readonly<Record<string, string>> = {
  listInvitations: '?state=pending&limit=5',
  listUsers: '?search=dana&limit=5',
  readMeetingChanges: '?column=name',
  exportMeetings: '?column[]=name',
};

const bodies: Readonly<Record<string, object>> = {
  inviteUser: { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' },
  inviteUsers: { users: [{ email: 'kim@northwind.test', first_name: 'Kim', last_name: 'Lee' }] },
  renewInvitation: { first_name: 'Dana' },
  changeUser: { user: { idp_id: 'dana' } },
  createWebhook: { webhook: { enabled: false } },
  changeWebhook: { webhook: { enabled: false } },
  redeliverFailed: { since: '2026-11-20T12:00:00.000Z' },
  exportMeetingsByPost: { column: ['name'] },
};

interface Operation {
  readonly operationId?: string;
  readonly requestBody?: unknown;
  /** Only operations without a token have it. */
  readonly security?: unknown;
}

/** A call of the operation, whose path follows `/organizations/:id`. */
function callOf(path: string, method: string, { operationId: id = '', requestBody }: Operation) {
  assert.equal(id in bodies, requestBody !== undefined, `add a body for ${id} to ${import.meta.filename}`);
  const filled = path
    .replace(/^\/organizations\/\{\w+\}/, '')
    .replace('{uuid}', testUuid(1))
    .replace('{delivery_id}', '1')
    .replace('{id}', 'idp-1');
  const sent: Sent = id in bodies ? { json: bodies[id] } : {};
  return { id, method: method.toUpperCase(), path: `${filled}${queries[id] ?? ''}`, sent };
}

/** One call of every operation that needs a token. */
export const securedCalls = Object.entries(openapi().paths).flatMap(([path, item]) =>
  Object.entries(item as Readonly<Record<string, Operation>>)
    .filter(([, { operationId, security }]) => operationId !== undefined && security === undefined)
    .map(([method, operation]) => callOf(path, method, operation)),
);

/** The operations that have a body. */
export const callsWithBody = securedCalls.filter(({ sent }) => sent.json !== undefined);

export function pathOf(organizationId: number | string, path: string): string {
  return `${apiBase}/organizations/${organizationId}${path}`;
}
