import assert from 'node:assert/strict';

/** One series at one time: its name and labels, and its value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of all targets at one time, in seconds. */
export interface Scrape {
  readonly at: number;
  readonly samples: readonly Sample[];
}

type Vector = readonly Pick<Sample, 'labels' | 'value'>[];
type Value = Vector | number;

/**
 * Evaluates the part of PromQL that the rules and the dashboard use: selectors, `rate`, `increase`, `changes`, `sum`, `max`, `min`, `count`,
 * `abs`, `histogram_quantile`, a division of two sums, `or` in parentheses, `vector`, and one comparison with a number. Throws on anything else. Rates are the
 * difference of the first and the last sample of the range, without Prometheus's extrapolation.
 */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Vector {
  const tokens = expression.match(/"[^"]*"|=~|!~|!=|==|[\w.]+|[^\s]/g) ?? [];
  let at = 0;
  const peek = (): string => tokens[at] ?? '';
  const next = (): string => tokens[at++] ?? assert.fail(`unexpected end of ${expression}`);
  const expect = (token: string): void => assert.equal(next(), token, expression);

  function comparison(): Vector {
    const left = division();
    if (at === tokens.length) return asVector(left);
    const compare = comparisons[next()] ?? assert.fail(expression);
    const limit = Number(next());
    assert.ok(at === tokens.length && !Number.isNaN(limit), expression);
    return asVector(left).filter(({ value }) => compare(value, limit));
  }

  function division(): Value {
    const left = term();
    if (peek() !== '/') return left;
    next();
    const [over] = asVector(term());
    return asVector(left).map(({ labels, value }) => ({
      labels,
      value: value / (over?.value ?? Number.NaN),
    }));
  }

  function term(): Value {
    const name = next();
    if (name === '(') return either();
    if (/^[\d.]+$/.test(name)) return Number(name);
    const aggregate = aggregates[name];
    if (aggregate !== undefined) return aggregated(aggregate);
    if (peek() !== '(') return latest(selector(name));
    next();
    const result = call(name);
    expect(')');
    return result;
  }

  /** Series on both sides have no labels here, so that the right side counts only without the left one. */
  function either(): Vector {
    const left = asVector(division());
    expect('or');
    const right = asVector(division());
    expect(')');
    return left.length > 0 ? left : right;
  }

  function aggregated(aggregate: (values: readonly number[]) => number): Vector {
    const by: string[] = [];
    if (peek() === 'by') {
      next();
      expect('(');
      while (peek() !== ')')
        if (peek() !== ',') by.push(next());
        else next();
      next();
    }
    expect('(');
    const of = asVector(division());
    expect(')');
    return grouped(of, by).map(({ labels, members }) => ({
      labels,
      value: aggregate(members.map(({ value }) => value)),
    }));
  }

  function call(name: string): Vector {
    if (name === 'histogram_quantile') {
      const quantile = Number(next());
      expect(',');
      return quantiles(quantile, asVector(division()));
    }
    if (name === 'vector') return asVector(Number(next()));
    if (name === 'abs') return asVector(division()).map((one) => ({ ...one, value: Math.abs(one.value) }));
    const over = ranges[name] ?? assert.fail(`${name} in ${expression}`);
    const matches = selector(next());
    expect('[');
    const seconds = duration(next());
    expect(']');
    return history(matches, seconds).map(({ labels, points }) => ({ labels, value: over(points, seconds) }));
  }

  function selector(name: string): (sample: Sample) => boolean {
    const tests: ((sample: Sample) => boolean)[] = [(sample) => sample.name === name];
    if (peek() !== '{') return (sample) => tests.every((test) => test(sample));
    next();
    while (peek() !== '}') {
      const [label, operator, quoted] = [next(), next(), next()];
      const wanted = JSON.parse(quoted) as string;
      const pattern = new RegExp(`^(?:${wanted})$`);
      const test = {
        '=': (value: string) => value === wanted,
        '!=': (value: string) => value !== wanted,
        '=~': (value: string) => pattern.test(value),
        '!~': (value: string) => !pattern.test(value),
      }[operator];
      assert.ok(test !== undefined, expression);
      tests.push(({ labels }) => test(labels[label] ?? ''));
      if (peek() === ',') next();
    }
    next();
    return (sample) => tests.every((test) => test(sample));
  }

  const latest = (matches: (sample: Sample) => boolean): Vector =>
    scrapes.at(-1)?.samples.filter(matches) ?? [];

  function history(matches: (sample: Sample) => boolean, seconds: number) {
    const end = scrapes.at(-1)?.at ?? 0;
    const series = new Map<string, { labels: Sample['labels']; points: Point[] }>();
    for (const { at, samples } of scrapes.filter(({ at }) => at > end - seconds))
      for (const sample of samples.filter(matches)) {
        const key = JSON.stringify(Object.entries(sample.labels).sort());
        const one = series.get(key) ?? { labels: sample.labels, points: [] };
        one.points.push({ at, value: sample.value });
        series.set(key, one);
      }
    return [...series.values()].filter(({ points }) => points.length > 1);
  }

  return comparison();
}

interface Point {
  readonly at: number;
  readonly value: number;
}

const comparisons: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
  '==': (one, other) => one === other,
};

const aggregates: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

const ranges: Readonly<Record<string, (points: readonly Point[], seconds: number) => number>> = {
  rate: perSecond,
  increase: (points, seconds) => perSecond(points) * seconds,
  changes: (points) =>
    points.filter(({ value }, index) => index > 0 && points[index - 1]?.value !== value).length,
};

/** A value that is lower than the one before it comes from a counter that began again. */
function perSecond(points: readonly Point[]): number {
  let increase = 0;
  for (const [index, { value }] of points.entries()) {
    const before = points[index - 1]?.value ?? value;
    increase += value < before ? value : value - before;
  }
  return increase / ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0));
}

function quantiles(quantile: number, buckets: Vector): Vector {
  const names = Object.keys(buckets[0]?.labels ?? {}).filter((name) => name !== 'le');
  return grouped(buckets, names).flatMap(({ labels, members }) => {
    const sorted = members
      .map(({ labels: { le }, value }) => ({
        le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
        value,
      }))
      .sort((one, other) => one.le - other.le);
    const rank = quantile * (sorted.at(-1)?.value ?? 0);
    if (!(rank > 0)) return [];
    const found = sorted.findIndex(({ value }) => value >= rank);
    const lower = sorted[found - 1] ?? { le: 0, value: 0 };
    const { le = 0, value = 0 } = sorted[found] ?? {};
    if (le === Number.POSITIVE_INFINITY) return [{ labels, value: lower.le }];
    return [{ labels, value: lower.le + ((le - lower.le) * (rank - lower.value)) / (value - lower.value) }];
  });
}

function grouped(of: Vector, by: readonly string[]) {
  const groups = new Map<string, { labels: Sample['labels']; members: Pick<Sample, 'labels' | 'value'>[] }>();
  for (const member of of) {
    const labels = Object.fromEntries(by.map((name) => [name, member.labels[name] ?? '']));
    const key = JSON.stringify(labels);
    const group = groups.get(key) ?? { labels, members: [] };
    group.members.push(member);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function asVector(value: Value): Vector {
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** The seconds of a duration such as `5m`; none is 0. */
export function duration(text = '0s'): number {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? assert.fail(text);
  return Number(count) * (UNITS[unit] ?? 0);
}
