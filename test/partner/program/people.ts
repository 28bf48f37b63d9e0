import type { Connection } from './connection.js';

/** An employee of the partner, as in its own records. */
export interface Employee {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** The ID in the partner's identity provider. */
  readonly idpId?: string;
}

/** What the partner notes about an employee. */
export interface Note {
  /** The UUID. */
  readonly id: string;
  readonly idpId: string | null;
  readonly state: 'invited' | 'member' | 'revoked' | 'left';
  /** Only while invited. */
  readonly url: string | null;
}

/** By email address. */
export type Notes = Map<string, Note>;

const wireOf = ({ email, firstName, lastName, idpId }: Employee) => ({
  email,
  first_name: firstName,
  last_name: lastName,
  ...(idpId !== undefined && { idp_id: idpId }),
});

export async function invite({ api, id }: Connection, employee: Employee): Promise<Note> {
  const body = wireOf(employee);
  const { user } = await api.post('/organizations/{id}/invite_user', { params: { path: { id } }, body });
  return { id: user.id, idpId: employee.idpId ?? null, state: 'invited', url: user.invitation_url };
}

/** Invites up to 500 employees. With the same key, this can be repeated. */
export async function inviteAll({ api, id }: Connection, employees: readonly Employee[], key: string) {
  const { results } = await api.post('/organizations/{id}/invite_users', {
    params: { path: { id }, header: { 'Idempotency-Key': key } },
    body: { users: employees.map(wireOf) },
  });
  return results;
}

/** Corrects an invitation. The employee needs the new URL. */
export async function correct(
  { api, id }: Connection,
  uuid: string,
  correction: { readonly first_name?: string; readonly last_name?: string; readonly idp_id?: string },
) {
  const params = { path: { id, uuid } };
  const { invitation } = await api.post('/organizations/{id}/invitations/{uuid}/renew', {
    params,
    body: correction,
  });
  return invitation;
}

export async function revoke({ api, id }: Connection, uuid: string): Promise<void> {
  await api.post('/organizations/{id}/invitations/{uuid}/revoke', { params: { path: { id, uuid } } });
}

export async function remove({ api, id }: Connection, uuid: string): Promise<void> {
  await api.delete('/organizations/{id}/users/{uuid}', { params: { path: { id, uuid } } });
}

export async function setIdpId({ api, id }: Connection, uuid: string, idpId: string) {
  const params = { path: { id, uuid } };
  const body = { user: { idp_id: idpId } };
  return (await api.patch('/organizations/{id}/users/{uuid}', { params, body })).user;
}

export async function readUser({ api, id }: Connection, uuid: string) {
  return (await api.get('/organizations/{id}/users/{uuid}', { params: { path: { id, uuid } } })).user;
}

/** The upcoming meetings of a member with an `idp_id`. */
export function meetingsByIdpId({ api, id }: Connection, idpId: string) {
  return api.get('/organizations/{organization_id}/members/{id}/upcoming_meetings', {
    params: { path: { organization_id: id, id: idpId } },
  });
}

/** The upcoming meetings of any member. */
export function meetingsByUuid({ api, id }: Connection, uuid: string) {
  const params = { path: { id, uuid } };
  return api.get('/organizations/{id}/users/{uuid}/upcoming_meetings', { params });
}

/** Writes the notes again, from nothing. */
export async function recoverNotes({ api, id }: Connection): Promise<Notes> {
  const notes: Notes = new Map();
  const params = { path: { id }, query: { limit: 100 } };
  // The newest invitation of an address comes first. Those that it replaced do not matter.
  for await (const invitation of api.items('/organizations/{id}/invitations', { params })) {
    const { email, state } = invitation;
    if (state === 'replaced' || notes.has(email)) continue;
    const found = { pending: 'invited', accepted: 'left', revoked: 'revoked' } as const;
    const { id: uuid, idp_id: idpId, invitation_url: url } = invitation;
    notes.set(email, { id: uuid, idpId, state: found[state], url });
  }
  for await (const user of api.items('/organizations/{id}/users', { params }))
    notes.set(user.email, { id: user.id, idpId: user.idp_id, state: 'member', url: null });
  return notes;
}
