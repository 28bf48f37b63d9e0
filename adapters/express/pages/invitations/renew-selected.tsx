import type { InvitationView, RenewedInvitation } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { ask } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { BackLink } from '../design/components.js';
import { Checkbox } from '../design/form.js';
import { unlessRefused } from '../errors/unless-refused.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { LinksCard, sendMailIn } from './invite-user.js';
import { canRenew } from './read-invitation.js';

/** Gives all selected invitations new links, after asking, and shows the links. */
export const renewSelected = memberPage({
  path: paths.selectedInvitations(':id', 'renew'),
  get: (visit) =>
    askAboutSelected(visit, {
      action: 'renew',
      kind: 'primary',
      isAllowed: canRenew,
      consequence: `Each person gets a new link${visit.sendsMail ? '' : ' for you to send'}. Their old links stop working at once.`,
      controls: visit.sendsMail && (
        <Checkbox name="send_mail" label="Email everyone their new link" checked />
      ),
    }),
  async post(visit) {
    const { core, organization, by } = visit;
    const sendMail = sendMailIn(visit);
    const { answers: changed, total } = await answersFor(idsIn(visit), (invitationId) =>
      core.renewInvitation({ organization, invitationId, sendMail, by }),
    );
    const title = `Renewed ${countOf(changed.length, total)}`;
    visit.show(
      { title },
      <BackLink href={listPath(visit, paths.invitations(organization.id))}>Invitations</BackLink>,
      <h1>{title}</h1>,
      changed.length < total && (
        <p>
          The others were not renewed: they have changed since you selected them, or a newer invitation for
          the same person is pending.
        </p>
      ),
      changed.length > 0 && <NewLinks {...{ visit, changed }} />,
    );
  },
});

function NewLinks({ visit, changed }: PartProps<{ changed: readonly RenewedInvitation[] }>) {
  const unmailed = changed.filter(({ isMailed }) => isMailed === false);
  return (
    <LinksCard {...{ visit, invited: changed }} label="New links" isMain>
      {unmailed.length > 0 && (
        <>
          <p>Not emailed, because there were too many such emails today. Send these links yourself:</p>
          <ul>
            {unmailed.map(({ email }) => (
              <li key={email}>
                <bdi>{email}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </LinksCard>
  );
}

/** Ends the links of all selected invitations, after asking. */
export const revokeSelected = memberPage({
  path: paths.selectedInvitations(':id', 'revoke'),
  get: (visit) =>
    askAboutSelected(visit, {
      action: 'revoke',
      kind: 'destructive',
      isAllowed: ({ state }) => state === 'pending',
      consequence: 'Their links stop working at once. Anyone who opens one will see that it was revoked.',
    }),
  async post(visit) {
    const { core, organization, by } = visit;
    const { answers: changed, total } = await answersFor(idsIn(visit), (invitationId) =>
      core.revokeInvitation({ organization, invitationId, by }),
    );
    const notice = changed.length === total ? 'invitations-revoked' : 'some-invitations-revoked';
    visit.leadTo(paths.invitations(organization.id), notice, countOf(changed.length, total));
  },
});

interface Choice {
  readonly action: 'renew' | 'revoke';
  readonly kind: 'primary' | 'destructive';
  readonly isAllowed: (invitation: InvitationView) => boolean;
  /** What happens to the people, in a sentence or two. */
  readonly consequence: string;
  /** Fields for the reader to fill in. */
  readonly controls?: ComponentChildren;
}

/** Asks before all selected invitations are changed that the action is allowed for. */
async function askAboutSelected(visit: MemberVisit, choice: Choice): Promise<void> {
  const { core, organization, request } = visit;
  const { action, kind, isAllowed, consequence, controls } = choice;
  const uuids = [request.query[SELECTED]].flat().filter((value) => typeof value === 'string');
  // Without those that don't exist.
  const { answers: selected } = await answersFor(uuids, (uuid) =>
    core.readInvitation({ organization, uuid }),
  );
  const invitations = selected.filter(isAllowed);
  const list = listPath(visit, paths.invitations(organization.id));
  if (invitations.length === 0) return visit.leadTo(list, `none-to-${action}`);
  const left = selected.length - invitations.length;
  const change = `${action === 'renew' ? 'Renew' : 'Revoke'} ${countOf(invitations.length)}`;
  ask(visit, {
    ...{ kind, controls },
    title: `${change}?`,
    // A renewed invitation has another id.
    fields: { invitations: invitations.map(({ id }) => id).join(',') },
    submit: change,
    cancelPath: list,
    children: (
      <>
        <p>{consequence}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
        <ul class="selected-people" tabIndex={0} aria-label="Selected people">
          {invitations.map((invitation) => (
            <li key={invitation.id}>
              <bdi>{nameOf(invitation)}</bdi> <bdi class="secondary-text">{invitation.email}</bdi>
            </li>
          ))}
        </ul>
        {left > 0 && (
          <p>
            {left === 1
              ? '1 other that you selected stays as it is, because its state has changed or does not allow this.'
              : `${left} others that you selected stay as they are, because their state has changed or does not allow this.`}
          </p>
        )}
      </>
    ),
  });
}

/** The name of the checkboxes in the list. Their values are UUIDs. */
export const SELECTED = 'invitation';

/** More than a page of the list has. */
const MAX_SELECTED = 100;

/** The invitations in the form. Those that have changed since the question are refused. */
function idsIn(visit: MemberVisit): readonly string[] {
  return visit.field('invitations').split(',');
}

/** The answers for each of the different ids, without those that are refused. */
async function answersFor<Answer>(values: readonly string[], work: (id: string) => Promise<Answer>) {
  const ids = [...new Set(values)].slice(0, MAX_SELECTED);
  const answers: Answer[] = [];
  for (const id of ids) {
    const answer = await unlessRefused(work(id));
    if (answer !== null) answers.push(answer);
  }
  return { answers, total: ids.length };
}

/** `1 invitation`, `2 of 3 invitations`. */
function countOf(count: number, total: number = count): string {
  const noun = total === 1 ? 'invitation' : 'invitations';
  return count === total ? `${count} ${noun}` : `${count} of ${total} ${noun}`;
}
