import type { Directory, NotWritten } from '@rollcall/core';
import { maxDirectoryRequests } from '@rollcall/core/rules';
import { raw } from '../engine/sql-text.js';
import { execute } from '../engine/statements.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import {
  countPeople,
  listInactive,
  listPeople,
  personBy,
  personByUuid,
  storedRequest,
} from './directory-row.js';
import { RolledBack } from './members.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';
import { changePerson, createPerson, Refused, removePerson } from './write-directory.js';

/** Retries when others register or invite the person at the same time. */
const MAX_ROUNDS = 5;

export function sqlDirectory({ engine, read, write }: StorageDatabase): Directory {
  return {
    byUuid: ({ organizationId, uuid }) => personByUuid(read, organizationId, uuid),
    byUserName: ({ organizationId, userName: value }) =>
      personBy(read, 'userName', { organizationId, value }),
    byExternalId: ({ organizationId, externalId: value }) =>
      personBy(read, 'externalId', { organizationId, value }),
    byEmail: ({ organizationId, email: value }) => personBy(read, 'email', { organizationId, value }),
    list: (rows) => listPeople(read, rows),
    listInactive: (query) => listInactive({ engine, read }, query),
    counts: (organizationId) => countPeople(read, organizationId),

    create: (fresh, journal) =>
      unlessOrganizationUnknown({ read }, fresh.organizationId, () =>
        afterOthers(() => write((sql) => createPerson(sql, fresh, journal))),
      ),
    change: (key, decide, journal) =>
      afterOthers(() => write((sql) => changePerson(sql, key, decide, journal))),
    remove: (key, journal) => write((sql) => removePerson(sql, key, journal)),

    async record({ organizationId, at, method, status, reason, uuid }) {
      await write(
        async (sql) => {
          await execute(sql)`INSERT INTO directory_requests
              (organization_id, at, method, status, reason, uuid)
            SELECT id, ${at}, ${method}, ${status}, ${reason}, ${uuid} FROM organizations
              WHERE id = ${organizationId}`;
          await execute(sql)`DELETE FROM directory_requests WHERE id IN (
              SELECT id FROM directory_requests WHERE organization_id = ${organizationId}
              ORDER BY at DESC, id DESC LIMIT 1000 OFFSET ${raw(maxDirectoryRequests)}
            )`;
        },
        { isMinor: true },
      );
    },

    requests: ({ organizationId, limit }) =>
      storedRequest.all(read)`FROM directory_requests WHERE organization_id = ${organizationId}
        ORDER BY at DESC, id DESC LIMIT ${limit}`,
  };
}

/** Tries again if another transaction has just made what this one wanted to make. */
async function afterOthers<Answer>(work: () => Promise<Answer>): Promise<Answer | NotWritten> {
  for (let round = 1; ; round += 1)
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused) return error.reason;
      const isLost = error instanceof RolledBack || isPostgresConstraintError(error);
      if (!isLost) throw error;
      if (error instanceof RolledBack && error.reason.startsWith('idp-id')) return 'external-id-taken';
      if (round === MAX_ROUNDS) throw error;
    }
}
