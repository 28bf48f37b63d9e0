import type { DirectoryView } from '@rollcall/core';
import {
  Actions,
  BackLink,
  Badge,
  Card,
  type Column,
  CopyText,
  DataTable,
  Facts,
  Stack,
} from '../design/components.js';
import { inEnglish } from '../design/list.js';
import { Timestamp, ZonedTime } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';
import { SetupTime } from '../sign-on/setup-link.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { FindPersonCard, findPerson, nameIn } from './find-person.js';
import { baseAddress, directoryOf } from './issue-directory-token.js';
import { Mappings } from './mappings.js';

/** The directory of the organization: its token, its people, and what its provider has asked for. */
export const readDirectory = memberPage({
  path: paths.directory(':id'),
  isForSetup: true,
  async get(visit) {
    const { organization, isSetup } = visit;
    const directory = await directoryOf(visit);
    const searched = isSetup ? null : await findPerson(visit);
    visit.show(
      { title: `Directory of ${organization.name}`, notice: visit.consumeNotice() },
      !isSetup && <BackLink href={paths.settings(organization.id)}>Settings</BackLink>,
      <h1>Directory</h1>,
      <SetupTime {...{ visit }} />,
      <TokenCard {...{ visit, directory }} />,
      <PeopleCard {...{ visit, directory }} />,
      searched !== null && <FindPersonCard {...{ visit, searched }} />,
      !isSetup && <InactiveCard {...{ directory }} />,
      <Card id="mapping" title="What to map">
        <Mappings />
      </Card>,
      <RequestsCard {...{ visit, directory }} />,
    );
  },
});

type CardProps = PartProps<{ directory: DirectoryView }>;

function TokenCard({ visit, directory: { tokens } }: CardProps) {
  const { organization, zone, isSetup } = visit;
  const [current] = tokens;
  const old = tokens.find(({ endsAt }) => endsAt !== null);
  return (
    <Card id="connection" title="Connection">
      <p>
        Your identity provider adds, changes and deactivates your people over SCIM 2.0. Deactivated people
        lose their access within a second, and have the same role and ID when they return.
      </p>
      <CopyText id="base-address" label="Base address" text={baseAddress(visit)} isLong />
      <Facts
        of={{
          Directory:
            current === undefined ? <Badge tone="neutral">Off</Badge> : <Badge tone="success">On</Badge>,
          'Token created': current !== undefined && <Timestamp at={current.createdAt} zone={zone} />,
          'Last used':
            current !== undefined &&
            (current.usedAt === null ? 'Never' : <Timestamp at={current.usedAt} zone={zone} />),
          'Old token': old?.endsAt != null && (
            <>
              Works until <ZonedTime at={old.endsAt} zone={zone} />, last used:{' '}
              {old.usedAt === null ? 'never' : <Timestamp at={old.usedAt} zone={zone} />}
            </>
          ),
        }}
      />
      <Actions
        primary={{ 'Turn the directory on': current === undefined && paths.directoryToken(organization.id) }}
        destructive={{
          'Replace the token': current !== undefined && paths.directoryToken(organization.id),
          'End the old token': old !== undefined && paths.oldDirectoryToken(organization.id),
          'Turn the directory off': current !== undefined && !isSetup && paths.directoryOff(organization.id),
        }}
      />
    </Card>
  );
}

function PeopleCard({ visit: { organization, isSetup }, directory: { counts } }: CardProps) {
  return (
    <Card id="people" title="People">
      <Facts
        of={{
          Active: (
            <>
              {inEnglish(counts.active)}{' '}
              {!isSetup && <a href={paths.people(organization.id)}>Show the people</a>}
            </>
          ),
          Inactive: inEnglish(counts.inactive),
          'Active without an identity provider ID': inEnglish(counts.withoutIdpId),
          'Waiting invitations': (
            <>
              {inEnglish(counts.invited)}{' '}
              {!isSetup && (
                <a href={withQuery(paths.invitations(organization.id), { state: 'pending' })}>
                  Show the invitations
                </a>
              )}
            </>
          ),
        }}
      />
      <p class="secondary-text">
        Someone whose address has an account already is invited, and becomes a member by accepting. Your
        programs can’t find people without an identity provider ID: map an ID to externalId.
      </p>
    </Card>
  );
}

/** They are no members, so they are on no other page. */
function InactiveCard({ directory: { counts, inactive } }: Pick<CardProps, 'directory'>) {
  if (inactive.length === 0) return null;
  return (
    <section class="card" aria-labelledby="inactive">
      <details>
        <summary id="inactive">Inactive people</summary>
        <p>
          Your provider has deactivated them, or their membership was ended here. They come back when it
          activates them.
        </p>
        <ul>
          {inactive.map(({ uuid, userName, email, ...names }) => (
            <li key={uuid}>
              <bdi>{[nameIn(names), email ?? userName].filter(Boolean).join(', ')}</bdi>
            </li>
          ))}
        </ul>
        {counts.inactive > inactive.length && (
          <p class="secondary-text">
            These are {inEnglish(inactive.length)} of {inEnglish(counts.inactive)}.
          </p>
        )}
      </details>
    </section>
  );
}

type Request = DirectoryView['requests'][number];

function RequestsCard({ visit, directory: { requests } }: CardProps) {
  return (
    <Card id="requests" title="Last requests">
      {requests.length === 0 ? (
        <p>None yet. Test the connection at your identity provider.</p>
      ) : (
        <>
          <p class="secondary-text">
            A refused request shows no names here. To see whom it was about, look at that time in the log of
            your provider.
          </p>
          <DataTable
            caption="The last 200 requests, newest first"
            columns={columnsFor(visit)}
            rows={requests}
          />
        </>
      )}
    </Card>
  );
}

/** Someone with the set-up link sees no people. */
function columnsFor({ zone, organization, isSetup }: MemberVisit): readonly Column<Request>[] {
  const path = paths.directory(organization.id);
  return [
    { title: 'Time', cell: ({ at }) => <Timestamp at={at} zone={zone} hasSeconds />, isShort: true },
    {
      title: 'Request',
      cell: ({ method, uuid }) => (
        <Stack>
          <code>{method}</code>
          {uuid !== null && isSetup && <bdi class="id">{uuid}</bdi>}
          {uuid !== null && !isSetup && (
            <a href={`${withQuery(path, { search: uuid })}#find`} class="id">
              {uuid}
            </a>
          )}
        </Stack>
      ),
    },
    {
      title: 'Answer',
      cell: ({ status, reason }) => (
        <Stack>
          <Badge tone={status >= 400 ? 'error' : 'success'}>{String(status)}</Badge>
          <span>{reason}</span>
        </Stack>
      ),
    },
  ];
}
