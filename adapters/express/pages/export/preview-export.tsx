import type { ExportPreview, ReportType } from '@rollcall/core';
import { exportColumns, reportTypes } from '@rollcall/core/rules';
import { BackLink, Button, Card, CopyText, DataTable, Empty, Icon } from '../design/components.js';
import {
  Checkbox,
  choicesOf,
  Field,
  FormProblem,
  type FormProblems,
  GroupProblem,
  noProblems,
  Select,
} from '../design/form.js';
import { inEnglish } from '../design/list.js';
import { zoneName } from '../design/times.js';
import { guideCommand } from '../docs/guide-text.js';
import { sendDownload } from '../download.js';
import { memberPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import type { MemberVisit, PartProps } from '../visit.js';
import {
  apiQuery,
  COLUMN_PRESET,
  choiceIn,
  columnGroups,
  columnPresets,
  type ExportChoice,
  fields,
  foundFor,
  labels,
  localTime,
  rangeName,
} from './export-choice.js';

/** The export of section 4.6 as a form, for people who write no programs (decision 98). */
export const previewExport = memberPage({
  path: paths.exports(':id'),
  async get(visit) {
    const { core, organization, request } = visit;
    const choice = choiceIn(request);
    // It is no mistake that no column is selected, if the reader wants to select them anew.
    if (request.query[COLUMN_PRESET] === 'none') return showExport(visit, choice, noProblems);
    showExport(visit, choice, await foundFor(choice, () => core.previewExport({ organization, ...choice })));
  },
});

const envelopes = { json: ['{"success":true,"meetings":[', ']}'], csv: ['', ''] } as const;

/** Sends the file. The JSON has the same bytes as the API's answer. */
export function exportMeetings(form: keyof typeof envelopes): Page {
  const [before, after] = envelopes[form];
  return memberPage({
    path: paths.exportFile(':id', form),
    async get(visit) {
      const { core, organization, request } = visit;
      const choice = choiceIn(request);
      const exported = await foundFor(choice, () => core.exportMeetings({ organization, form, ...choice }));
      if (!('chunks' in exported)) return showExport(visit, choice, exported);
      const { chunks } = exported;
      const name = `meetings-${rangeName(choice)}`;
      await sendDownload(visit, { name, form, record: { form }, before, chunks, after });
    },
  });
}

/** Shows the form, with the meetings that it asks for or its problems. */
function showExport(visit: MemberVisit, choice: ExportChoice, found: ExportPreview | FormProblems): void {
  const { organization } = visit;
  const [preview, problems] = 'rows' in found ? [found, noProblems] : [null, found];
  const path = paths.exports(organization.id);
  visit.show(
    { title: `Export meetings of ${organization.name}`, problems, problemsFragment: 'preview' },
    <BackLink href={listPath(visit, paths.organizationMeetings(organization.id))}>Meetings</BackLink>,
    <h1>Export meetings</h1>,
    <Card id="export-title" title="What to export">
      <ExportForm {...{ visit, path, choice, problems }} totalCount={preview?.totalCount ?? null} />
    </Card>,
    <div id="results" data-live>
      {preview !== null && (
        <>
          <PreviewView path={path} preview={preview} />
          <ApiCall {...{ visit, choice }} />
        </>
      )}
    </div>,
  );
}

function ApiCall({ visit, choice }: PartProps<{ choice: ExportChoice }>) {
  const { organization, address, role } = visit;
  // Shell commands that save the file. The reader puts their access key into the second line.
  const command = `API=${address.url}/api/v2
ACCESS_KEY='your access key, 24 digits'
${guideCommand('authenticate')}
curl -sS -f -g -o meetings.json -H "Authorization: Bearer $TOKEN" \\
  "$API/organizations/${organization.id}/export_meetings?${apiQuery(choice)}"`;
  const isOwner = role === 'owner';
  return (
    <details class="card">
      <summary>Export with the API</summary>
      <p>
        {isOwner ? 'Fill in the access key first.' : 'Ask an owner of your organization for the access key.'}{' '}
        The <a href="/docs/guide/exports">guide</a> explains the rest.
      </p>
      <CopyText id="command" label="Save as meetings.json" text={command} isLong />
    </details>
  );
}

function PreviewView({ path, preview }: { readonly path: string; readonly preview: ExportPreview }) {
  const { totalCount, columns, rows } = preview;
  return (
    <section class="preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      {totalCount === 0 ? (
        <Empty next={{ href: `${path}?reporting_days=everything`, text: 'Preview everything' }}>
          No meetings in this range. Choose another one.
        </Empty>
      ) : (
        <>
          <p class="field-help">
            {rows.length < totalCount && `These are the first ${rows.length}. `}
            Values are as in the file, with times in UTC. In CSV, an apostrophe is put before text that a
            spreadsheet would read as a formula.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
          <section class="scroll-x" aria-label="The first meetings" tabIndex={0}>
            <DataTable
              caption="The first meetings of the export"
              columns={columns.map(({ label, type }, place) => ({
                title: label,
                cell: (values: ExportPreview['rows'][number]) => <Value value={values[place] ?? ''} />,
                isNumber: type === 'price' || type.startsWith('integer'),
              }))}
              rows={rows}
            />
          </section>
        </>
      )}
    </section>
  );
}

