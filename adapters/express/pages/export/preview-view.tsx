import type { ExportPreview } from '@rollcall/core';
import { DataTable, Empty } from '../design/components.js';

/** The first meetings of the file. */
export function PreviewView({ path, preview }: { readonly path: string; readonly preview: ExportPreview }) {
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

interface NumberedRow {
  readonly values: ExportPreview['rows'][number];
  readonly index: number;
}

function Rows({ columns, rows }: Pick<ExportPreview, 'columns' | 'rows'>) {
  const numbered = rows.map((values, index) => ({ values, index }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section class="scroll-x" aria-label="The first meetings" tabIndex={0}>
      <DataTable
        caption="The first meetings of the export"
        columns={columns.map(({ label, type }, place) => ({
          title: label,
          cell: ({ values }: NumberedRow) => <Value value={values[place] ?? null} />,
          isNumber: type === 'price' || type.startsWith('integer'),
        }))}
        rows={numbered}
        keyOf={({ index }) => index}
      />
    </section>
  );
}

function Value({ value }: { readonly value: string | number | boolean | null }) {
  if (value === null || value === '') return <span class="no-value">–</span>;
  return <bdi>{String(value)}</bdi>;
}
