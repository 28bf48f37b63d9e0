import type { AccessKey } from '@rollcall/core';
import { confirmSecondFactor, identityOf, OwnIdentity } from '../account/own-identity.js';
import { ask } from '../ask.js';
import { CopyText, OneTimeSecret } from '../design/components.js';
import { KeepHours } from '../design/form.js';
import { ZonedTime } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberForm } from '../form-page.js';
import { redirectToSecret, showSecretOnce } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { secondFactorLabels } from '../second-factor/second-factor-fields.js';

/** The field with the key that a form is about, so that a form sent twice, or given back, changes no other key. */
export const GENERATION = 'generation';

/** For how many hours the old key keeps working. Empty: not at all. */
const KEEP_HOURS = 'keep_old_hours';

/** Asks before the access key is replaced. The settings have the form for the first one. */
export const generateAccessKey = memberForm({
  path: paths.accessKey(':id'),
  fields: [KEEP_HOURS, GENERATION],
  labels: { keepOldForHours: 'Time until the current key stops working', ...secondFactorLabels },
  about: ({ core, organization }) => core.readAccessKey({ organization }),
  initial: (_current, { organization }) => ({
    [KEEP_HOURS]: '',
    [GENERATION]: String(organization.accessKeyGeneration),
  }),
  async send(visit, { [KEEP_HOURS]: hours, [GENERATION]: generation }) {
    const { core, organization, by } = visit;
    // The first key replaces none.
    if (generationIn(generation) > 0) await confirmSecondFactor(visit);
    const { accessKey } = await core.generateAccessKey({
      organizationId: organization.id,
      replaces: generationIn(generation),
      keepOldForHours: hoursIn(hours),
      by,
    });
    redirectToSecret(visit, { path: paths.newAccessKey(organization.id), secret: accessKey });
  },
  async show(visit, { about: current, values, problems, control }) {
    const { organization, zone } = visit;
    const identity = await identityOf(visit);
    if (current === null) return visit.leadTo(`${paths.settings(organization.id)}#access-key`);
    ask(visit, {
      problems,
      title: 'Replace the access key?',
      fields: { [GENERATION]: values[GENERATION] },
      controls: (
        <>
          <KeepHours
            {...control('keepOldForHours', KEEP_HOURS)}
            help="Until then, both keys work, and so do their tokens."
          />
          {identity !== null && <OwnIdentity {...{ visit, identity, problems }} />}
        </>
      ),
      submit: 'Replace the access key',
      cancelPath: paths.settings(organization.id),
      children: (
        <>
          <p>
            The current key and all of its tokens stop working at once, unless you choose a time below. After
            that, programs of <bdi>{organization.name}</bdi> can’t call the API until they have the new key.
          </p>
          {current.previous !== null && (
            <p>
              The key before the current one works until <ZonedTime at={current.previous.until} zone={zone} />
              . It stops at once when you replace the current one.
            </p>
          )}
          <p>
            <MaskedKey {...current} />
          </p>
          {current.usedAt === null ? (
            <p>The current key has never been used.</p>
          ) : (
            <p>
              The current key was last used <ZonedTime at={current.usedAt} zone={zone} />.
            </p>
          )}
          <p>
            <a href={paths.apiCalls(organization.id)}>The last API calls</a> show what uses it.
          </p>
          <p>The new key is shown once, so have your password manager ready.</p>
        </>
      ),
    });
  },
});

/** Shows a new access key once (decision 266). */
export const showAccessKey = memberPage({
  path: paths.newAccessKey(':id'),
  async get(visit) {
    const { core, organization, zone, address } = visit;
    const current = await core.readAccessKey({ organization });
    if (current === null) return visit.leadTo(paths.accessKey(organization.id));
    showSecretOnce(visit, {
      title: 'Your new access key',
      thing: 'The access key',
      lost: 'Each access key is shown once, right after it is generated. Lost it? Replace it, and choose how long the current one keeps working.',
      back: { href: paths.settings(organization.id), text: 'Go to the settings' },
      next: { href: paths.accessKey(organization.id), text: 'Replace the access key' },
      view: (accessKey) => (
        <OneTimeSecret
          heading="Your new access key"
          warning="Copy it now. You won’t see it again, and the people who run this service can’t see it either."
          done={{ href: paths.settings(organization.id) }}
          also={<a href="/docs/guide">Go to the guide</a>}
        >
          <CopyText id="access-key" label="Access key" text={accessKey} />
          <CopyText
            id="first-call"
            label="First call: get a token for one day"
            text={`curl ${address.url}/api/v2/authenticate \\
  -H 'Content-Type: application/json' \\
  -d '{"access_key":"${accessKey}"}'`}
            isLong
          />
          {current.previous !== null && (
            <p>
              The old key and its tokens work until <ZonedTime at={current.previous.until} zone={zone} />.
            </p>
          )}
        </OneTimeSecret>
      ),
    });
  },
});

export function generationIn(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new PageError('malformed-form');
  return Number(text);
}

/** Without a choice, the old key is not kept. Anything but a number is refused by the core. */
export function hoursIn(text: string): number {
  if (text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
}

/** A key that cannot be shown, with the digits by which people recognize it. */
export function MaskedKey({ lastDigits, name }: Pick<AccessKey, 'lastDigits' | 'name'>) {
  return (
    <>
      <span class="masked" aria-hidden="true">
        •••• •••• •••• •••• •••• {lastDigits ?? '••••'}
      </span>{' '}
      <span class="visually-hidden">
        {lastDigits === null ? '24 digits, not shown' : `24 digits, ending in ${lastDigits}`}
      </span>{' '}
      {name !== null && <bdi>{name}</bdi>}
    </>
  );
}
