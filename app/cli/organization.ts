import type { Organization } from '@rollcall/core';
import { print, printJson, say } from '../terminal.js';
import { table } from './table.js';
import { commandLine, withCore } from './with-core.js';

export async function createOrganizationCommand(options: {
  readonly name: string;
  readonly eap: boolean;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async ({ core }) => {
    const organization = await core.createOrganization({
      name: options.name,
      eap: options.eap,
      by: commandLine,
    });
    if (options.json === true) return printJson(toJson(organization));
    say(`Created organization ${organization.name} with the id:`);
    print(String(organization.id));
  });
}

export async function listOrganizationsCommand(options: { readonly json?: boolean }): Promise<void> {
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

function toJson({ id, name, eap, accessKeyGeneration }: Organization) {
  return { id, name, eap, access_key: accessKeyGeneration > 0 };
}
