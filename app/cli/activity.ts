import type { AuditEntry } from '@rollcall/core';
import { print, printJson, say } from '../terminal.js';
import { organizationOf } from './organization-of.js';
import { table } from './table.js';
import { type OrganizationOptions, withCore } from './with-core.js';

export async function listActivityCommand(
  options: OrganizationOptions & { readonly page: number },
): Promise<void> {
  await withCore(async (context) => {
    const organization = await organizationOf(context, options.organization);
    const { items, page, totalPages } = await context.core.listActivity({ organization, page: options.page });
    if (options.json === true) {
      return printJson({ page, total_pages: totalPages, activity: items.map(toJson) });
    }
    if (items.length === 0) return say('There are no entries on this page of the audit trail.');
    const rows = items.map((entry) => [
      entry.at.toISOString(),
      whoOf(entry),
      entry.actor.from ?? '',
      entry.action,
      entry.subject ?? '',
    ]);
    for (const line of table(['Time', 'Who', 'From', 'Action', 'Subject'], rows)) print(line);
    if (totalPages > page) say(`Page ${page} of ${totalPages}.`);
  });
}

function whoOf({ actor: { who }, user }: AuditEntry): string {
  if (who.kind !== 'user') return who.kind;
  return user?.email ?? `user ${who.userId}`;
}

function toJson({ at, actor, user, action, subject }: AuditEntry) {
  return { at, who: actor.who.kind, user: user?.email ?? null, from: actor.from, action, subject };
}
