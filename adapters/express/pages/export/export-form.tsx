import type { ReportType } from '@rollcall/core';
import { exportColumns, reportTypes } from '@rollcall/core/rules';
import { Button, Icon } from '../design/components.js';
import {
  Checkbox,
  choicesOf,
  Field,
  FormProblem,
  type FormProblems,
  GroupProblem,
  Select,
} from '../design/form.js';
import { inEnglish } from '../design/list.js';
import { zoneName } from '../design/times.js';
import type { PartProps } from '../visit.js';
import {
  COLUMN_PRESET,
  columnGroups,
  columnPresets,
  type ExportChoice,
  fields,
  labels,
  localTime,
} from './export-choice.js';

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