function Value({ value }: { readonly value: string | number | boolean }) {
  return value === '' ? <span class="no-value">–</span> : <bdi>{String(value)}</bdi>;
}

const presetLabels = {
  all: 'Completed meetings',
  all_upcoming: 'Upcoming meetings',
  today: 'Meetings today',
  current_month: 'Meetings this month',
  last_week: 'Meetings last week',
  last_month: 'Meetings last month',
  custom: 'Meetings between two times',
  everything: 'Everything',
} as const;

const reportLabels: Record<ReportType, string> = {
  all_meetings: 'All meetings',
  eap_meetings: 'Employee Assistance Program only',
};

type ExportFormProps = PartProps<{
  path: string;
  choice: ExportChoice;
  problems: FormProblems;
  /** The number of meetings in the file. Null if the form has problems to correct first. */
  totalCount: number | null;
}>;

/** The form changes nothing, so it has no token. Its choices are in the address, which can be bookmarked. */
export function ExportForm({ visit, path, choice, problems, totalCount }: ExportFormProps) {
  const { organization, defaultTimeZone } = visit;
  const zone = zoneName(organization.timeZone ?? defaultTimeZone);
  // An organization that runs a program may limit the report to it.
  const hasReports = organization.eap || choice.reportType !== reportTypes[0];
  const control = (field: Exclude<keyof ExportChoice, 'columns'>) => ({
    ...{ name: fields[field], label: labels[field] },
    ...{ value: choice[field], problem: problems.fields[field] },
  });
  const time = (field: 'startTime' | 'endTime') => ({
    ...{ ...control(field), value: localTime(choice[field]) },
    ...{ type: 'datetime-local' as const, autocomplete: 'off' },
  });
  return (
    <form id="export" method="get" action={`${path}#preview`} noValidate data-live-form>
      <FormProblem text={problems.general} />
      {/* Enter in a field presses the first button of the form. */}
      <button class="visually-hidden" type="submit" tabIndex={-1} aria-hidden="true">
        Preview
      </button>
      <div class="columns">
        <Select
          {...control('reportingDays')}
          choices={choicesOf(presetLabels)}
          help={`“Completed meetings” leaves out upcoming and canceled ones. “Everything” has them all. Days begin at midnight in ${zone}.`}
        />
        {hasReports && (
          <Select
            {...control('reportType')}
            choices={reportTypes.map((value) => ({ value, text: reportLabels[value] }))}
          />
        )}
      </div>
      {/* Styles hide it unless the range needs it. A saved address may have times with another range. */}
      <fieldset class="times columns" data-needed-for={`${fields.reportingDays}=custom`}>
        <legend class="visually-hidden">Period</legend>
        <Field {...time('startTime')} help={`Times are in ${zone}.`} />
        <Field {...time('endTime')} />
      </fieldset>
      <Columns {...{ path, choice, problems }} />
      <Result {...{ path, totalCount }} />
    </form>
  );
}

const columnLabels = new Map<string, string>(exportColumns.map(({ key, label }) => [key, label]));

function Columns({ path, choice, problems }: Pick<ExportFormProps, 'path' | 'choice' | 'problems'>) {
  const problem = problems.fields.columns;
  return (
    <fieldset id="columns" {...(problem !== undefined && { 'aria-describedby': 'column-hint' })}>
      <legend>{labels.columns}</legend>
      <div class="actions">
        {/* Each sends the form with its current input, so that nothing is lost. */}
        {[...columnPresets].map(([value, { text }]) => (
          <Button
            key={value}
            kind="quiet"
            isSmall
            name={COLUMN_PRESET}
            value={value}
            formAction={`${path}#columns`}
          >
            {text}
          </Button>
        ))}
      </div>
      <div class="column-groups">
        {Object.entries(columnGroups).map(([title, keys]) => (
          <fieldset key={title}>
            <legend>{title}</legend>
            {keys.map((key) => (
              <Checkbox
                key={key}
                name={fields.columns}
                label={columnLabels.get(key) ?? key}
                value={key}
                checked={choice.columns.includes(key)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <GroupProblem id="column-hint" text={problem} />
    </fieldset>
  );
}

const INCOMPLETE = 'Complete the form to count the meetings.';

/** The number of meetings, which the script keeps up to date, and the downloads. */
function Result({ path, totalCount }: Pick<ExportFormProps, 'path' | 'totalCount'>) {
  const noun = totalCount === 1 ? 'meeting' : 'meetings';
  return (
    <div class="export-result" {...(totalCount !== null && { id: 'preview' })}>
      <p class="count" id="count" role="status" data-live data-incomplete={INCOMPLETE}>
        {totalCount === null ? INCOMPLETE : <strong>{`${inEnglish(totalCount)} ${noun}`}</strong>}
      </p>
      {totalCount !== null && (
        <noscript>
          <p class="field-help">As of the last preview: press “Preview” to count again.</p>
        </noscript>
      )}
      <div class="actions">
        <Button kind="primary" formAction={`${path}/meetings.csv`}>
          <Icon name="download" />
          Download CSV
        </Button>
        <Button formAction={`${path}/meetings.json`}>
          <Icon name="download" />
          Download JSON
        </Button>
        <Button>Preview</Button>
      </div>
    </div>
  );
}
