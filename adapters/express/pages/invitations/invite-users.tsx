import type { InvitedLine } from '@rollcall/core';
import { answerLifetimeMs, maxInvitationLines } from '@rollcall/core/rules';
import { Button, ButtonLink } from '../design/button.js';
import { Badge, type Column, CopyText, DataTable } from '../design/components.js';
import {
  Checkbox,
  Form,
  type FormProblems,
  INVALID_FORM_STATUS,
  noProblems,
  problemsOf,
  TextArea,
} from '../design/form.js';
import { problemMessage } from '../design/problem-message.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { authorQuery, isOwnForm, openForm } from '../kept-form.js';
import { isTextKey, keepText, newTextKey } from '../kept-text.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, isAuthorized, requireMember, showPageTo, type Visit } from '../visit.js';
import { invitationPath, invitationsPath } from './invitation-paths.js';
import { linksAdvice, personLabels, sendMailIn } from './invite-form.js';

const labels = { ...personLabels, people: 'People' };
/** Enough for as many lines as a list may have, of 2000 bytes each. */
const MAX_FORM_BYTES = maxInvitationLines * 2000;

/** Invites everyone in a pasted list. The same list gives the same links again. */
export function inviteUsers(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/many',
    largeForm: {
      size: MAX_FORM_BYTES,
      isAllowed: async (request) =>
        isOwnForm(deps, request) || (await isAuthorized(deps, { role: 'admin' }, request)),
    },
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { token, kept } = await openForm(deps, visit);
      const results = await readResults(deps, visit);
      if (results === 'forgotten') return showForgotten(deps, visit);
      const typed = { people: kept?.people ?? '', lines: [], sendMail: (kept?.send_mail ?? '') !== '' };
      showList(deps, visit, { ...(results ?? typed), problems: noProblems, token });
    }),
    keptForm: { fields: ['people', 'send_mail'] },
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      const text = fieldOf(request, 'people');
      const sendMail = deps.sendsMail && sendMailIn(request);
      const { token } = await openForm(deps, visit);
      try {
        const lines = await deps.core.inviteUsers({ organization, text, sendMail, by: actorOf(visit) });
        const results = { people: refusedLines(text, lines), lines, sendMail };
        if (lines.some(({ invited }) => invited !== null)) return await keepResults(deps, visit, results);
        showList(deps, visit, { ...results, problems: noProblems, token });
      } catch (error) {
        const problems = problemsOf(error, labels);
        showList(deps, visit, { people: text, problems, lines: [], sendMail, token });
      }
    }),
  };
}

/** The lines to correct and send again. */
function refusedLines(text: string, lines: readonly InvitedLine[]): string {
  const inputLines = text.split(/\r\n|\r|\n/);
  return lines
    .filter(({ invited }) => invited === null)
    .map(({ line }) => inputLines[line - 1] ?? '')
    .join('\n');
}

/** The results of a list that was sent. */
interface Results {
  /** The text in the form: the lines that could not be invited. */
  readonly people: string;
  /** The result of each line. Empty if no list was sent. */
  readonly lines: readonly InvitedLine[];
  /** Whether the box for a mail is checked. */
  readonly sendMail: boolean;
}

const OPERATION = 'results-of-inviting-many';
const RESULTS_SECONDS = answerLifetimeMs / 1000;

/** Leads to the results, which can be read again for as long as `answerOnce` keeps them. */
async function keepResults(deps: PageDeps, visit: Visit, results: Results): Promise<void> {
  const { organization, request, response } = visit;
  const key = newTextKey();
  const kept = { organizationId: organization.id, operation: OPERATION, key, text: JSON.stringify(results) };
  await keepText(deps, kept);
  const value = `${organization.id}.${key}`;
  deps.cookies.set(response, { name: 'last-results', value, seconds: RESULTS_SECONDS });
  response.redirect(303, resultsPath(request.path, key));
}

/** The results that the address names. Null if it names none. */
async function readResults(deps: PageDeps, visit: Visit): Promise<Results | 'forgotten' | null> {
  const { organization, request } = visit;
  const { results: key } = request.query;
  if (key === undefined) return null;
  if (!isTextKey(key)) return 'forgotten';
  const kept = await deps.core.readAnswer({ organization, operation: OPERATION, key });
  return kept === null ? 'forgotten' : JSON.parse(kept);
}

function resultsPath(path: string, key: string): string {
  return `${path}?results=${key}`;
}

/** The path of the last results in this browser. Null if there are none, or they are on this page. */
function lastResults({ cookies }: PageDeps, { organization, request }: Visit): string | null {
  const [organizationId, key] = (cookies.read(request, 'last-results') ?? '').split('.');
  if (organizationId !== String(organization.id) || !isTextKey(key) || key === request.query.results)
    return null;
  return resultsPath(request.path, key);
}

