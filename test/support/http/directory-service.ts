import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { aUser } from '@rollcall/core/testing';
import { httpClient } from './client.js';
import type { Reply } from './reply.js';
import { type StartHttpService, startHttpService } from './service.js';

/** What a directory answers, with the body that was parsed. */
export interface DirectoryReply extends Reply {
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any form
  readonly scim: any;
}

export type DirectoryService = Awaited<ReturnType<typeof startDirectoryService>>;
export type DirectoryOrganization = Awaited<ReturnType<DirectoryService['directory']>>;

export async function startDirectoryService(given: StartHttpService = {}) {
  const service = await startHttpService(given);
  const client = httpClient(service.client.port, () => {});
  return {
    ...service,
    /** The directory of an organization whose user `owner` is the only member. */
    async directory() {
      const { id } = await service.organization({}, (number) => ({
        users: [aUser(7000 + number)],
        memberships: [{ organizationId: number, userId: 7000 + number, role: 'owner', idpId: null }],
      }));
      const { token: secret } = await service.core.issueDirectoryToken({ organization: { id } });
      const token = secret.reveal();
      const { uuid, email, id: userId } = aUser(7000 + id);
      /** The path follows `/scim/v2/:id`. */
      const send = async (
        method: string,
        path: string,
        body?: unknown,
        headers: OutgoingHttpHeaders = {},
      ): Promise<DirectoryReply> => {
        const type = body === undefined ? {} : { 'Content-Type': 'application/scim+json; charset=utf-8' };
        const reply = await client.send(method, `/scim/v2/${id}${path}`, {
          headers: { Authorization: `Bearer ${token}`, ...type, ...headers },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        });
        assert.equal(reply.headers['content-type'], 'application/scim+json; charset=utf-8');
        return { ...reply, scim: reply.text === '' ? null : JSON.parse(reply.text) };
      };
      return {
        ...{ id, token, send, owner: { id: userId, uuid, email } },
        /** Adds a person and returns the id. */
        async add(body: object): Promise<string> {
          const { status, scim } = await send('POST', '/Users', body);
          assert.equal(status, 201, JSON.stringify(scim));
          return scim.id;
        },
      };
    },
    async stop(): Promise<void> {
      client.close();
      await service.stop();
    },
  };
}
