import type { SecondFactorView } from '@rollcall/core';
import { Actions, BackLink, Badge, ButtonLink, Card, type Column, DataTable } from '../design/components.js';
import { Timestamp, type TimeZone, timeZoneOf, ZoneNote } from '../design/times.js';
import { accountPage } from '../page.js';
import { paths } from '../paths.js';
import { placeThatNeedsFactor } from '../place.js';

/** What the reader signs in with beside the password. */
export const readSecondFactor = accountPage({
  path: paths.secondFactor,
  async get(visit) {
    const found = await visit.core.readSecondFactor({ session: visit.sessionToken });
    const { passkeys, codesSince } = found;
    const isOn = passkeys.length > 0 || codesSince !== null;
    const zone = timeZoneOf(visit.request);
    const waiting = placeThatNeedsFactor(visit);
    visit.show(
      { title: 'Second factor', timeZone: zone, notice: visit.consumeNotice() },
      <BackLink href={waiting ?? paths.account}>
        {waiting === null ? 'Your account' : 'Require a second factor'}
      </BackLink>,
      <h1>Second factor</h1>,
      <p>
        <Badge tone={isOn ? 'success' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>
      </p>,
      <p>
        {isOn
          ? 'Your password alone signs nobody in. Have two of these, so that you can sign in when you lose one.'
          : 'With a passkey or an authenticator app, your password alone signs nobody in.'}
      </p>,
      isOn && <ZoneNote zone={zone} />,
      <Passkeys {...{ found, zone }} />,
      <Card id="app" title="Authenticator app">
        {codesSince === null ? (
          <>
            <p>An app on your phone shows a new code every 30 seconds.</p>
            <ButtonLink href={paths.codes} text="Set up an app" />
          </>
        ) : (
          <>
            <p>
              Set up <Timestamp at={codesSince} zone={zone} />.
            </p>
            <ButtonLink kind="destructive" href={paths.removeCodes} text="Remove the app" />
          </>
        )}
      </Card>,
      isOn && <RecoveryCodes {...{ found }} />,
    );
  },
});

type ViewProps = Readonly<{ found: SecondFactorView; zone: TimeZone }>;

type PasskeyRow = SecondFactorView['passkeys'][number];

function Passkeys({ found: { passkeys, takesPasskeys }, zone }: ViewProps) {
  const columns: readonly Column<PasskeyRow>[] = [
    { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { title: 'Added', cell: ({ createdAt }) => <Timestamp at={createdAt} zone={zone} /> },
    {
      title: 'Last used',
      cell: ({ usedAt }) => (usedAt === null ? 'Never' : <Timestamp at={usedAt} zone={zone} />),
    },
    {
      title: 'Change',
      isAction: true,
      cell: ({ credentialId, name }) => (
        <div class="actions">
          <ButtonLink
            isSmall
            href={paths.passkeyName(credentialId)}
            label={`Rename: ${name}`}
            text="Rename"
          />
          <ButtonLink
            {...{ kind: 'destructive', isSmall: true, href: paths.removePasskey(credentialId) }}
            label={`Remove: ${name}`}
            text="Remove"
          />
        </div>
      ),
    },
  ];
  return (
    <Card id="passkeys" title="Passkeys">
      {passkeys.length === 0 ? (
        <p>
          You have none. A passkey is in your device or password manager, and no one can copy it by watching
          you.
        </p>
      ) : (
        <DataTable {...{ columns, rows: passkeys, caption: 'Your passkeys, the oldest first' }} />
      )}
      {takesPasskeys && <Actions secondary={{ 'Add a passkey': paths.newPasskey }} />}
    </Card>
  );
}

function RecoveryCodes({ found: { recoveryCodes } }: Pick<ViewProps, 'found'>) {
  return (
    <Card id="recovery-codes" title="Recovery codes">
      <p>
        {recoveryCodes === 1 ? 'One is left.' : `${recoveryCodes} are left.`} Each signs you in once, if you
        have lost everything else.
      </p>
      <ButtonLink href={paths.recoveryCodes} text="Make new recovery codes" />
    </Card>
  );
}
