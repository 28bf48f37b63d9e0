import { Refusal } from '@rollcall/core';
import { nameOf } from '../design/avatar.js';
import { type FormProblems, problemsOf } from '../design/form.js';
import type { RefusedForm } from '../form-page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

/** As `problemsOf`. If someone has the ID already, the problem links to their page. */
export async function idpIdProblems(
  visit: MemberVisit,
  error: unknown,
  { values: { idp_id: idpId = '' }, labels, alsoShown }: RefusedForm,
): Promise<FormProblems> {
  const problems = problemsOf(error, labels, alsoShown);
  const isTaken = error instanceof Refusal && error.problems.some(({ code }) => code === 'taken-id');
  const holder = isTaken ? await holderOf(visit, idpId) : null;
  return holder === null ? problems : { ...problems, links: { idpId: holder } };
}

async function holderOf({ core, organization }: MemberVisit, idpId: string) {
  const { items: members } = await core.listUsers({ organization, idpId, limit: 1 });
  if (members[0] !== undefined)
    return { href: paths.member(organization.id, members[0].user.id), text: nameOf(members[0].user) };
  const { items } = await core.findInvitations({ organization, idpId, state: 'pending', limit: 1 });
  return items[0] === undefined
    ? null
    : { href: paths.invitation(organization.id, items[0].userUuid), text: nameOf(items[0]) };
}
