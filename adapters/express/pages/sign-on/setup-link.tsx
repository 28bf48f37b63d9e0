import { type CurrentSetupLink, Secret } from '@rollcall/core';
import { setupLinkLifetimeMs, setupSessionMs } from '@rollcall/core/rules';
import { askingForIdentity } from '../account/own-identity.js';
import { SignsOut } from '../account/redeem-login-link.js';
import { clientOf, startSession } from '../account/start-session.js';
import { ask, named } from '../ask.js';
import { Actions, Banner, Button, Card, CopyText, OneTimeSecret } from '../design/components.js';
import { Form } from '../design/form.js';
import { Timestamp, ZonedTime } from '../design/times.js';
import { formToken } from '../form.js';
import { redirectToSecret, showSecretOnce } from '../one-time-secret.js';
import { memberPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';

const findLink = ({ core, organization }: MemberVisit): Promise<CurrentSetupLink | null> =>
  core.findSetupLink({ organization });

/** Creates a link with which IT staff set up sign-on and the directory. */
export const issueSetupLink = askingForIdentity({
  path: paths.setupLink(':id'),
  about: findLink,
  asked: (link) => ({
    question: link === null ? 'Create a set-up link?' : 'Replace the set-up link?',
    label: link === null ? 'Create the link' : 'Replace the link',
    kind: link === null ? 'primary' : 'destructive',
    consequences: (
      <>
        Anyone with the link sets up sign-on and the directory for you, without an account. It opens these
        pages for five minutes at a time, and works for 24 hours. Only you can require sign-on, or turn it
        off. {link !== null && 'The current link stops at once.'}
      </>
    ),
  }),
  async change(visit) {
    const { core, organization, session, by } = visit;
    const { url } = await core.issueSetupLink({ organization, userId: session.user.id, by });
    redirectToSecret(visit, { path: paths.newSetupLink(organization.id), secret: new Secret(url) });
  },
  leadsTo: paths.settings,
});

export const showSetupLink = memberPage({
  path: paths.newSetupLink(':id'),
  async get(visit) {
    const { organization, zone } = visit;
    const link = await findLink(visit);
    const settings = { href: paths.settings(organization.id), text: 'Go to the settings' };
    showSecretOnce(visit, {
      title: 'Your set-up link',
      thing: 'The set-up link',
      lost: 'Each link is shown once, right after it is created. Lost it? Replace it.',
      back: settings,
      next: { href: paths.setupLink(organization.id), text: 'Replace the link' },
      view: (url) => (
        <OneTimeSecret
          heading="Your set-up link"
          warning="Send it only to those who set up your identity provider. You won’t see it again."
          done={{ href: settings.href }}
        >
          <CopyText id="setup-link" label="Set-up link" text={url} isLong />
          {link !== null && (
            <p>
              It works until <ZonedTime at={link.expiresAt} zone={zone} />.
            </p>
          )}
        </OneTimeSecret>
      ),
    });
  },
});

/** Ends the link, and the pages that it has opened. */
export const endSetupLink = memberPage({
  path: paths.endSetupLink(':id'),
  keeps: [],
  async get(visit) {
    const cancelPath = paths.settings(visit.organization.id);
    if ((await findLink(visit)) === null) return visit.leadTo(cancelPath);
    ask(visit, {
      ...{ title: 'End the set-up link?', submit: 'End the link', cancelPath },
      children: <p>It stops working at once, and the pages that it has opened close.</p>,
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    await core.endSetupLink({ organization, by });
    visit.leadTo(paths.settings(organization.id), 'setup-link-ended');
  },
});

export function SetupLinkCard({
  visit: { organization, zone },
  link,
}: PartProps<{ link: CurrentSetupLink | null }>) {
  return (
    <Card id="setup-link" title="Set-up link">
      <p>Let your IT staff set up sign-on and the directory, without an account here.</p>
      {link !== null && (
        <p>
          A link works until <Timestamp at={link.expiresAt} zone={zone} />
          {link.openedAt === null ? ', and nobody has opened it' : ', last opened '}
          {link.openedAt !== null && <Timestamp at={link.openedAt} zone={zone} />}.
        </p>
      )}
      <Actions
        secondary={{ 'Create a set-up link': link === null && paths.setupLink(organization.id) }}
        destructive={{
          'Replace the set-up link': link !== null && paths.setupLink(organization.id),
          'End the set-up link': link !== null && paths.endSetupLink(organization.id),
        }}
      />
    </Card>
  );
}

/** The page of a set-up link. It has one button, so that programs that look at links open nothing. */
export const openSetupLink: Page = {
  path: paths.openSetupLink,
  async get(visit) {
    const token = String(visit.request.params.token);
    const { organizationName } = await visit.core.readSetupLink({ token });
    const session = await visit.findSession();
    const replaced = session?.startedBy === 'setup-link' ? null : session;
    visit.showCard(
      { ...named`Set up sign-on for ${organizationName}` },
      <p>
        Connect your identity provider: people sign in there, and your directory adds and deactivates them.
        The pages stay open for five minutes. Then open this link again.
      </p>,
      replaced !== null && <SignsOut user={replaced.user}>Opening the set-up signs you out here.</SignsOut>,
      <Form token={formToken(visit)}>
        <Button kind="primary">Open the set-up</Button>
      </Form>,
    );
  },
  async post(visit) {
    const token = String(visit.request.params.token);
    const opened = await visit.core.openSetupLink({ token, ...clientOf(visit) });
    await startSession(visit, opened);
    visit.cookies.set(visit.response, { name: 'setup', value: '1', seconds: setupLinkLifetimeMs / 1000 });
    visit.leadTo(paths.signOn(opened.boundTo ?? 0));
  },
};

/** Until when the pages are open for someone with a set-up link. */
export function SetupTime({ visit: { session, zone, isSetup } }: PartProps) {
  if (!isSetup) return null;
  const endsAt = new Date(session.createdAt.getTime() + setupSessionMs);
  return (
    <Banner tone="warning">
      These pages are open until <ZonedTime at={endsAt} zone={zone} />. Then open the set-up link again: save
      before.
    </Banner>
  );
}
