import type { ReportType } from '@rollcall/core';
import { exportColumns, reportTypes } from '@rollcall/core/rules';
import { Banner } from '../design/banner.js';
import { Button } from '../design/button.js';
import { Checkbox, Field, type FormProblems, Select } from '../design/form.js';
import { zoneName } from '../design/times.js';
import { COLUMN_PRESET, type ExportChoice, fields, localTime } from './export-choice.js';

export const FORM_ID = 'export';

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
  /** The path of the page. */
  readonly path: string;
  readonly choice: ExportChoice;
  readonly problems: FormProblems;
  /** The zone of the presets and times. */
  readonly timeZone: string;
}

/** The form changes nothing, so it has no token. Its choices are in the address, which can be bookmarked. */
export function ExportForm({ path, choice, problems, timeZone }: ExportFormProps) {
  const zone = zoneName(timeZone);
  return (
    <form id={FORM_ID} method="get" action={`${path}#preview`} noValidate>
      {problems.general !== null && (
        <Banner tone="error" role="alert">
          {problems.general}
        </Banner>
      )}
      {/* Enter in a field presses the first button of the form. */}
      <button class="visually-hidden" type="submit" tabIndex={-1} aria-hidden="true">
        Preview
      </button>
      <Columns path={path} choice={choice} problem={problems.fields.columns} />
      <div class="columns">
        <Select
          name={fields.reportingDays}
          label="Range"
          choices={Object.entries(presetLabels).map(([value, text]) => ({ value, text }))}
          value={choice.reportingDays}
          help={`“Completed meetings” leaves out upcoming and canceled ones. “Everything” has them all. Days begin at midnight in ${zone}.`}
          problem={problems.fields.reportingDays}
        />
        <Select
          name={fields.reportType}
          label="Report"
          choices={reportTypes.map((value) => ({ value, text: reportLabels[value] }))}
          value={choice.reportType}
          problem={problems.fields.reportType}
        />
        <Time field="startTime" label="From" {...{ choice, problems, zone }} />
        <Time field="endTime" label="To" {...{ choice, problems, zone }} />
      </div>
      <div class="actions">
        <Button kind="primary">Preview</Button>
      </div>
    </form>
  );
}

interface ColumnsProps {
  readonly path: string;
  readonly choice: ExportChoice;
  readonly problem: string | undefined;
}

function Columns({ path, choice, problem }: ColumnsProps) {
  return (
    <fieldset id="columns" {...(problem !== undefined && { 'aria-describedby': 'column-hint' })}>
      <legend>Columns</legend>
      <div class="checkboxes">
        {exportColumns.map(({ key, label }) => (
          <Checkbox
            key={key}
            name={fields.columns}
            label={label}
            value={key}
            checked={choice.columns.includes(key)}
          />
        ))}
      </div>
      {problem !== undefined && (
        <p class="field-problem" id="column-hint">
          {problem}
        </p>
      )}
      <div class="actions">
        <ColumnPresetButton path={path} value="all" text="Select all" />
        <ColumnPresetButton path={path} value="defaults" text="Reset to defaults" />
      </div>
    </fieldset>
  );
}

/** Sends the form with its current input, so that nothing is lost. */
function ColumnPresetButton({
  path,
  value,
  text,
}: Pick<ColumnsProps, 'path'> & { readonly value: 'all' | 'defaults'; readonly text: string }) {
  return (
    <Button kind="quiet" isSmall name={COLUMN_PRESET} value={value} formAction={`${path}#columns`}>
      {text}
    </Button>
  );
}

interface TimeProps extends Pick<ExportFormProps, 'choice' | 'problems'> {
  readonly field: 'startTime' | 'endTime';
  readonly label: string;
  readonly zone: string;
}

/** Set both or neither, because one alone has no meaning. */
function Time({ field, label, choice, problems, zone }: TimeProps) {
  return (
    <Field
      name={fields[field]}
      label={label}
      type="datetime-local"
      autocomplete="off"
      isRequired={false}
      value={localTime(choice[field])}
      help={`Optional: limit to this period. Times are in ${zone}.`}
      problem={problems.fields[field]}
    />
  );
}
