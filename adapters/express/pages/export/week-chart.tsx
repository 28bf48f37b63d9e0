import type { SummarizedMeetings, WeekSummary } from '@rollcall/core';
import { DataTable } from '../design/components.js';
import { dayAndMonth, zoneName } from '../design/times.js';

/** The weeks as two charts, and as a table for screen readers. */
export function WeekChart({ timeZone, weeks }: SummarizedMeetings) {
  const isEmpty = weeks.every(({ meetings }) => meetings === 0);
  return (
    <>
      {isEmpty ? <p>No meetings in these weeks.</p> : <Charts weeks={weeks} />}
      <p class="fine-print">
        {`Weeks begin on Monday in ${zoneName(timeZone)}. Canceled meetings are not counted.`}
      </p>
    </>
  );
}

function Charts({ weeks }: Pick<SummarizedMeetings, 'weeks'>) {
  return (
    <>
      <div class="columns">
        <Chart
          title="Meetings"
          weeks={weeks}
          series={[{ name: 'meetings', tone: 'full', count: ({ meetings }) => meetings }]}
        />
        <Chart
          title="Seats"
          weeks={weeks}
          series={[
            { name: 'seats offered', tone: 'pale', count: ({ seatsOffered }) => seatsOffered },
            { name: 'seats taken', tone: 'full', count: ({ seatsTaken }) => seatsTaken },
          ]}
        />
      </div>
      <details>
        <summary>Show as a table</summary>
        <WeekTable weeks={weeks} />
      </details>
    </>
  );
}

interface Series {
  readonly name: string;
  readonly tone: 'full' | 'pale';
  readonly count: (week: WeekSummary) => number;
}

interface ChartProps {
  readonly title: string;
  readonly weeks: readonly WeekSummary[];
  /** From back to front. */
  readonly series: readonly Series[];
}

/** Units of the chart: about its pixels on a phone. */
const WIDTH = 340;
const HEIGHT = 150;
const PLOT = { left: 34, right: WIDTH - 4, top: 12, bottom: HEIGHT - 22 } as const;
/** The share of a week's width that its bar takes. */
const BAR_SHARE = 0.72;

function Chart({ title, weeks, series }: ChartProps) {
  const top = axisMax(Math.max(...weeks.flatMap((week) => series.map(({ count }) => count(week)))));
  const step = (PLOT.right - PLOT.left) / weeks.length;
  const heightOf = (value: number): number => ((PLOT.bottom - PLOT.top) * value) / top;
  return (
    <figure class="chart">
      <figcaption>
        {`${title} per week`}
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={ariaLabel({ title, weeks, series })}>
        {[top, top / 2, 0].map((value) => (
          <GridLine key={value} value={value} y={PLOT.bottom - heightOf(value)} />
        ))}
        {weeks.map((week, index) => (
          <g key={week.week} class={week.isCurrent ? 'current' : undefined}>
            <title>{describeWeek(week, series)}</title>
            {series.map(({ name, tone, count }) => (
              <rect
                key={name}
                class={tone}
                x={round(PLOT.left + step * (index + (1 - BAR_SHARE) / 2))}
                y={round(PLOT.bottom - heightOf(count(week)))}
                width={round(step * BAR_SHARE)}
                height={round(heightOf(count(week)))}
              />
            ))}
          </g>
        ))}
        <WeekLabels weeks={weeks} step={step} />
      </svg>
    </figure>
  );
}

function Legend({ series }: Pick<ChartProps, 'series'>) {
  return (
    <span class="legend">
      {series.map(({ name, tone }) => (
        <span key={name} class={`key ${tone}`}>
          {name}
        </span>
      ))}
    </span>
  );
}

function GridLine({ value, y }: { readonly value: number; readonly y: number }) {
  return (
    <>
      <line x1={PLOT.left} x2={PLOT.right} y1={round(y)} y2={round(y)} />
      <text x={PLOT.left - 6} y={round(y + 3.5)} text-anchor="end">
        {value.toLocaleString('en')}
      </text>
    </>
  );
}

/** The first week, the current one and the last. There is no room for the others. */
function WeekLabels({ weeks, step }: { readonly weeks: readonly WeekSummary[]; readonly step: number }) {
  const last = weeks.length - 1;
  return (
    <>
      {weeks.map(({ monday, isCurrent }, index) => {
        if (!isCurrent && index !== 0 && index !== last) return null;
        return (
          <text
            key={monday}
            class={isCurrent ? 'current' : undefined}
            x={round(PLOT.left + step * (index + 0.5))}
            y={HEIGHT - 6}
            text-anchor={index === 0 ? 'start' : index === last ? 'end' : 'middle'}
          >
            {isCurrent ? 'this week' : dayAndMonth(monday)}
          </text>
        );
      })}
    </>
  );
}

function WeekTable({ weeks }: { readonly weeks: readonly WeekSummary[] }) {
  return (
    <DataTable
      caption="Meetings and seats per week"
      columns={[
        { title: 'Week', cell: ({ week, isCurrent }) => `${week}${isCurrent ? ' (this week)' : ''}` },
        { title: 'From', cell: ({ monday }) => <time datetime={monday}>{dayAndMonth(monday)}</time> },
        { title: 'Meetings', cell: ({ meetings }) => meetings.toLocaleString('en'), isNumber: true },
        { title: 'Seats taken', cell: ({ seatsTaken }) => seatsTaken.toLocaleString('en'), isNumber: true },
        {
          title: 'Seats offered',
          cell: ({ seatsOffered }) => seatsOffered.toLocaleString('en'),
          isNumber: true,
        },
      ]}
      rows={weeks}
      keyOf={({ week }) => week}
    />
  );
}

const AXIS_STEPS = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10];

/** The next round number whose half is whole: 2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 60 … */
function axisMax(max: number): number {
  let power = 1;
  while (power * 10 < max) power *= 10;
  const tops = AXIS_STEPS.map((top) => top * power);
  return tops.find((top) => top >= max && top % 2 === 0) ?? power * 10;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function describeWeek(week: WeekSummary, series: readonly Series[]): string {
  const counts = series.map(({ name, count }) => `${count(week).toLocaleString('en')} ${name}`);
  return `${week.isCurrent ? 'This week' : `Week of ${dayAndMonth(week.monday)}`}: ${counts.join(', ')}`;
}

function ariaLabel({ title, weeks, series }: ChartProps): string {
  const [first] = weeks;
  const last = weeks.at(-1);
  const current = weeks.find(({ isCurrent }) => isCurrent);
  if (first === undefined || last === undefined || current === undefined) return `${title} per week`;
  const span = `from ${dayAndMonth(first.monday)} to ${dayAndMonth(last.monday)}`;
  return `${title} per week ${span}. ${describeWeek(current, series)}. All numbers are in the table below.`;
}
