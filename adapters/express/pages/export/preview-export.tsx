import type { ExportPreview } from '@rollcall/core';
import { CopyText, OnThisPage } from '../design/components.js';
import { type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { organizationPath } from '../organization/sections.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { choiceIn, type ExportChoice, inputProblems } from './export-choice.js';
import { exportCommand } from './export-command.js';
import { ExportForm } from './export-form.js';
import { PreviewView } from './preview-view.js';
import { WeekChart } from './week-chart.js';

/** Who may open the export, and the section that it belongs to. */
export const exportAccess = { role: 'admin', section: 'meetings' } as const;

/** The export of section 4.6 as a form, for people who write no programs (decision 98). */
export function previewExport(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/export',
    get: requireMember(deps, exportAccess, async (visit) => {
      const { organization, request } = visit;
      const choice = choiceIn(request);
      const found =
        formProblemsOf(choice) ??
        (await deps.core.previewExport({ organization, ...choice }).catch(exportProblems));
      if (!('rows' in found)) return showExport(deps, visit, { choice, problems: found });
      await showExport(deps, visit, { choice, preview: found });
    }),
  };
}

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

export async function showExport(deps: PageDeps, visit: Visit, view: ExportView): Promise<void> {
  const { organization } = visit;
  const { choice, problems = noProblems, preview } = view;
  const summary = await deps.core.summarizeMeetings({ organization });
  const refused = problems !== noProblems;
  const title = `Meetings of ${organization.name}`;
  const path = `${organizationPath(organization.id)}/export`;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: refused ? `Error: ${title}` : title,
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
                command={exportCommand(deps.address, { organizationId: organization.id, choice })}
                isOwner={visit.role === 'owner'}
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
