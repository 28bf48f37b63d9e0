import type { RenewedInvitation } from '@rollcall/core';
import { BackLink, CopyText } from '../design/components.js';
import { Checkbox } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { askAboutSelected } from './ask-about-selected.js';
import { linksAdvice, sendMailIn } from './invite-form.js';
import { canRenew } from './read-invitation.js';
import { changeSelected, countOf } from './selected-invitations.js';

/** Gives all selected invitations new links, after asking, and shows the links. */
export const renewSelected = memberPage({
  path: paths.selectedInvitations(':id', 'renew'),
  role: 'admin',
  section: 'invitations',
  get: (visit) =>
    askAboutSelected(visit, {
      action: 'renew',
      verb: 'Renew',
      kind: 'primary',
      isAllowed: canRenew,
      consequence: `Each person gets a new link${visit.sendsMail ? '' : ' for you to send'}. Their old links stop working at once.`,
      controls: visit.sendsMail && (
        <Checkbox name="send_mail" label="Email everyone their new link" checked={false} />
      ),
    }),
  async post(visit) {
    const { core, organization, sendsMail, by } = visit;
    const sendMail = sendMailIn(visit);
    const { changed, total } = await changeSelected(visit, (invitationId) =>
      core.renewInvitation({ organization, invitationId, sendMail, by }),
    );
    const title = `Renewed ${countOf(changed.length, total)}`;
    const list = paths.invitations(organization.id);
    visit.show({ title, body: <Renewed {...{ title, changed, total, list, sendsMail }} /> });
  },
});

interface RenewedProps {
  readonly title: string;
  readonly changed: readonly RenewedInvitation[];
  readonly total: number;
  /** The path of the list. */
  readonly list: string;
  readonly sendsMail: boolean;
}

function Renewed({ title, changed, total, list, sendsMail }: RenewedProps) {
  const unmailed = changed.filter(({ isMailed }) => isMailed === false);
  const links = changed.map(({ email, invitationUrl }) => `${email}\t${invitationUrl}`);
  return (
    <>
      <BackLink href={list}>All invitations</BackLink>
      <h1>{title}</h1>
      {changed.length < total && (
        <p>
          The others were not renewed: they have changed since you selected them, or a newer invitation for
          the same person is pending.
        </p>
      )}
      {links.length > 0 && (
        <section class="card">
          <p>{linksAdvice({ sendsMail, invited: changed })}</p>
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
          <CopyText id="urls" label="New links" text={links.join('\n')} isLong isMain />
        </section>
      )}
    </>
  );
}
