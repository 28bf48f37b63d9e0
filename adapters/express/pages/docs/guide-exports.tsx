import { DataTable } from '../design/components.js';
import { codes, type GuideContent, Shell, withCode } from './guide-shell.js';

/** Columns, presets, pages and formats. */
export function Exporting({ facts, commands }: GuideContent) {
  return (
    <>
      <p>
        Each meeting in the response has exactly the columns that you ask for, in that order. Meetings are
        ordered by start time. Without columns, the response has no meetings. Unknown parameters are ignored,
        so if the list is empty, check the spelling: the parameter is <code>column</code> or{' '}
        <code>column[]</code>, and <code>columns=name</code> asks for nothing. An unknown column is an error.
      </p>
      <DataTable
        caption="Columns"
        columns={[
          { title: 'Column', cell: ({ key }) => <code>{key}</code> },
          { title: 'In the response', cell: ({ responseKey }) => <code>{responseKey}</code> },
          { title: 'Type', cell: ({ type }) => type },
        ]}
        rows={facts.columns}
        keyOf={({ key }) => key}
      />
      <p>
        Your program can ask for these columns, with labels for people, at{' '}
        <code>/export_meetings/columns</code>.
      </p>
      <Shell commands={commands} id="columns" />
      <h3>Which meetings</h3>
      <p>
        Without <code>reporting_days</code>, an export has <strong>completed meetings only</strong>. To get
        meetings of every status, including upcoming and canceled ones, ask for <code>everything</code>.
      </p>
      <DataTable
        caption="Presets"
        columns={[
          { title: 'reporting_days', cell: ({ values }) => codes(values) },
          { title: 'Meetings', cell: ({ meaning }) => withCode(meaning) },
        ]}
        rows={facts.presets}
        keyOf={({ values }) => values.join()}
      />
      <p>
        <code>report_type</code> is {codes(facts.reportTypes)}: all (the default), or only those of the
        Employee Assistance Program. <code>start_time</code> and <code>end_time</code> limit any preset to a
        period that includes both. Write them as <code>MM/DD/YYYY HH:MM AM</code> or <code>PM</code>, such as{' '}
        <code>11/30/2026 11:59 PM</code>, which includes the whole last minute. They are read in{' '}
        <code>time_zone</code>, else in your organization’s time zone. If the clocks go back and show a time
        twice, a period starts at the first and ends with the second.
      </p>
      <Shell commands={commands} id="range" />
      <h3>Pages</h3>
      <p>
        With <code>page</code> or <code>per_page</code>, the response has <code>metadata</code> with{' '}
        <code>total_pages</code> and <code>total_count</code>. A page past the end is empty.
      </p>
      <Shell commands={commands} id="page" />
      <h3>Everything at once</h3>
      <p>
        Without either, all meetings that you ask for come in one response, streamed from one snapshot. Save
        it to a file, and read that as a stream. If an export is cut off, its JSON is incomplete and{' '}
        <code>curl</code> exits with an error. The response is compressed if the client accepts gzip: with{' '}
        <code>curl</code>, add <code>--compressed</code>.
      </p>
      <Shell commands={commands} id="whole" />
      <h3>CSV and JSON lines</h3>
      <p>
        With <code>Accept: text/csv</code>, the response is a CSV file for spreadsheets: its first line has
        the labels of the columns, and an apostrophe is put before text that a spreadsheet would read as a
        formula, also after a semicolon, tab or line break within a text (<code>O;'=1+1</code>). With{' '}
        <code>Accept: application/x-ndjson</code>, each line is one meeting as JSON, which a program can read
        line by line. Pages have the same header <code>Link</code> as in JSON, and no <code>metadata</code>.
        Errors are always JSON.
      </p>
      <Shell commands={commands} id="csv" />
      <h3>Keep a copy of your meetings</h3>
      <p>
        <code>meeting_changes</code> returns each meeting with its latest change, and the meetings that you no
        longer see. Start without <code>after</code>, apply each change to your copy, and store{' '}
        <code>next</code> after each page:
      </p>
      <Shell commands={commands} id="first-changes" />
      <p>
        After that, ask for what has changed after the <code>next</code> that you stored, every minute if you
        like. If <code>is_deleted</code> is true, remove the meeting from your copy; otherwise add or replace
        it by <code>id</code>. While <code>has_more</code> is true, ask again at once.
      </p>
      <Shell commands={commands} id="later-changes" />
      <p>
        Deletions are kept for 30 days. If you ask later than that, the answer is 410{' '}
        <code>cursor-expired</code>: start again without <code>after</code>, and at the end remove the
        meetings that did not come. Use the same columns in every request; without any, you get all of them.
        In JavaScript, <code>client.meetingChanges</code> of <code>@rollcall/contracts/client</code> reads the
        pages.
      </p>
      <h3>Exports of what has changed</h3>
      <p>
        You can also export only the meetings that have changed. Export everything once, with <code>id</code>{' '}
        and <code>updated_at</code>:
      </p>
      <Shell commands={commands} id="copy" />
      <p>
        After that, ask for what has changed <code>updated_since</code> the latest <code>updated_at</code>{' '}
        that you have, and replace your rows by <code>id</code>. Use that time and not your own clock, so that
        you miss nothing. Meetings with exactly that time come again. These can be many: one import gives all
        of its meetings the same <code>updated_at</code>.
      </p>
      <Shell commands={commands} id="since" />
      <p>
        Meetings that were deleted, or that no longer belong to your organization, are not in the response. To
        find them, export only the <code>id</code> of everything from time to time, and delete the rows that
        it lacks. In a URL, write the <code>+</code> of an offset as <code>%2B</code>, or use times that end
        in <code>Z</code>.
      </p>
    </>
  );
}
