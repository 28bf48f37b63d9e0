import type { ListedSession, ListedSessions } from '@rollcall/core';
import { maxListedSessions } from '@rollcall/core/rules';
import { Button } from '../design/button.js';
import { Badge, type Column, DataTable } from '../design/components.js';
import { Form } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { consumeNotice } from '../design/notice.js';
import { Timestamp, type TimeZone, timeZoneOf, ZoneNote } from '../design/times.js';
import { type FormToken, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireAccount } from './require-account.js';

export const SESSIONS_PATH = '/account/sessions';

/** Where the reader is signed in. */
export function listSessions(deps: PageDeps): Page {
  const { core, cookies } = deps;
  return {
    path: SESSIONS_PATH,
    get: requireAccount(deps, async ({ user, endsInMs }, request, response) => {
      const sessions = await core.listSessions({ session: cookies.read(request, 'session') });
      const token = formToken(deps, request, response);
      const zone = timeZoneOf(request);
      showPage(deps, response, {
        title: 'Your sessions',
        timeZone: zone,
        signedIn: { user, formToken: token, isBound: false, endsInMs },
        notice: consumeNotice(deps, request, response),
        body: <SessionsView {...{ sessions, zone, token }} />,
      });
    }),
  };
}

interface SessionRow extends ListedSession {
  /** Whether it is the reader's. */
  readonly isThis: boolean;
}

interface SessionsProps {
  readonly sessions: ListedSessions;
  readonly zone: TimeZone;
  readonly token: FormToken;
}

function SessionsView(view: SessionsProps) {
  const { sessions, zone, token } = view;
  const isAlone = sessions.others.length === 0;
  return (
    <>
      <p class="back-link">
        <a href="/account">Your account</a>
      </p>
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
        <Form action={`${SESSIONS_PATH}/sign-out-others`} token={token}>
          <Button kind="secondary">Sign out everywhere else</Button>
        </Form>
      )}
      <ZoneNote zone={zone} />
      <Sessions {...view} />
      {sessions.hasMore && (
        <p>
          {`Only the ${maxListedSessions} other sessions that were used last are listed. “Sign out everywhere else” ends all of them.`}
        </p>
      )}
    </>
  );
}

function Sessions({ sessions: { own, others }, zone, token }: SessionsProps) {
  return (
    <DataTable
      caption="Where you are signed in: this session, then the others, the last used first"
      columns={columnsFor({ zone, token })}
      rows={[{ ...own, isThis: true }, ...others.map((session) => ({ ...session, isThis: false }))]}
      keyOf={({ id }) => id}
    />
  );
}

function columnsFor({ zone, token }: Omit<SessionsProps, 'sessions'>): readonly Column<SessionRow>[] {
  return [
    {
      title: 'Device',
      cell: (session) => (
        <div class="stack">
          <span>{deviceText(session)}</span>
          {session.isThis && <Badge tone="success">This session</Badge>}
        </div>
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

function SignedInWith({ organization }: Pick<ListedSession, 'organization'>) {
  if (organization === null) return <>Password</>;
  return (
    <div class="stack">
      <span>Login link</span>
      <bdi class="secondary-text">{organization.name}</bdi>
    </div>
  );
}

function SignOutThere({ session, token }: { readonly session: ListedSession; readonly token: FormToken }) {
  return (
    <Form action={`${SESSIONS_PATH}/${session.id}/sign-out`} token={token}>
      <Button kind="secondary" isSmall aria-label={`Sign out: ${deviceText(session)}`}>
        Sign out
      </Button>
    </Form>
  );
}
