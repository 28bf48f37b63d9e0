import type { Role } from '@rollcall/core';
import { print, printJson, say } from '../terminal.js';
import { commandLine, withCore } from './with-core.js';

export async function addMemberCommand(options: {
  readonly organization: number;
  readonly email: string;
  readonly role: Role;
  readonly idpId?: string;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async ({ core }) => {
    const { organizationId, uuid, role, idpId, user } = await core.addMember({
      organizationId: options.organization,
      email: options.email,
      role: options.role,
      idpId: options.idpId ?? null,
      by: commandLine,
    });
    if (options.json === true) {
      return printJson({ organization_id: organizationId, uuid, email: user.email, role, idp_id: idpId });
    }
    say(`${user.email} is ${role} of organization ${organizationId} now. The UUID to use in calls:`);
    print(uuid);
  });
}
