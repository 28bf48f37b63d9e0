import type { ExportPreview } from '@rollcall/core';
import { CopyText, OnThisPage } from '../design/components.js';
import { type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { choiceIn, type ExportChoice, inputProblems } from './export-choice.js';
import { exportCommand } from './export-command.js';
import { ExportForm } from './export-form.js';
import { PreviewView } from './preview-view.js';
import { WeekChart } from './week-chart.js';

/** Who may open the export, and the section that it belongs to. */
export const exportAccess = { role: 'admin', section: 'meetings' } as const;

/** The export of section 4.6 as a form, for people who write no programs (decision 98). */
export const previewExport = memberPage({
  path: paths.exports(':id'),
  ...exportAccess,
  async get(visit) {
    const { core, organization, request } = visit;
    const choice = choiceIn(request);
    const found =
      formProblemsOf(choice) ?? (await core.previewExport({ organization, ...choice }).catch(exportProblems));
    if (!('rows' in found)) return showExport(visit, { choice, problems: found });
    await showExport(visit, { choice, preview: found });
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

export async function showExport(visit: MemberVisit, view: ExportView): Promise<void> {
  const { core, organization, address, role } = visit;
  const { choice, problems = noProblems, preview } = view;
  const summary = await core.summarizeMeetings({ organization });
  const path = paths.exports(organization.id);
  visit.show({
    title: `Meetings of ${organization.name}`,
    problems,
    problemsFragment: 'preview',
    body: (
      <>
        <h1>Meetings</h1>
        <OnThisPage parts={preview === undefined ? parts.slice(0, 2) : parts} />
        <section class="card" aria-labelledby="weeks">
          <h2 id="weeks">By week</h2>
          <WeekChart {...summary} />
        </section>
        <section class="card" aria-labelledby="export-title">
          <h2 id="export-title">Export</h2>
          <ExportForm
            {...{ path, choice, problems }}
            timeZone={summary.timeZone}
            totalCount={preview?.totalCount ?? null}
          />
        </section>
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

const parts = [
  { id: 'weeks', title: 'By week' },
  { id: 'export-title', title: 'Export' },
  { id: 'preview-title', title: 'Preview' },
  { id: 'command-title', title: 'Export with the API' },
];

function ApiCall({ command, isOwner }: { readonly command: string; readonly isOwner: boolean }) {
  return (
    <section class="card command" aria-labelledby="command-title">
      <h2 id="command-title">Export with the API</h2>
      <p>
        {isOwner ? 'Fill in the access key first.' : 'Ask an owner of your organization for the access key.'}{' '}
        The <a href="/docs/guide#exporting">guide</a> explains the rest.
      </p>
      <CopyText id="command" label="Save as meetings.json" text={command} isLong />
    </section>
  );
}
