import type { DirectoryView } from '@rollcall/core';
import { directoryAddress } from '../../directory/write-answers.js';
import { confirmIdentity, identityLabels, identityOf, OwnIdentity } from '../account/own-identity.js';
import { ask } from '../ask.js';
import { CopyText, OneTimeSecret } from '../design/components.js';
import { KeepHours } from '../design/form.js';
import { ZonedTime } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberForm } from '../form-page.js';
import { redirectToSecret, showSecretOnce } from '../one-time-secret.js';
import { hoursIn } from '../organization/generate-access-key.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

/** The field with the time of the token that the form is about, so that a form sent twice replaces no newer one. */
const REPLACES = 'replaces';
const NONE = 'none';

/** For how many hours the old token keeps working. Empty: not at all. */
const KEEP_HOURS = 'keep_old_hours';

export function directoryOf({ core, organization }: MemberVisit): Promise<DirectoryView> {
  return core.readDirectory({ organization });
}

/** Asks before the token of the directory is created or replaced. */
export const issueDirectoryToken = memberForm({
  path: paths.directoryToken(':id'),
  isForSetup: true,
  fields: [KEEP_HOURS, REPLACES],
  labels: {
    keepOldForHours: 'Time until the current token stops working',
    ...identityLabels,
  },
  about: directoryOf,
  initial: ({ tokens }: DirectoryView) => ({
    [KEEP_HOURS]: '',
    [REPLACES]: tokens.find(({ endsAt }) => endsAt === null)?.createdAt.toISOString() ?? NONE,
  }),
  async send(visit, { [KEEP_HOURS]: hours, [REPLACES]: replaces }) {
    const { core, organization, by } = visit;
    await confirmIdentity(visit);
    const { token } = await core.issueDirectoryToken({
      ...{ organization, by, replaces: timeIn(replaces) },
      keepOldForHours: hoursIn(hours),
    });
    redirectToSecret(visit, { path: paths.newDirectoryToken(organization.id), secret: token });
  },
  async show(visit, { about: { tokens }, values, problems, control }) {
    const identity = await identityOf(visit);
    const isFirst = tokens.length === 0;
    ask(visit, {
      problems,
      title: isFirst ? 'Turn the directory on?' : 'Replace the directory token?',
      fields: { [REPLACES]: values[REPLACES] },
      controls: (
        <>
          {!isFirst && (
            <KeepHours {...control('keepOldForHours', KEEP_HOURS)} help="Until then, both tokens work." />
          )}
          <OwnIdentity {...{ visit, identity, problems }} />
        </>
      ),
      kind: isFirst ? 'primary' : 'destructive',
      submit: isFirst ? 'Create the token' : 'Replace the token',
      cancelPath: paths.directory(visit.organization.id),
      children: isFirst ? (
        <p>
          With the token, your identity provider adds, changes and deactivates people of{' '}
          <bdi>{visit.organization.name}</bdi>. It is shown once.
        </p>
      ) : (
        <p>
          The current token stops working at once, unless you choose a time below. After that, your identity
          provider can’t change anyone until it has the new one. The new token is shown once.
          {tokens.length > 1 && ' The token before the current one stops at once.'}
        </p>
      ),
    });
  },
});

function timeIn(text: string): Date | null {
  if (text === NONE) return null;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new PageError('malformed-form');
  return new Date(text);
}

export const showDirectoryToken = memberPage({
  path: paths.newDirectoryToken(':id'),
  isForSetup: true,
  async get(visit) {
    const { organization, zone } = visit;
    const { tokens } = await directoryOf(visit);
    const oldEndsAt = tokens.find(({ endsAt }) => endsAt !== null)?.endsAt ?? null;
    showSecretOnce(visit, {
      title: 'Your directory token',
      thing: 'The directory token',
      lost: 'Each token is shown once, right after it is created. Lost it? Replace it, and choose how long the current one keeps working.',
      back: { href: paths.directory(organization.id), text: 'Go to the directory' },
      next: { href: paths.directoryToken(organization.id), text: 'Replace the token' },
      view: (token) => (
        <OneTimeSecret
          heading="Your directory token"
          warning="Copy it now. You won’t see it again, and the people who run this service can’t see it either."
          done={{ href: paths.directory(organization.id) }}
        >
          <CopyText id="directory-address" label="Base address" text={baseAddress(visit)} isLong />
          <CopyText id="directory-token" label="Token" text={token} isLong />
          {oldEndsAt !== null && (
            <p>
              The old token works until <ZonedTime at={oldEndsAt} zone={zone} />.
            </p>
          )}
        </OneTimeSecret>
      ),
    });
  },
});

/** What an administrator enters at the identity provider. */
export function baseAddress({ address, organization }: MemberVisit): string {
  return directoryAddress({ publicUrl: address.url, organizationId: organization.id });
}
