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
import {
  COLUMN_PRESET,
  columnGroups,
  type columnPresets,
  type ExportChoice,
  fields,
  localTime,
} from './export-choice.js';

const FORM_ID = 'export';

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

interface ExportFormProps {
  readonly path: string;
  readonly choice: ExportChoice;
  readonly problems: FormProblems;
  /** The zone of the presets and times. */
  readonly timeZone: string;
  /** Whether the organization runs a program, which the report may be limited to. */
  readonly hasProgram: boolean;
  /** The number of meetings in the file. Null if the form has problems to correct first. */
  readonly totalCount: number | null;
}

/** The form changes nothing, so it has no token. Its choices are in the address, which can be bookmarked. */
export function ExportForm({ path, choice, problems, timeZone, hasProgram, totalCount }: ExportFormProps) {
  const zone = zoneName(timeZone);
  return (
    <form id={FORM_ID} method="get" action={`${path}#preview`} noValidate data-live-form>
      <FormProblem text={problems.general} />
      {/* Enter in a field presses the first button of the form. */}
      <button class="visually-hidden" type="submit" tabIndex={-1} aria-hidden="true">
        Preview
      </button>
      <div class="columns">
        <Select
          name={fields.reportingDays}
          label="Range"
          choices={choicesOf(presetLabels)}
          value={choice.reportingDays}
          help={`“Completed meetings” leaves out upcoming and canceled ones. “Everything” has them all. Days begin at midnight in ${zone}.`}
          problem={problems.fields.reportingDays}
        />
        {(hasProgram || choice.reportType !== reportTypes[0]) && (
          <Select
            name={fields.reportType}
            label="Report"
            choices={reportTypes.map((value) => ({ value, text: reportLabels[value] }))}
            value={choice.reportType}
            problem={problems.fields.reportType}
          />
        )}
      </div>
      {/* Styles hide it unless the range needs it. A saved address may have times with another range. */}
      <fieldset class="times columns" data-needed-for={`${fields.reportingDays}=custom`}>
        <legend class="visually-hidden">Period</legend>
        <Time field="startTime" label="From" {...{ choice, problems }} help={`Times are in ${zone}.`} />
        <Time field="endTime" label="To" {...{ choice, problems }} />
      </fieldset>
      <Columns path={path} choice={choice} problem={problems.fields.columns} />
      <Result path={path} totalCount={totalCount} />
    </form>
  );
}

interface ColumnsProps {
  readonly path: string;
  readonly choice: ExportChoice;
  readonly problem: string | undefined;
}

const columnLabels = new Map<string, string>(exportColumns.map(({ key, label }) => [key, label]));

function Columns({ path, choice, problem }: ColumnsProps) {
  return (
    <fieldset id="columns" {...(problem !== undefined && { 'aria-describedby': 'column-hint' })}>
      <legend>Columns</legend>
      <div class="actions">
        <ColumnPresetButton path={path} value="all" text="Select all" />
        <ColumnPresetButton path={path} value="none" text="Select none" />
        <ColumnPresetButton path={path} value="defaults" text="Reset to defaults" />
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

/** Sends the form with its current input, so that nothing is lost. */
function ColumnPresetButton({
  path,
  value,
  text,
}: Pick<ColumnsProps, 'path'> & { readonly value: keyof typeof columnPresets; readonly text: string }) {
  return (
    <Button kind="quiet" isSmall name={COLUMN_PRESET} value={value} formAction={`${path}#columns`}>
      {text}
    </Button>
  );
}

const INCOMPLETE = 'Complete the form to count the meetings.';

/** The number of meetings, which the script keeps up to date, and the downloads. */
function Result({ path, totalCount }: Pick<ExportFormProps, 'path' | 'totalCount'>) {
  return (
    <div class="export-result" {...(totalCount !== null && { id: 'preview' })}>
      <p class="count" id="count" role="status" data-live data-incomplete={INCOMPLETE}>
        {totalCount === null ? INCOMPLETE : <strong>{countOf(totalCount)}</strong>}
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

function countOf(totalCount: number): string {
  return `${inEnglish(totalCount)} ${totalCount === 1 ? 'meeting' : 'meetings'}`;
}

interface TimeProps extends Pick<ExportFormProps, 'choice' | 'problems'> {
  readonly field: 'startTime' | 'endTime';
  readonly label: string;
  readonly help?: string;
}

function Time({ field, label, choice, problems, help }: TimeProps) {
  return (
    <Field
      name={fields[field]}
      label={label}
      type="datetime-local"
      autocomplete="off"
      value={localTime(choice[field])}
      {...(help !== undefined && { help })}
      problem={problems.fields[field]}
    />
  );
}
