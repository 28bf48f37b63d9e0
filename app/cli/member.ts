import { type Core, type ListedMember, Refusal, type Role } from '@rollcall/core';
import { normalizeEmail } from '@rollcall/core/rules';
import type { CommandContext } from '../command-context.js';
import { Failure } from '../failure.js';
import { print, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { organizationOf } from './organization-of.js';
import { table } from './table.js';
import { commandLine, type OrganizationOptions, withCore } from './with-core.js';

interface MemberOptions extends OrganizationOptions {
  readonly email: string;
}

export async function addMemberCommand(
  options: MemberOptions & { readonly role: Role; readonly idpId?: string },
): Promise<void> {
  await withCore(async ({ core }) => {
    const { organizationId, uuid, role, idpId, user } = await core
      .addMember({
        organizationId: options.organization,
        email: options.email,
        role: options.role,
        idpId: options.idpId ?? null,
        by: commandLine,
      })
      .catch((error) => throwWithHolder(core, { error, ...options }));
    if (options.json === true) {
      return printJson({ organization_id: organizationId, uuid, email: user.email, role, idp_id: idpId });
    }
    say(`${user.email} is now ${role} of organization ${organizationId}. UUID for API calls:`);
    print(uuid);
  });
}

export async function listMembersCommand(
  options: OrganizationOptions & { readonly page: number },
): Promise<void> {
  await withCore(async (context) => {
    const organization = await organizationOf(context, options.organization);
    const { items, page, totalPages } = await context.core.listMembers({ organization, page: options.page });
    if (options.json === true)
      return printJson({ page, total_pages: totalPages, members: items.map(toJson) });
    if (items.length === 0) return say('There are no members on this page.');
    const rows = items.map((member) => [
      member.user.email,
      `${member.user.firstName} ${member.user.lastName}`.trim() || '–',
      member.role,
      member.canSignIn ? 'yes' : 'no',
      member.uuid,
      member.idpId ?? '–',
      String(member.user.id),
    ]);
    const head = ['Email', 'Name', 'Role', 'Password', 'UUID', 'IdP ID', 'User ID'];
    for (const line of table(head, rows)) print(line);
    if (totalPages > page) say(`Page ${page} of ${totalPages}.`);
  });
}

function toJson({ user, uuid, role, idpId, canSignIn }: ListedMember) {
  const { id, email, firstName, lastName } = user;
  return {
    ...{ id, email, first_name: firstName, last_name: lastName },
    ...{ role, uuid, idp_id: idpId, has_password: canSignIn },
  };
}

export async function changeRoleCommand(options: MemberOptions & { readonly role: Role }): Promise<void> {
  await withCore(async (context) => {
    const member = { organization: await organizationOf(context, options.organization), by: commandLine };
    const userId = await userOf(context, options.email);
    const { user, role } = await context.core.changeRole({ ...member, userId, role: options.role });
    if (options.json === true) return printJson({ email: user.email, role });
    say(`${user.email} is now ${role} of ${member.organization.name}.`);
  });
}

/** `--no-idp-id` is false. */
export async function setMemberCommand(
  options: MemberOptions & { readonly idpId?: string | false },
): Promise<void> {
  const { idpId: given } = options;
  if (given === undefined) throw new UsageError('--idp-id or --no-idp-id is required.');
  await withCore(async (context) => {
    const organization = await organizationOf(context, options.organization);
    const userId = await userOf(context, options.email);
    const { uuid } = await context.core.readMember({ organization, userId });
    const idpId = given === false ? null : given;
    const { user } = await context.core
      .setIdpId({ organization, uuid, idpId, by: commandLine })
      .catch((error) => throwWithHolder(context.core, { error, organization: organization.id, idpId }));
    if (options.json === true) return printJson({ email: user.email, uuid, idp_id: idpId });
    say(
      idpId === null
        ? `${user.email} has no idp_id in ${organization.name} now.`
        : `${user.email} now has the idp_id ${idpId} in ${organization.name}.`,
    );
  });
}

export async function removeMemberCommand(options: MemberOptions): Promise<void> {
  await withCore(async (context) => {
    const member = { organization: await organizationOf(context, options.organization), by: commandLine };
    const { user } = await context.core.removeMember({
      ...member,
      userId: await userOf(context, options.email),
    });
    if (options.json === true) return printJson({ email: user.email });
    say(`${user.email} is no longer a member of ${member.organization.name}.`);
  });
}

/** Throws the error. If it refuses an `idpId` that someone has already, its message gets their address. */
async function throwWithHolder(
  core: Core,
  {
    error,
    organization: id,
    idpId,
  }: { readonly error: unknown; readonly organization: number; readonly idpId?: string | null },
): Promise<never> {
  const taken = error instanceof Refusal && error.problems.find(({ code }) => code === 'taken-id');
  if (!taken || !idpId) throw error;
  const organization = { id };
  const { items: members } = await core.listUsers({ organization, idpId });
  const { items: invitations } = await core.findInvitations({ organization, idpId, state: 'pending' });
  const email = members[0]?.user.email ?? invitations[0]?.email;
  throw email === undefined ? error : new Failure(`idp-id ${taken.message}: ${email}`);
}

async function userOf({ ports }: CommandContext, email: string): Promise<number> {
  const user = await ports.users.byEmail(normalizeEmail(email));
  if (user === null) throw new Failure(`email: there is no user ${normalizeEmail(email)}`);
  return user.id;
}
