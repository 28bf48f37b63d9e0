/** One operation on an object, as its client saw it. */
export interface Operation<Call> {
  readonly call: Call;
  readonly start: number;
  /** Infinity if there was no answer: it takes effect at some time after its start, or never. */
  readonly end: number;
}

/** How the object behaves if operations take effect one after the other, each at once. */
export interface Model<State, Call> {
  readonly initial: State;
  /** The state after the call, or null if it cannot have had its answer in this state. */
  step(state: State, call: Call): State | null;
  /** Equal for equal states only. */
  keyOf(state: State): string;
  /** Whether a history that is linearizable stays so without the operation: it changes nothing. */
  isRead(call: Call): boolean;
}

/**
 * Whether each operation can have taken effect at one moment between its start and its end. The search is that of Wing
 * and Gong, "Testing and verifying concurrent objects" (1993): it tries each operation that could be next, and goes back
 * if no order of the others is possible. As in Lowe's "Testing for linearizability" (2017), it never tries the same state
 * after the same operations again.
 */
export function isLinearizable<State, Call>(
  model: Model<State, Call>,
  operations: readonly Operation<Call>[],
): boolean {
  const moments = momentsOf(operations);
  const done = new Uint32Array(Math.ceil(operations.length / 32) || 1);
  const tried = new Set<string>();
  const path: { readonly moment: Moment<Call>; readonly before: State }[] = [];
  // Mostly the first path leads to the end. Until it has led nowhere, there is nothing to remember.
  let isFirstPath = true;
  let state = model.initial;
  let moment = moments.next;
  while (moment !== null && hasAnswers(moments)) {
    if (moment.answer !== null) {
      const next = model.step(state, moment.operation.call);
      if (next !== null && (isFirstPath || isNew(tried, done, moment.index, model.keyOf(next)))) {
        path.push({ moment, before: state });
        state = next;
        setBit(done, moment.index, true);
        lift(moment);
        moment = moments.next;
      } else moment = moment.next;
    } else {
      // An answer whose operation is not in the order yet: the last choice was wrong.
      isFirstPath = false;
      const last = path.pop();
      if (last === undefined) return false;
      state = last.before;
      setBit(done, last.moment.index, false);
      putBack(last.moment);
      moment = last.moment.next;
    }
  }
  return true;
}

/**
 * The fewest operations with which the history is not linearizable, in the order of their starts; null if it is. Only
 * what ended too late to matter and reads are left out, because without a write, other answers would be wrong.
 */
export function smallestFailure<State, Call>(
  model: Model<State, Call>,
  operations: readonly Operation<Call>[],
): readonly Operation<Call>[] | null {
  if (isLinearizable(model, operations)) return null;
  const ends = operations.map(({ end }) => end).filter(Number.isFinite);
  ends.sort((one, other) => one - other);
  // The first moment at which the history so far is not linearizable.
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isLinearizable(model, until(operations, ends[middle] as number))) low = middle + 1;
    else high = middle;
  }
  let kept = until(operations, ends[low] as number);
  const reads = kept.filter(({ call }) => model.isRead(call));
  for (let size = Math.ceil(reads.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < reads.length; from += size) {
      const some = new Set(reads.slice(from, from + size));
      const fewer = kept.filter((operation) => !some.has(operation));
      if (fewer.length < kept.length && !isLinearizable(model, fewer)) kept = fewer;
    }
  }
  return kept.sort((one, other) => one.start - other.start);
}

/** What was known at this time: an operation that had not ended may have taken effect, or not yet. */
function until<Call>(operations: readonly Operation<Call>[], time: number): Operation<Call>[] {
  return operations
    .filter(({ start }) => start <= time)
    .map((operation) =>
      operation.end <= time ? operation : { ...operation, end: Number.POSITIVE_INFINITY },
    );
}

/** A start, or an answer, in the list of all of them by time. */
interface Moment<Call> {
  readonly operation: Operation<Call>;
  readonly index: number;
  /** Of a start: the end of the operation. Null: this is an end. */
  readonly answer: Moment<Call> | null;
  previous: Moment<Call> | Head<Call>;
  next: Moment<Call> | null;
}

interface Head<Call> {
  next: Moment<Call> | null;
}

/** Ends without an answer come last. At the same time, starts come first: then either order is possible. */
function momentsOf<Call>(operations: readonly Operation<Call>[]): Head<Call> {
  const head: Head<Call> = { next: null };
  const all = operations.flatMap((operation, index) => {
    const end: Moment<Call> = { operation, index, answer: null, previous: head, next: null };
    const start: Moment<Call> = { operation, index, answer: end, previous: head, next: null };
    return [
      { at: operation.start, isEnd: 0, moment: start },
      { at: operation.end, isEnd: 1, moment: end },
    ];
  });
  all.sort((one, other) => (one.at === other.at ? one.isEnd - other.isEnd : one.at - other.at));
  let previous: Moment<Call> | Head<Call> = head;
  for (const { moment } of all) {
    moment.previous = previous;
    previous.next = moment;
    previous = moment;
  }
  return head;
}

/** Whether an operation with an answer is left. Without one, the order is complete: the others may never take effect. */
function hasAnswers<Call>(head: Head<Call>): boolean {
  for (let moment = head.next; moment !== null; moment = moment.next)
    if (moment.answer === null) return Number.isFinite(moment.operation.end);
  return false;
}

function lift<Call>(start: Moment<Call>): void {
  for (const moment of [start, start.answer as Moment<Call>]) {
    moment.previous.next = moment.next;
    if (moment.next !== null) moment.next.previous = moment.previous;
  }
}

function putBack<Call>(start: Moment<Call>): void {
  for (const moment of [start.answer as Moment<Call>, start]) {
    moment.previous.next = moment;
    if (moment.next !== null) moment.next.previous = moment;
  }
}

function setBit(bits: Uint32Array, index: number, isSet: boolean): void {
  const word = index >>> 5;
  const bit = 1 << (index & 31);
  bits[word] = isSet ? (bits[word] ?? 0) | bit : (bits[word] ?? 0) & ~bit;
}

/** Notes that the operation after those done leads to this state. False: that was known. */
function isNew(tried: Set<string>, done: Uint32Array, index: number, state: string): boolean {
  setBit(done, index, true);
  const key = `${done.join()} ${state}`;
  setBit(done, index, false);
  if (tried.has(key)) return false;
  tried.add(key);
  return true;
}
