import { createHash } from 'node:crypto';
import type { InvitedLine } from '@rollcall/core';
import { maxInvitationLines } from '@rollcall/core/rules';
import { BackLink, Badge, Card, type Column, DataTable, Stack } from '../design/components.js';
import { Checkbox, Form, otherProblems, problemMessage, Submit, TextArea } from '../design/form.js';
import { AUTHOR_FIELD, authorQuery } from '../form.js';
import { memberForm, openedForm, type ShownForm } from '../form-page.js';
import { paths } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import {
  InviteOptions,
  initialOptions,
  invitationLabels,
  LinksCard,
  optionsIn,
  sendMailIn,
} from './invite-user.js';

const fields = ['people', 'send_mail', 'role', 'expires_in_days'] as const;
const labels = { ...invitationLabels, people: 'People' };

/** Invites everyone in a pasted list. The same list gives the same links again. */
export const inviteLines = memberForm({
  path: paths.inviteMany(':id'),
  isLarge: true,
  ...{ fields, labels },
  about: () => null,
  initial: (_about, { sendsMail }) => ({ people: '', send_mail: sendsMail ? '1' : '', ...initialOptions }),
  async send(visit, typed) {
    const { people: text } = typed;
    const { core, cookies, organization, by, request, response } = visit;
    const isMailWanted = sendMailIn(visit);
    // A list that the browser sends twice, as by a reload, is known by this.
    const hash = createHash('sha256').update(`${organization.id} ${text}`).digest('base64url');
    const mailed = (cookies.read(request, 'mailed-lists') ?? '').split('.');
    const isRepeated = isMailWanted && mailed.includes(hash);
    const sendMail = isMailWanted && !isRepeated;
    const lines = await core.inviteLines({ organization, text, ...optionsIn(typed), sendMail, by });
    if (sendMail) {
      const value = [hash, ...mailed].slice(0, MAX_MAILED_LISTS).join('.');
      cookies.set(response, { name: 'mailed-lists', value, seconds: REPEATED_SECONDS });
    }
    const { people, leftOut } = refused(text, lines);
    const form = openedForm({ labels, initial: () => ({ ...typed, people }) }, null, visit);
    showList(visit, { form, leftOut, lines, isRepeated });
  },
  show: (visit, form) => showList(visit, { form, leftOut: [], lines: [], isRepeated: false }),
});

/** How long the same list sends no second emails. */
const REPEATED_SECONDS = 60 * 60;
/** As many as fit into a cookie, beside others. */
const MAX_MAILED_LISTS = 20;

/** The refused lines: those to correct and send again, and those that need no second try. */
function refused(text: string, lines: readonly InvitedLine[]) {
  const inputLines = text.split(/\r\n|\r|\n/);
  const inputOf = ({ line }: InvitedLine) => inputLines[line - 1] ?? '';
  const isDone = (found: InvitedLine) =>
    found.problems.some(
      ({ code }) =>
        code === 'already-member' ||
        // Another person with an earlier line's address may be a slip.
        (code === 'duplicate' && inputLines.indexOf(inputOf(found)) < found.line - 1),
    );
  const notInvited = lines.filter(({ invited }) => invited === null);
  return {
    people: notInvited
      .filter((found) => !isDone(found))
      .map(inputOf)
      .join('\n'),
    leftOut: notInvited.filter(isDone).map(({ line }) => line),
  };
}

/** The page: a form, and the results of a list that was sent. */
interface List {
  /** Of a list that was sent, it has the lines that could not be invited. */
  readonly form: ShownForm<(typeof fields)[number], null>;
  /** The numbers of the other lines that could not be invited. */
  readonly leftOut: readonly number[];
  /** The result of each line. Empty if no list was sent. */
  readonly lines: readonly InvitedLine[];
  readonly isRepeated: boolean;
}

function showList(visit: MemberVisit, list: List): void {
  const { organization } = visit;
  const { form, leftOut, lines, isRepeated } = list;
  const invited = lines.filter((line) => line.invited !== null).length;
  const isRefused = lines.length > 0 && invited === 0;
  visit.show(
    {
      title: `Invite many people to ${organization.name}`,
      problems: isRefused ? otherProblems : form.problems,
    },
    <BackLink href={paths.invite(organization.id)}>Invite someone</BackLink>,
    <h1>{lines.length === 0 ? 'Invite many people' : countsOf(invited, lines.length)}</h1>,
    isRepeated && <p>You have just sent this list, so nobody was emailed again.</p>,
    invited > 0 && (
      <p class="secondary-text">
        The links stay in the list of invitations. If you renew or revoke an invitation, its link here stops
        working.
      </p>
    ),
    lines.length > 0 && <Results {...{ visit, list }} />,
    leftOut.length > 0 && <p>{leftOutText(leftOut)}</p>,
    (form.values.people !== '' || lines.length === 0) && <ListForm {...{ visit, list }} />,
  );
}

function countsOf(invited: number, all: number): string {
  const people = all === 1 ? 'person' : 'people';
  return invited === all ? `Invited ${all} ${people}` : `Invited ${invited} of ${all} ${people}`;
}

/** The table says why. */
function leftOutText(lines: readonly number[]): string {
  return lines.length === 1
    ? `Line ${lines[0]} needs no second try, because the person is a member or in an earlier line.`
    : `Lines ${new Intl.ListFormat('en').format(lines.map(String))} need no second try, because these people are members or in an earlier line.`;
}

type ListProps = PartProps<{ list: List }>;

function ListForm({ visit, list: { form, lines } }: ListProps) {
  const { organization, token, sendsMail } = visit;
  const { values, problems, control } = form;
  const action = `${paths.inviteMany(organization.id)}${authorQuery(token.fields[AUTHOR_FIELD])}`;
  return (
    <Card id="list" title={lines.length === 0 ? 'Paste a list' : 'Fix the other lines and try again'}>
      {lines.length === 0 && (
        <p>
          Enter one person per line: email address, first name, last name and, if you use them, the identity
          provider ID, separated by commas, semicolons or tabs. You can paste from a spreadsheet. Invalid
          lines are skipped.
        </p>
      )}
      <Form {...{ action, token }} problem={problems.general}>
        <TextArea
          {...control('people')}
          rows={10}
          help={`Up to ${maxInvitationLines} lines, such as: dana@example.com, Dana, Kim`}
        />
        <InviteOptions {...{ visit, form }} />
        {sendsMail && (
          <Checkbox name="send_mail" label="Email everyone their link" checked={values.send_mail !== ''} />
        )}
        <Submit label="Invite" />
      </Form>
    </Card>
  );
}

function Results({ visit, list: { form, lines } }: ListProps) {
  const invited = lines.flatMap((line) => line.invited ?? []);
  return (
    <>
      <DataTable caption="Result of each line" columns={columnsFor(visit.organization.id)} rows={lines} />
      {invited.length > 0 && (
        <LinksCard {...{ visit, invited }} label="All links" isMain={form.values.people === ''} />
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
          <a href={paths.invitation(organizationId, invited.uuid)}>
            <bdi>{invited.email}</bdi>
          </a>
        ),
    },
    {
      title: 'Result',
      cell: ({ invited, problems }) => (
        <Stack>
          <span>
            <Badge tone={invited === null ? 'error' : 'success'}>
              {invited === null ? 'Not invited' : 'Invited'}
            </Badge>
          </span>
          {invited === null && (
            <span>{problems.map((problem) => problemMessage(problem, labels)).join('. ')}</span>
          )}
          {invited?.isMailed === false && (
            <span>Not emailed: too many such emails today. Send the link yourself</span>
          )}
        </Stack>
      ),
    },
  ];
}
