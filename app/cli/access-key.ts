import { print, printJson, say } from '../terminal.js';
import { commandLine, withCore } from './with-core.js';

export async function generateAccessKeyCommand(options: {
  readonly organization: number;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async ({ core }) => {
    const { accessKey, organization } = await core.generateAccessKey({
      organizationId: options.organization,
      by: commandLine,
    });
    if (options.json === true) {
      return printJson({ organization_id: organization.id, access_key: accessKey.reveal() });
    }
    say(
      `The access key of ${organization.name}. It is shown only once; the old key and its tokens no longer work.`,
    );
    print(accessKey.reveal());
  });
}