function showForgotten(deps: PageDeps, visit: Visit): void {
  const path = invitationsPath(visit.organization.id);
  showPageTo(visit, deps, {
    title: 'These results are no longer kept',
    body: (
      <section class="card narrow">
        <h1>These results are no longer kept</h1>
        <p>
          The results of a list can be read for 24 hours. Every invitation, with its link and its state, stays
          in the list of invitations.
        </p>
        <div class="actions">
          <ButtonLink kind="primary" href={path}>
            All invitations
          </ButtonLink>
          <ButtonLink kind="quiet" href={`${path}/many`}>
            Invite many people
          </ButtonLink>
        </div>
      </section>
    ),
  });
}

interface List extends Results {
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function showList(deps: PageDeps, visit: Visit, list: List): void {
  const { organization } = visit;
  const last = lastResults(deps, visit);
  const invited = list.lines.filter((line) => line.invited !== null).length;
  const refused = list.problems !== noProblems || (list.lines.length > 0 && invited === 0);
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}Invite many people to ${organization.name}`,
    body: (
      <>
        <p class="back-link">
          <a href={invitationsPath(organization.id)}>All invitations</a>
        </p>
        <h1>{list.lines.length === 0 ? 'Invite many people' : countsOf(invited, list.lines.length)}</h1>
        {last !== null && (
          <p>
            <a href={last}>Results of your last list</a>
          </p>
        )}
        {invited > 0 && (
          <p class="secondary-text">
            You can open this page again for 24 hours. If you renew or revoke an invitation, its link here
            stops working.
          </p>
        )}
        {list.lines.length > 0 && (
          <Results {...list} organizationId={organization.id} sendsMail={deps.sendsMail} />
        )}
        {(list.people !== '' || list.lines.length === 0) && (
          <ListForm
            list={list}
            path={`${invitationsPath(organization.id)}/many`}
            sendsMail={deps.sendsMail}
          />
        )}
      </>
    ),
  });
}

function countsOf(invited: number, all: number): string {
  return invited === all
    ? `Invited ${all} ${all === 1 ? 'person' : 'people'}`
    : `Invited ${invited} of ${all} ${all === 1 ? 'person' : 'people'}`;
}

interface ListFormProps {
  readonly list: List;
  /** The path of the page. */
  readonly path: string;
  readonly sendsMail: boolean;
}

function ListForm({ list: { people, problems, lines, sendMail, token }, path, sendsMail }: ListFormProps) {
  return (
    <section class="card" aria-labelledby="list">
      <h2 id="list">{lines.length === 0 ? 'Paste a list' : 'Fix the other lines and try again'}</h2>
      {lines.length === 0 && (
        <p>
          Enter one person per line: email address, first name, last name and, if you use them, the identity
          provider ID, separated by commas, semicolons or tabs. You can paste from a spreadsheet. Invalid
          lines are skipped.
        </p>
      )}
      <Form action={`${path}${authorQuery(token)}`} token={token} problem={problems.general}>
        <TextArea
          name="people"
          label={labels.people}
          rows={10}
          value={people}
          help={`Up to ${maxInvitationLines} lines, such as: dana@example.com, Dana, Kim`}
          problem={problems.fields.people}
        />
        {sendsMail && <Checkbox name="send_mail" label="Email everyone their link" checked={sendMail} />}
        <div class="actions">
          <Button kind="primary">Invite</Button>
        </div>
      </Form>
    </section>
  );
}

interface ResultsProps extends Pick<List, 'people' | 'lines'> {
  readonly organizationId: number;
  readonly sendsMail: boolean;
}

function Results({ people, lines, organizationId, sendsMail }: ResultsProps) {
  const urls = lines.flatMap(({ invited }) =>
    invited === null ? [] : [`${invited.email}\t${invited.invitationUrl}`],
  );
  return (
    <>
      <DataTable
        caption="Result of each line"
        columns={columnsFor(organizationId)}
        rows={lines}
        keyOf={({ line }) => line}
      />
      {urls.length > 0 && (
        <section class="card">
          <p>{linksAdvice({ sendsMail, invited: lines.flatMap(({ invited }) => invited ?? []) })}</p>
          <CopyText id="urls" label="All links" text={urls.join('\n')} isLong isMain={people === ''} />
        </section>
      )}
    </>
  );
}

function columnsFor(organizationId: number): readonly Column<InvitedLine>[] {
  return [
    { title: 'Line', cell: ({ line }) => line, isNumber: true, isLabelled: true },
    {
      title: 'Email address',
      cell: ({ email, invited }) =>
        invited === null ? (
          <bdi>{email === '' ? '–' : email}</bdi>
        ) : (
          <a href={invitationPath(organizationId, invited.uuid)}>
            <bdi>{invited.email}</bdi>
          </a>
        ),
    },
    {
      title: 'Result',
      cell: ({ invited, problems }) =>
        invited === null ? (
          <div class="stack">
            <span>
              <Badge tone="error">Not invited</Badge>
            </span>
            <span>{problems.map((problem) => problemMessage(problem, labels)).join('. ')}</span>
          </div>
        ) : (
          <div class="stack">
            <span>
              <Badge tone="success">Invited</Badge>
            </span>
            {invited.isMailed === false && (
              <span>Not emailed: too many such emails today. Send the link yourself</span>
            )}
          </div>
        ),
    },
  ];
}
