import type { ExportPreview } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { type FormProblems, NOT_ACCEPTED, noProblems, problemsOf } from '../design/form.js';
import { CopyText } from '../design/parts.js';
import { organizationPath } from '../organization/sections.js';
import type { Page } from '../page.js';
import { inOrganization, showTo, type Visit } from '../visit.js';
import { choiceIn, type ExportChoice, mistakesIn, parametersOf } from './export-choice.js';
import { exportCommand } from './export-command.js';
import { ExportForm } from './export-form.js';
import { Preview } from './export-preview.js';
import { WeekChart } from './week-chart.js';

const labels = {
  column: 'Columns',
  reporting_days: 'Range',
  report_type: 'Report',
  start_time: 'From',
  end_time: 'To',
};

const door = { role: 'admin', section: 'meetings' } as const;

/** The export of section 4.6 as a form, for whoever writes no program (decision 98). */
export function exportMeetings(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id/export',
    get: inOrganization(dashboard, door, async (visit) => {
      const { organization, request } = visit;
      const choice = choiceIn(request);
      const mistaken = mistakenIn(choice);
      if (mistaken !== null) return showExport(dashboard, visit, { choice, problems: mistaken });
      const found = await dashboard.core
        .previewExport({ organization, ...parametersOf(choice) })
        .catch(problemsIn);
      if (!('rows' in found)) return showExport(dashboard, visit, { choice, problems: found });
      await showExport(dashboard, visit, { choice, preview: found });
    }),
  };
}

const wrappings = { json: ['{"success":true,"meetings":[', ']}'], csv: ['', ''] } as const;

/** The file: the JSON is what the interface answers, to the byte. */
export function exportFile(dashboard: Dashboard, form: keyof typeof wrappings): Page {
  const [before, after] = wrappings[form];
  return {
    path: `/organizations/:id/export/meetings.${form}`,
    get: inOrganization(dashboard, door, async (visit) => {
      const { organization, request, response } = visit;
      const choice = choiceIn(request);
      const mistaken = mistakenIn(choice);
      if (mistaken !== null) return showExport(dashboard, visit, { choice, problems: mistaken });
      const exported = await dashboard.core
        .exportMeetings({ organization, form, ...parametersOf(choice) })
        .catch(problemsIn);
      if (!('chunks' in exported)) return showExport(dashboard, visit, { choice, problems: exported });
      const writeHead = (): void => void response.attachment(`meetings.${form}`);
      await dashboard.sendFile(request, response, { before, chunks: exported.chunks, after, writeHead });
    }),
  };
}

/** Null where whoever filled in the form has forgotten nothing. */
function mistakenIn(choice: ExportChoice): FormProblems | null {
  const fields = mistakesIn(choice);
  return Object.keys(fields).length === 0 ? null : { whole: null, fields };
}

function problemsIn(error: unknown): FormProblems {
  return problemsOf(error, labels);
}

interface ExportView {
  readonly choice: ExportChoice;
  readonly problems?: FormProblems;
  /** None where there is something to correct first. */
  readonly preview?: ExportPreview;
}

async function showExport(dashboard: Dashboard, visit: Visit, view: ExportView): Promise<void> {
  const { organization } = visit;
  const { choice, problems = noProblems, preview } = view;
  const summary = await dashboard.core.summarizeMeetings({ organization });
  const refused = problems !== noProblems;
  const title = `Meetings of ${organization.name}`;
  const path = `${organizationPath(organization.id)}/export`;
  showTo(visit, dashboard, {
    status: refused ? NOT_ACCEPTED : 200,
    title: refused ? `Error: ${title}` : title,
    body: (
      <>
        <h1>Meetings</h1>
        <section class="card" aria-labelledby="weeks">
          <h2 id="weeks">By week</h2>
          <WeekChart {...summary} />
        </section>
        <section class="card" aria-labelledby="export-title" {...(refused && { id: 'preview' })}>
          <h2 id="export-title">Export</h2>
          <ExportForm {...{ path, choice, problems }} timeZone={summary.timeZone} />
        </section>
        {preview !== undefined && (
          <>
            <Preview path={path} preview={preview} />
            <section class="card command" aria-labelledby="command-title">
              <h2 id="command-title">The same from a program</h2>
              <p>
                The owner has the access key. Everything else about exports is in the{' '}
                <a href="/docs/guide">guide</a>.
              </p>
              <CopyText
                id="command"
                label="Writes meetings.json"
                text={exportCommand(dashboard.address, { organizationId: organization.id, choice })}
                isLong
              />
            </section>
          </>
        )}
      </>
    ),
  });
}
