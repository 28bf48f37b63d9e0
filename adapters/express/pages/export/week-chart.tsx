import type { SummarizedMeetings, WeekSummary } from '@rollcall/core';
import { Fragment } from 'preact';
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

const meetingSeries: readonly Series[] = [
  { name: 'meetings', one: 'meeting', tone: 'full', count: ({ meetings }) => meetings },
];
const seatSeries: readonly Series[] = [
  { name: 'seats offered', one: 'seat offered', tone: 'pale', count: ({ seatsOffered }) => seatsOffered },
  { name: 'seats taken', one: 'seat taken', tone: 'full', count: ({ seatsTaken }) => seatsTaken },
];

function Charts({ weeks }: Pick<SummarizedMeetings, 'weeks'>) {
  const [meetingsTop, seatsTop] = [topOf(weeks, meetingSeries), topOf(weeks, seatSeries)];
  // The same margin in both, so that the weeks are below each other on a phone.
  const left = axisWidth([...gridValues(meetingsTop), ...gridValues(seatsTop)]);
  return (
    <>
      <div class="columns">
        <Chart title="Meetings" series={meetingSeries} top={meetingsTop} {...{ weeks, left }} />
        <Chart title="Seats" series={seatSeries} top={seatsTop} {...{ weeks, left }} />
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
  /** The name for a count of one. */
  readonly one: string;
  readonly tone: 'full' | 'pale';
  readonly count: (week: WeekSummary) => number;
}

interface ChartProps {
  readonly title: string;
  readonly weeks: readonly WeekSummary[];
  /** From back to front. */
  readonly series: readonly Series[];
  /** The number at the top of the axis. */
  readonly top: number;
  /** The space for the numbers of the axis. */
  readonly left: number;
}

/** Units of the chart: about its pixels on a phone. */
const WIDTH = 340;
const HEIGHT = 150;
const PLOT = { right: WIDTH - 4, top: 12, bottom: HEIGHT - 22 } as const;
/** The width of a digit in the widest of the usual fonts, at the largest size of the axis. */
const DIGIT_WIDTH = 8;
/** The space on each side of an axis label. */
const LABEL_GAP = 6;
/** The share of a week's width that its bar takes. */
const BAR_SHARE = 0.72;

function Chart({ title, weeks, series, top, left }: ChartProps) {
  const step = (PLOT.right - left) / weeks.length;
  const heightOf = (value: number): number => ((PLOT.bottom - PLOT.top) * value) / top;
  return (
    <figure class="chart">
      <figcaption>
        {`${title} per week`}
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={ariaLabel({ title, weeks, series })}>
        {gridValues(top).map((value) => (
          <GridLine key={value} value={value} y={PLOT.bottom - heightOf(value)} left={left} />
        ))}
        {weeks.map((week, index) => (
          <g key={week.week} class={week.isCurrent ? 'current' : undefined}>
            <title>{describeWeek(week, series)}</title>
            {series.map(({ name, tone, count }) => (
              <rect
                key={name}
                class={tone}
                x={round(left + step * (index + (1 - BAR_SHARE) / 2))}
                y={round(PLOT.bottom - heightOf(count(week)))}
                width={round(step * BAR_SHARE)}
                height={round(heightOf(count(week)))}
              />
            ))}
          </g>
        ))}
        <WeekLabels {...{ weeks, step, left }} />
      </svg>
    </figure>
  );
}

function Legend({ series }: Pick<ChartProps, 'series'>) {
  return (
    <span class="legend">
      {series.map(({ name, tone }) => (
        <Fragment key={name}>
          <span class={`key ${tone}`}>{name}</span>{' '}
        </Fragment>
      ))}
    </span>
  );
}

function GridLine({
  value,
  y,
  left,
}: Pick<ChartProps, 'left'> & { readonly value: number; readonly y: number }) {
  return (
    <>
      <line x1={left} x2={PLOT.right} y1={round(y)} y2={round(y)} />
      <text x={left - LABEL_GAP} y={round(y + 3.5)} text-anchor="end">
        {axisLabel(value)}
      </text>
    </>
  );
}

/** The first week, the current one and the last. There is no room for the others. */
function WeekLabels({ weeks, step, left }: Pick<ChartProps, 'weeks' | 'left'> & { readonly step: number }) {
  const last = weeks.length - 1;
  return (
    <>
      {weeks.map(({ monday, isCurrent }, index) => {
        if (!isCurrent && index !== 0 && index !== last) return null;
        return (
          <text
            key={monday}
            class={isCurrent ? 'current' : undefined}
            x={round(left + step * (index + 0.5))}
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section class="scroll-x weeks" aria-label="Meetings and seats per week" tabIndex={0}>
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
    </section>
  );
}

function topOf(weeks: readonly WeekSummary[], series: readonly Series[]): number {
  return axisMax(Math.max(...weeks.flatMap((week) => series.map(({ count }) => count(week)))));
}

/** The numbers of the axis, from top to bottom. */
function gridValues(top: number): readonly number[] {
  return [top, top / 2, 0];
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** `80,000`, and from there on `100K` and `1.5M`. */
function axisLabel(value: number): string {
  return value < 100_000 ? value.toLocaleString('en') : compact.format(value);
}

/** The space that the longest label needs, so that no font cuts it. */
function axisWidth(values: readonly number[]): number {
  return Math.max(...values.map((value) => axisLabel(value).length)) * DIGIT_WIDTH + 2 * LABEL_GAP;
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
  const counts = series.map(({ name, one, count }) => {
    const number = count(week);
    return `${number.toLocaleString('en')} ${number === 1 ? one : name}`;
  });
  return `${week.isCurrent ? 'This week' : `Week of ${dayAndMonth(week.monday)}`}: ${counts.join(', ')}`;
}

function ariaLabel({ title, weeks, series }: Pick<ChartProps, 'title' | 'weeks' | 'series'>): string {
  const [first] = weeks;
  const last = weeks.at(-1);
  const current = weeks.find(({ isCurrent }) => isCurrent);
  if (first === undefined || last === undefined || current === undefined) return `${title} per week`;
  const span = `from ${dayAndMonth(first.monday)} to ${dayAndMonth(last.monday)}`;
  return `${title} per week ${span}. ${describeWeek(current, series)}. All numbers are in the table below.`;
}
