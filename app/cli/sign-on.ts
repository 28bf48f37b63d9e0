import { printJson, say } from '../terminal.js';
import { organizationOf } from './organization-of.js';
import { commandLine, type OrganizationOptions, withCore } from './with-core.js';

export async function turnSignOnOffCommand(options: OrganizationOptions): Promise<void> {
  await withCore(async (context) => {
    const organization = await organizationOf(context, options.organization);
    const { issuer } = await context.core.switchSignOn({ organization, to: 'off', by: commandLine });
    if (options.json === true) return printJson({ organization_id: organization.id, issuer, is_on: false });
    say(`Sign-on of ${organization.name} at ${issuer} is off.`);
  });
}
