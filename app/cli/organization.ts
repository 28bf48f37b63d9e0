import type { Organization } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import { compact, organizationContents } from '@rollcall/sql/maintenance';
import { datasetRules } from '../dataset/dataset-rules.js';
import { removeOrganization } from '../dataset/remove-organization.js';
import { print, printJson, say } from '../terminal.js';
import { confirm, printCounts, type RemovalOptions, requireAnswerer } from './confirm.js';
import { counted } from './count-text.js';
import { organizationOf } from './organization-of.js';
import { notCompacted } from './personal-data.js';
import { table } from './table.js';
import { commandLine, type JsonOptions, type OrganizationOptions, withCore } from './with-core.js';

export async function createOrganizationCommand(
  options: JsonOptions & { readonly name: string; readonly eap: boolean },
): Promise<void> {
  await withCore(async ({ core }) => {
    const organization = await core.createOrganization({
      name: options.name,
      eap: options.eap,
      by: commandLine,
    });
    const { id, name } = organization;
    const same = (await core.listOrganizations()).filter((other) => other.name === name && other.id !== id);
    if (same.length > 0)
      say(
        `Note: ${same.length === 1 ? 'another organization has' : 'other organizations have'} this name: ${same.map((other) => other.id).join(', ')}.`,
      );
    if (options.json === true) return printJson(toJson(organization));
    say(`Created organization ${name} with the id:`);
    print(String(id));
  });
}

export async function listOrganizationsCommand(options: JsonOptions): Promise<void> {
  await withCore(async ({ core }) => {
    const organizations = (await core.listOrganizations()).map(toJson);
    if (options.json === true) return printJson({ organizations });
    if (organizations.length === 0) {
      return say('No organizations yet. Create one: rollcall organization create --name "…"');
    }
    const rows = organizations.map(({ id, name, eap, access_key }) => [
      String(id),
      name,
      eap ? 'yes' : 'no',
      access_key ? 'yes' : 'no',
    ]);
    for (const line of table(['ID', 'Name', 'EAP', 'Access key'], rows)) print(line);
  });
}

export async function renameOrganizationCommand(
  options: OrganizationOptions & { readonly name: string },
): Promise<void> {
  await withCore(async ({ core }) => {
    const { organization: id, name } = options;
    const renamed = await core.renameOrganization({ organization: { id }, name, by: commandLine });
    if (options.json === true) return printJson(toJson(renamed));
    say(`Organization ${id} is now called ${oneLine(renamed.name)}.`);
  });
}

export async function removeOrganizationCommand(
  options: RemovalOptions & { readonly organization: number },
): Promise<void> {
  const { organization: id, yes = false, dryRun = false, json = false } = options;
  requireAnswerer(options);
  await withCore(async (context) => {
    const { database, clock } = context;
    const { name } = await organizationOf(context, id);
    const { counts, withoutAnother } = await organizationContents(database, id);
    if (!json) {
      say(`${dryRun ? 'Would remove' : 'Removes'} organization ${id}, ${name}:`);
      printCounts(counts);
      if (withoutAnother > 0)
        say(`${counted(withoutAnother, 'member')} without another organization. Their accounts stay.`);
    }
    if (!dryRun) {
      if (!yes) await confirm('remove', 'removed');
      await removeOrganization({ database, rules: datasetRules(context), at: clock.now() }, id);
      const problem = await compact(database);
      if (problem !== null) say(notCompacted[problem]);
      if (!json) say('Removed.');
    }
    if (json) printJson({ dry_run: dryRun, id, name, counts, members_without_another: withoutAnother });
  });
}

function toJson({ id, name, eap, accessKeyGeneration }: Organization) {
  return { id, name, eap, access_key: accessKeyGeneration > 0 };
}
