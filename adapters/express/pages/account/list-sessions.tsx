import type { ListedSession, ListedSessions } from '@rollcall/core';
import { maxListedSessions } from '@rollcall/core/rules';
import { BackLink, Badge, Button, type Column, DataTable, Stack } from '../design/components.js';
import { Form, type FormToken } from '../design/form.js';
import { Timestamp, type TimeZone, timeZoneOf, ZoneNote } from '../design/times.js';
import { accountPage } from '../page.js';
import { paths } from '../paths.js';

export const listSessions = accountPage({
  path: paths.sessions,
  async get(visit) {
    const { core, sessionToken, token } = visit;
    const sessions = await core.listSessions({ session: sessionToken });
    const zone = timeZoneOf(visit.request);
    visit.show({
      title: 'Your sessions',
      timeZone: zone,
      notice: visit.consumeNotice(),
      body: <SessionsView {...{ sessions, zone, token }} />,
    });
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

interface SessionRow extends ListedSession {
  /** Whether it is the reader's. */
  readonly isThis: boolean;
}

interface SessionsProps {
  readonly sessions: ListedSessions;
  readonly zone: TimeZone;
  readonly token: FormToken;
}

function SessionsView({ sessions, zone, token }: SessionsProps) {
  const isAlone = sessions.others.length === 0;
  return (
    <>
      <BackLink href="/account">Your account</BackLink>
      <h1>Your sessions</h1>
      {isAlone ? (
        <p>This is your only session. You are not signed in anywhere else.</p>
      ) : (
        <p>
          You are signed in here. If you don’t recognize a session, sign out there and{' '}
          <a href="/account">change your password</a>.
        </p>
      )}
      {!isAlone && (
        <Form action={paths.endOtherSessions} token={token}>
          <Button>Sign out everywhere else</Button>
        </Form>
      )}
      <ZoneNote zone={zone} />
      <DataTable
        caption="Where you are signed in: this session, then the others, the last used first"
        columns={columnsFor({ zone, token })}
        rows={[
          { ...sessions.own, isThis: true },
          ...sessions.others.map((session) => ({ ...session, isThis: false })),
        ]}
      />
      {sessions.hasMore && (
        <p>
          {`Only the ${maxListedSessions} other sessions that were used last are listed. “Sign out everywhere else” ends all of them.`}
        </p>
      )}
    </>
  );
}

function columnsFor({ zone, token }: Omit<SessionsProps, 'sessions'>): readonly Column<SessionRow>[] {
  return [
    {
      title: 'Device',
      cell: (session) => (
        <Stack>
          <span>{deviceText(session)}</span>
          {session.isThis && <Badge tone="success">This session</Badge>}
        </Stack>
      ),
    },
    { title: 'Signed in with', cell: (session) => <SignedInWith {...session} /> },
    { title: 'Signed in', cell: ({ createdAt }) => <Timestamp at={createdAt} zone={zone} /> },
    {
      title: 'Last used',
      cell: (session) => (session.isThis ? 'Now' : <Timestamp at={session.seenAt} zone={zone} />),
    },
    {
      title: 'Sign out',
      isAction: true,
      cell: (session) => (session.isThis ? null : <SignOutThere {...{ session, token }} />),
    },
  ];
}

function deviceText({ device }: Pick<ListedSession, 'device'>): string {
  return device ?? 'Unknown device';
}

const startedByTexts: Readonly<Record<ListedSession['startedBy'], string>> = {
  password: 'Password',
  'login-link': 'Login link',
  'sign-on': 'Sign-on',
  'setup-link': 'Set-up link',
};

function SignedInWith({ organization, startedBy }: Pick<ListedSession, 'organization' | 'startedBy'>) {
  if (organization === null) return <>Password</>;
  return (
    <Stack>
      <span>{startedByTexts[startedBy]}</span>
      <bdi class="secondary-text">{organization.name}</bdi>
    </Stack>
  );
}

function SignOutThere({ session, token }: { readonly session: ListedSession; readonly token: FormToken }) {
  return (
    <Form action={paths.endSession(session.id)} token={token}>
      <Button isSmall aria-label={`Sign out: ${deviceText(session)}`}>
        Sign out
      </Button>
    </Form>
  );
}
