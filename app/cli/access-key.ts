import { print, printJson, say } from '../terminal.js';
import { commandLine, type OrganizationOptions, withCore } from './with-core.js';

export async function generateAccessKeyCommand(
  options: OrganizationOptions & { readonly keepOldHours?: number },
): Promise<void> {
  await withCore(async ({ core }) => {
    const replaced = await core.readAccessKey({ organization: { id: options.organization } });
    const { accessKey, organization } = await core.generateAccessKey({
      organizationId: options.organization,
      keepOldForHours: options.keepOldHours,
      by: commandLine,
    });
    const oldEndsAt = organization.previousAccessKey?.until.toISOString() ?? null;
    if (options.json === true) {
      return printJson({
        organization_id: organization.id,
        access_key: accessKey.reveal(),
        ...(options.keepOldHours !== undefined && { old_key_ends_at: oldEndsAt }),
      });
    }
    const old = oldEndsAt === null ? 'no longer work' : `work until ${oldEndsAt}`;
    say(`The access key of ${organization.name}. It is shown only once; the old key and its tokens ${old}.`);
    const earlier = replaced?.previous?.until.toISOString() ?? null;
    if (earlier !== null)
      say(`The key before the old one was kept until ${earlier}. It and its tokens no longer work.`);
    print(accessKey.reveal());
  });
}
