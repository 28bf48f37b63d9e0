interface PaginationProps {
  readonly current: number;
  readonly total: number;
  /** The other parameters of the list, which the links keep. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Links to the pages of a list. Shows nothing if there is only one page. */
export function Pagination({ current, total, query = {} }: PaginationProps) {
  if (total < 2 || current > total) return null;
  const page = (number: number): string =>
    `?${new URLSearchParams({ ...query, page: String(number) }).toString()}`;
  return (
    <nav class="pagination" aria-label="Pages">
      {current > 1 ? (
        <a href={page(current - 1)} rel="prev">
          Previous
        </a>
      ) : (
        <span />
      )}
      {/* Phones show this instead of the numbers. */}
      <span class="page-of">{`Page ${current} of ${total}`}</span>
      <ol class="page-numbers">
        {shownPages(current, total).map((number, index) =>
          number === null ? (
            <li key={`gap-${index}`}>…</li>
          ) : (
            <li key={number}>
              <a
                href={page(number)}
                aria-label={`Page ${number}`}
                {...(number === current && { 'aria-current': 'page' as const })}
              >
                {number}
              </a>
            </li>
          ),
        )}
      </ol>
      {current < total ? (
        <a href={page(current + 1)} rel="next">
          Next
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}

/** The first and the last page, and the current one with its neighbors. Null: a gap of at least two pages. */
export function shownPages(current: number, total: number): readonly (number | null)[] {
  const near = [1, current - 1, current, current + 1, total];
  // A gap takes as much room as the one page that it would hide.
  if (current === 4) near.push(2);
  if (current === total - 3) near.push(total - 1);
  const pages = [...new Set(near)]
    .filter((page) => page >= 1 && page <= total)
    .sort((one, other) => one - other);
  return pages.flatMap((page, index) => {
    const previous = pages[index - 1] ?? 0;
    return page - previous > 1 ? [null, page] : [page];
  });
}
