import type { ListedSession } from '@rollcall/core';
import { maxListedSessions } from '@rollcall/core/rules';
import { BackLink, Badge, Button, type Column, DataTable, Stack } from '../design/components.js';
import { Form, type FormToken } from '../design/form.js';
import { Timestamp, type TimeZone, timeZoneOf, ZoneNote } from '../design/times.js';
import { accountPage } from '../page.js';
import { paths } from '../paths.js';

export const listSessions = accountPage({
  path: paths.sessions,
  async get(visit) {
    const { core, sessionToken, token, request } = visit;
    const { own, others, hasMore } = await core.listSessions({ session: sessionToken });
    const zone = timeZoneOf(request);
    const isAlone = others.length === 0;
    visit.show(
      { title: 'Your sessions', timeZone: zone, notice: visit.consumeNotice() },
      <BackLink href="/account">Your account</BackLink>,
      <h1>Your sessions</h1>,
      isAlone ? (
        <p>This is your only session. You are not signed in anywhere else.</p>
      ) : (
        <p>
          You are signed in here. If you don’t recognize a session, sign out there and{' '}
          <a href="/account">change your password</a>.
        </p>
      ),
      !isAlone && (
        <Form action={paths.endOtherSessions} token={token}>
          <Button>Sign out everywhere else</Button>
        </Form>
      ),
      <ZoneNote zone={zone} />,
      <DataTable
        caption="Where you are signed in: this session, then the others, the last used first"
        columns={columnsFor(own, zone, token)}
        rows={[own, ...others]}
      />,
      hasMore && (
        <p>
          {`Only the ${maxListedSessions} other sessions that were used last are listed. “Sign out everywhere else” ends all of them.`}
        </p>
      ),
    );
  },
});

export const endSession = accountPage({
  path: paths.endSession(':session'),
  async post(visit) {
    const id = String(visit.request.params.session);
    await visit.core.endSession({ session: visit.sessionToken, id, address: visit.clientAddress });
    visit.leadTo(paths.sessions, 'session-ended');
  },
});

export const endOtherSessions = accountPage({
  path: paths.endOtherSessions,
  async post(visit) {
    await visit.core.endOtherSessions({ session: visit.sessionToken, address: visit.clientAddress });
    visit.leadTo(paths.sessions, 'other-sessions-ended');
  },
});

/** The reader's own session is signed out of at the top of every page. */
function columnsFor(own: ListedSession, zone: TimeZone, token: FormToken): readonly Column<ListedSession>[] {
  const deviceText = ({ device }: ListedSession) => device ?? 'Unknown device';
  return [
    {
      title: 'Device',
      cell: (listed) => (
        <Stack>
          <span>{deviceText(listed)}</span>
          {listed === own && <Badge tone="success">This session</Badge>}
        </Stack>
      ),
    },
    { title: 'Signed in with', cell: (listed) => <SignedInWith {...listed} /> },
    { title: 'Signed in', cell: ({ createdAt }) => <Timestamp at={createdAt} zone={zone} /> },
    {
      title: 'Last used',
      cell: (listed) => (listed === own ? 'Now' : <Timestamp at={listed.seenAt} zone={zone} />),
    },
    {
      title: 'Sign out',
      isAction: true,
      cell: (listed) =>
        listed === own ? null : (
          <Form action={paths.endSession(listed.id)} token={token}>
            <Button isSmall aria-label={`Sign out: ${deviceText(listed)}`}>
              Sign out
            </Button>
          </Form>
        ),
    },
  ];
}

const startedByTexts: Readonly<Record<ListedSession['startedBy'], string>> = {
  password: 'Password',
  'login-link': 'Login link',
  'sign-on': 'Sign-on',
  'setup-link': 'Set-up link',
};

function SignedInWith({ organization, startedBy }: ListedSession) {
  if (organization === null) return <>Password</>;
  return (
    <Stack>
      <span>{startedByTexts[startedBy]}</span>
      <bdi class="secondary-text">{organization.name}</bdi>
    </Stack>
  );
}
