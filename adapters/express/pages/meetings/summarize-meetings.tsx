import type { WeekSummary } from '@rollcall/core';
import { Fragment } from 'preact';
import { Bar, round } from '../design/chart.js';
import { BackLink, DataTable } from '../design/components.js';
import { inEnglish } from '../design/list.js';
import { dayAndMonth, zoneName } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';
import { listPath } from '../place.js';

interface Series {
  readonly name: string;
  readonly tone: 'full' | 'pale';
  readonly count: (week: WeekSummary) => number;
}

/** From back to front. */
const meetingSeries: readonly Series[] = [
  { name: 'meetings', tone: 'full', count: ({ meetings }) => meetings },
];
const seatSeries: readonly Series[] = [
  { name: 'seats offered', tone: 'pale', count: ({ seatsOffered }) => seatsOffered },
  { name: 'seats taken', tone: 'full', count: ({ seatsTaken }) => seatsTaken },
];

/** As many weeks fit beside the chart of seats at 1280 pixels, each wide enough to be pressed. */
const SHOWN = { weeksBefore: 6, weeksAfter: 8 };

/** The meetings and seats of the weeks around the present one, as two charts and as a table. Each leads to its meetings. */
export const summarizeMeetings = memberPage({
  path: paths.weeks(':id'),
  async get(visit) {
    const { core, organization } = visit;
    const { timeZone, weeks } = await core.summarizeMeetings({ organization, ...SHOWN });
    const path = paths.organizationMeetings(organization.id);
    const [meetingsTop, seatsTop] = [topOf(weeks, meetingSeries), topOf(weeks, seatSeries)];
    // The same margin in both, so that the weeks are below each other on a phone.
    const left = axisWidth([...gridValues(meetingsTop), ...gridValues(seatsTop)]);
    const chart = { weeks, left, path };
    visit.show(
      { title: `Meetings of ${organization.name} by week` },
      <BackLink href={listPath(visit, path)}>Meetings</BackLink>,
      <h1>Meetings by week</h1>,
      <section class="card" aria-label="Meetings and seats by week">
        {weeks.every(({ meetings }) => meetings === 0) ? (
          <p>No meetings in these weeks.</p>
        ) : (
          <>
            <p class="legend">
              <span class="key past">Past weeks</span> <span class="key current">This week</span>{' '}
              <span class="key">Coming weeks</span> <span class="key pale">Free seats</span>
            </p>
            <div class="columns wide">
              <Chart title="Meetings" series={meetingSeries} top={meetingsTop} {...chart} />
              <Chart title="Seats" series={seatSeries} top={seatsTop} {...chart} />
            </div>
            <details>
              <summary>Show as a table</summary>
              <WeekTable {...chart} />
            </details>
          </>
        )}
        <p class="fine-print">
          {`Weeks begin on Monday in ${zoneName(timeZone)}. Canceled meetings are not counted. The numbers are those of the dark bars.`}
        </p>
      </section>,
    );
  },
});

const DAY_MS = 24 * 60 * 60 * 1000;

/** The address of the meetings of a week. */
function pathOf({ monday }: WeekSummary, path: string): string {
  const sunday = new Date(Date.parse(monday) + 6 * DAY_MS).toISOString().slice(0, 10);
  return withQuery(path, { status: 'all', dates: 'custom', from: monday, to: sunday, sort: 'earliest' });
}

interface ChartProps {
  readonly weeks: readonly WeekSummary[];
  /** The path of the list of meetings, to which each week leads. */
  readonly path: string;
  readonly title: string;
  readonly series: readonly Series[];
  /** The number at the top of the axis. Bars of larger ones are cut. */
  readonly top: number;
  /** The space for the numbers of the axis. */
  readonly left: number;
}

/** Units of the chart: about its pixels. Each week is wide enough to be pressed (WCAG 2.5.8). */
const WIDTH = 480;
const HEIGHT = 172;
const PLOT = { right: WIDTH - 4, top: 20, bottom: HEIGHT - 36 } as const;
/** The width of a digit in the widest of the usual fonts, at the size of the axis. */
const DIGIT_WIDTH = 8;
/** The space that the number of a bar needs above it. */
const LABEL_HEIGHT = 15;
/** The space on each side of an axis label. */
const LABEL_GAP = 6;
/** The share of a week's width that its bar takes. */
const BAR_SHARE = 0.72;

function Chart({ title, ...chart }: ChartProps) {
  const { weeks, series, top, left } = chart;
  return (
    <figure class="chart">
      <figcaption>
        {`${title} per week`} <span class="visually-hidden">{summaryOf(weeks, series)}</span>
      </figcaption>
      <div class="chart-scroll">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the caption says what it shows, and each week has a title. */}
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
          {gridValues(top).map((value) => {
            const y = PLOT.bottom - heightOf(value, top);
            return (
              <Fragment key={value}>
                <line x1={left} x2={PLOT.right} y1={round(y)} y2={round(y)} />
                <text x={left - LABEL_GAP} y={round(y + 3.5)} text-anchor="end">
                  {axisLabel(value)}
                </text>
              </Fragment>
            );
          })}
          {weeks.map((week, index) => (
            <Week key={week.week} {...chart} {...{ week, index }} />
          ))}
        </svg>
      </div>
    </figure>
  );
}

function heightOf(value: number, top: number): number {
  return ((PLOT.bottom - PLOT.top) * Math.min(value, top)) / top;
}

type WeekProps = Omit<ChartProps, 'title'> & { readonly week: WeekSummary; readonly index: number };

