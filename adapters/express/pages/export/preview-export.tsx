import type { ExportPreview } from '@rollcall/core';
import { BackLink, Card, CopyText, DataTable, Empty } from '../design/components.js';
import { type FormProblems, noProblems } from '../design/form.js';
import { guideCommand } from '../docs/guide-text.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { apiQuery, COLUMN_PRESET, choiceIn, type ExportChoice, foundFor } from './export-choice.js';
import { ExportForm } from './export-form.js';

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

type Found = ExportPreview | FormProblems;

/** Shows the form, with the meetings that it asks for or its problems. */
export function showExport(visit: MemberVisit, choice: ExportChoice, found: Found): void {
  const { organization } = visit;
  const [preview, problems] = 'rows' in found ? [found, noProblems] : [null, found];
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
          <ExportForm {...{ visit, path, choice, problems }} totalCount={preview?.totalCount ?? null} />
        </Card>
        <div id="results" data-live>
          {preview !== null && (
            <>
              <PreviewView path={path} preview={preview} />
              <ApiCall {...{ visit, choice }} />
            </>
          )}
        </div>
      </>
    ),
  });
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
