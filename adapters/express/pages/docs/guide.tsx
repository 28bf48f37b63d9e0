import type { Organization } from '@rollcall/core';
import { Fragment } from 'preact';
import { frameOf } from '../access.js';
import { OnThisPage } from '../design/components.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import { type GuideSection, GuideText, guideSections } from './guide-text.js';
import { DocsNav } from './reference.js';

/** How to use the API. A test runs every command and program in it. */
export const guide: Page = {
  path: paths.guide,
  kind: 'guide',
  async get(visit) {
    const { serviceName, facts, address } = visit;
    const values = await readerValues(visit);
    const sections = guideSections(facts, serviceName);
    const body = <GuideView {...{ sections, serviceName, values }} url={address.url} />;
    visit.frame = await frameOf(visit);
    visit.show({ title: 'Guide', body });
  },
};

interface GuideViewProps {
  readonly sections: readonly GuideSection[];
  readonly serviceName: string;
  /** The address of the service. */
  readonly url: string;
  readonly values: ReaderValues;
}

function GuideView({ sections, serviceName, url, values }: GuideViewProps) {
  const { organization, accessKey } = values;
  const given = { url, organization, access_key: accessKey };
  return (
    <div class="guide">
      <DocsNav current="guide" />
      <h1>Guide</h1>
      <p>Run the commands in one shell, in this order.</p>
      <Values {...values} />
      <OnThisPage parts={sections} />
      {sections.map(({ id, title, tokens }) => (
        <section key={id} aria-labelledby={id}>
          <h2 id={id}>
            <a href={`#${id}`}>{title}</a>
          </h2>
          <GuideText {...{ tokens, serviceName }} values={given} />
        </section>
      ))}
    </div>
  );
}

/** Tells whose values the commands have, and what the reader has to fill in. */
function Values({ own, others, isComplete, isReplaced }: ReaderValues) {
  if (own === null)
    return isReplaced ? (
      <p>
        They are for the demo, whose access key was replaced: put the new one into the third line. To use your
        own organization, change the first three lines.
      </p>
    ) : isComplete ? (
      <p>They work with the demo as they are. To use your own organization, change the first three lines.</p>
    ) : (
      <p>
        Fill in your organization’s number and access key first. If you are an owner or admin,{' '}
        <a href="/sign-in?next=%2Fdocs%2Fguide">sign in</a> to see your number here.
      </p>
    );
  return (
    <>
      <p>
        They are for{' '}
        <strong>
          <bdi>{own.name}</bdi>
        </strong>
        , organization {own.id}.{' '}
        {isComplete
          ? 'They work as they are.'
          : isReplaced
            ? 'The demo’s access key was replaced: put the new one into the third line.'
            : 'Fill in your access key first.'}
      </p>
      {others.length > 0 && (
        <p>
          Show them for{' '}
          {others.map(({ id, name }, index) => (
            <Fragment key={id}>
              {index === 0 ? '' : index === others.length - 1 ? ' or ' : ', '}
              <a href={`/docs/guide?organization=${id}`}>{name}</a>
            </Fragment>
          ))}
          .
        </p>
      )}
    </>
  );
}

/** The values with which the commands of the guide begin. */
export interface ReaderValues {
  readonly organization: string;
  readonly accessKey: string;
  /** The commands work without a change. */
  readonly isComplete: boolean;
  /** The published access key was replaced, so that the reader has to fill in the new one. */
  readonly isReplaced: boolean;
  /** The reader's organization; null: the reader is not signed in, or administers none. */
  readonly own: Pick<Organization, 'id' | 'name'> | null;
  /** The other organizations that the reader administers. */
  readonly others: readonly Pick<Organization, 'id' | 'name'>[];
}

/** What a reader has to replace. A shell accepts both, and the API refuses them. */
const UNKNOWN = { organization: 'your-organization-number', accessKey: 'your-24-digit-access-key' };

/** The reader's own organization if the reader administers one, else the published one, else placeholders. */
async function readerValues(visit: Visit): Promise<ReaderValues> {
  const { publishedOrganization: published = null, request } = visit;
  const administered = await administeredBy(visit);
  const own = administered.find(({ id }) => String(id) === request.query.organization) ?? administered[0];
  const id = own?.id ?? published?.id;
  const key = published !== null && published.id === id ? published : null;
  const isComplete = key !== null && (await key.isAccessKeyValid());
  return {
    organization: id === undefined ? UNKNOWN.organization : String(id),
    accessKey: isComplete ? key.accessKey : UNKNOWN.accessKey,
    isComplete,
    isReplaced: key !== null && !isComplete,
    own: own ?? null,
    others: administered.filter((organization) => organization !== own),
  };
}

async function administeredBy({ core, findSession }: Visit): Promise<readonly Organization[]> {
  const session = await findSession();
  if (session === null || session.boundTo !== null) return [];
  const memberships = await core.listMemberships({ userId: session.user.id });
  return memberships.filter(({ role }) => role !== 'member').map(({ organization }) => organization);
}