/** The bars of a week, which lead to its meetings, with the day on which it begins. */
function Week({ weeks, series, top, left, path, week, index }: WeekProps) {
  const step = (PLOT.right - left) / weeks.length;
  const x = left + step * index;
  const middle = round(x + step / 2);
  const current = weeks.findIndex(({ isCurrent }) => isCurrent);
  const month = monthLabel(weeks, index);
  const counts = series.map(({ count }) => count(week));
  const [largest, shown] = [Math.max(...counts), counts.at(-1) ?? 0];
  const [high, low] = [heightOf(largest, top), heightOf(shown, top)];
  // On the bar behind it, if there is space.
  const labelY = PLOT.bottom - (high - low < LABEL_HEIGHT ? high : low) - 4;
  // Four strokes show that a bar is longer than the chart.
  const [cut, quarter] = [round(x + step * 0.06), round(step * 0.22)];
  return (
    <g class={index < current ? 'past' : index > current ? 'coming' : 'current'}>
      <a href={pathOf(week, path)} aria-label={describeWeek(week, series)}>
        <title>{describeWeek(week, series)}</title>
        <Bar tone="target" x={x} y={0} width={step} height={HEIGHT} />
        {series.map(({ name, tone, count }) => (
          <Bar
            key={name}
            tone={tone}
            x={x + (step * (1 - BAR_SHARE)) / 2}
            y={PLOT.bottom - heightOf(count(week), top)}
            width={step * BAR_SHARE}
            height={heightOf(count(week), top)}
          />
        ))}
      </a>
      {largest > top && (
        <>
          <path
            class="cut"
            d={`M${cut} ${PLOT.top + 12}l${quarter} -6l${quarter} 6l${quarter} -6l${quarter} 6`}
          />
          <text class="cut-number" x={middle} y={PLOT.top - 6} text-anchor="middle">
            {axisLabel(largest)}
          </text>
        </>
      )}
      {largest > 0 && shown <= top && (
        <text class="count" x={middle} y={labelY} text-anchor="middle">
          {compact(shown)}
        </text>
      )}
      <text x={middle} y={PLOT.bottom + 14} text-anchor="middle">
        {dayAndMonth(week.monday).replace(/ .*/, '')}
      </text>
      {month !== '' && (
        <text x={middle} y={PLOT.bottom + 28} text-anchor="middle">
          {month}
        </text>
      )}
    </g>
  );
}

/** `Nov`, below the first week of a month, unless the next month needs the space. */
function monthLabel(weeks: readonly WeekSummary[], index: number): string {
  const [before, month, after] = [index - 1, index, index + 1].map((place) => {
    const week = weeks[place];
    return week && dayAndMonth(week.monday).replace(/^\d+ /, '');
  });
  return month === undefined || month === before || (index === 0 && month !== after) ? '' : month;
}

function WeekTable({ weeks, path }: Pick<ChartProps, 'weeks' | 'path'>) {
  const numbers = [...meetingSeries, ...seatSeries.toReversed()];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section class="scroll-x weeks" aria-label="Meetings and seats per week" tabIndex={0}>
      <DataTable
        caption="Meetings and seats per week"
        columns={[
          {
            title: 'Week',
            cell: (week) => (
              <a href={pathOf(week, path)}>{`${week.week}${week.isCurrent ? ' (this week)' : ''}`}</a>
            ),
          },
          { title: 'From', cell: ({ monday }) => <time datetime={monday}>{dayAndMonth(monday)}</time> },
          ...numbers.map(({ name, count }) => ({
            title: name.replace(/^./, (first) => first.toUpperCase()),
            cell: (week: WeekSummary) => inEnglish(count(week)),
            isNumber: true,
          })),
        ]}
        rows={weeks}
      />
    </section>
  );
}

/** How many times larger than the third largest a number must be for its bar to be cut. */
const OUTLIER = 2.5;

/** One or two weeks with very large numbers do not flatten the others: their bars are cut. */
function topOf(weeks: readonly WeekSummary[], series: readonly Series[]): number {
  const largest = weeks.map((week) => Math.max(...series.map(({ count }) => count(week))));
  const [, , third = 0] = largest.toSorted((one, other) => other - one);
  return axisMax(Math.max(...largest.filter((count) => third === 0 || count <= OUTLIER * third)));
}

function gridValues(top: number): readonly number[] {
  return [top, top / 2, 0];
}

/** `80,000`, and from there on `100K` and `1.5M`. */
function axisLabel(value: number): string {
  return value < 100_000 ? inEnglish(value) : compact(value);
}

/** `999`, and from there on `1K` and `1.5M`. */
function compact(value: number): string {
  if (value < 1_000) return String(value);
  return value.toLocaleString('en', { notation: 'compact', maximumSignificantDigits: 3 });
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

function describeWeek(week: WeekSummary, series: readonly Series[]): string {
  const counts = series.map(({ name, count }) => {
    const number = count(week);
    // `seats taken`: `seat taken`
    return `${inEnglish(number)} ${number === 1 ? name.replace(/s\b/, '') : name}`;
  });
  return `${week.isCurrent ? 'This week' : `Week of ${dayAndMonth(week.monday)}`}: ${counts.join(', ')}`;
}

/** The chart in words, for screen readers. */
function summaryOf(weeks: readonly WeekSummary[], series: readonly Series[]): string {
  const current = weeks.find(({ isCurrent }) => isCurrent);
  const [first, last] = [weeks.at(0), weeks.at(-1)];
  if (!first || !last || !current) return '';
  const span = `from ${dayAndMonth(first.monday)} to ${dayAndMonth(last.monday)}`;
  return `${span}. ${describeWeek(current, series)}. All numbers are in the table below.`;
}
