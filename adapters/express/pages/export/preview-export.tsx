import type { ExportPreview } from '@rollcall/core';
import { BackLink, Card, CopyText, DataTable, Empty } from '../design/components.js';
import { type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { guideCommand } from '../docs/guide-text.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import type { PublicAddress } from '../public-address.js';
import type { MemberVisit } from '../visit.js';
import { apiQuery, choiceIn, type ExportChoice, inputProblems, selectsNone } from './export-choice.js';
import { ExportForm } from './export-form.js';

/** The export of section 4.6 as a form, for people who write no programs (decision 98). */
export const previewExport = memberPage({
  path: paths.exports(':id'),
  section: 'meetings',
  async get(visit) {
    const { core, organization, request } = visit;
    const choice = choiceIn(request);
    if (selectsNone(request)) return showExport(visit, { choice });
    const found =
      formProblemsOf(choice) ?? (await core.previewExport({ organization, ...choice }).catch(exportProblems));
    if (!('rows' in found)) return showExport(visit, { choice, problems: found });
    showExport(visit, { choice, preview: found });
  },
});

/** Null when the form is complete. */
export function formProblemsOf(choice: ExportChoice): FormProblems | null {
  const fields = inputProblems(choice);
  return Object.keys(fields).length === 0 ? null : { general: null, fields };
}

const labels = {
  columns: 'Columns',
  reportingDays: 'Range',
  reportType: 'Report',
  startTime: 'From',
  endTime: 'To',
};

export function exportProblems(error: unknown): FormProblems {
  return problemsOf(error, labels);
}

interface ExportView {
  readonly choice: ExportChoice;
  readonly problems?: FormProblems;
  /** Left out if the form has problems to correct first. */
  readonly preview?: ExportPreview;
}

export function showExport(visit: MemberVisit, view: ExportView): void {
  const { organization, address, role, defaultTimeZone } = visit;
  const { choice, problems = noProblems, preview } = view;
  const path = paths.exports(organization.id);
  visit.show({
    title: `Export meetings of ${organization.name}`,
    problems,
    problemsFragment: 'preview',
    body: (
      <>
        <BackLink href={listPath(visit, paths.organizationMeetings(organization.id))}>Meetings</BackLink>
        <h1>Export meetings</h1>
        <Card id="export-title" title="What to export">
          <ExportForm
            {...{ path, choice, problems }}
            timeZone={organization.timeZone ?? defaultTimeZone}
            hasProgram={organization.eap}
            totalCount={preview?.totalCount ?? null}
          />
        </Card>
        <div id="results" data-live>
          {preview !== undefined && (
            <>
              <PreviewView path={path} preview={preview} />
              <ApiCall
                command={exportCommand(address, { organizationId: organization.id, choice })}
                isOwner={role === 'owner'}
              />
            </>
          )}
        </div>
      </>
    ),
  });
}

function ApiCall({ command, isOwner }: { readonly command: string; readonly isOwner: boolean }) {
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
  const { totalCount, rows } = preview;
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
          <Rows {...preview} />
        </>
      )}
    </section>
  );
}

function Rows({ columns, rows }: Pick<ExportPreview, 'columns' | 'rows'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section class="scroll-x" aria-label="The first meetings" tabIndex={0}>
      <DataTable
        caption="The first meetings of the export"
        columns={columns.map(({ label, type }, place) => ({
          title: label,
          cell: (values: ExportPreview['rows'][number]) => <Value value={values[place] ?? null} />,
          isNumber: type === 'price' || type.startsWith('integer'),
        }))}
        rows={rows}
      />
    </section>
  );
}

function Value({ value }: { readonly value: string | number | boolean | null }) {
  if (value === null || value === '') return <span class="no-value">–</span>;
  return <bdi>{String(value)}</bdi>;
}

/** Shell commands that save the file. The reader puts their access key into the second line. */
function exportCommand(
  { url }: PublicAddress,
  { organizationId, choice }: { readonly organizationId: number; readonly choice: ExportChoice },
): string {
  return `API=${url}/api/v2
ACCESS_KEY='your access key, 24 digits'
${guideCommand('authenticate')}
curl -sS -f -g -o meetings.json -H "Authorization: Bearer $TOKEN" \\
  "$API/organizations/${organizationId}/export_meetings?${apiQuery(choice)}"`;
}
