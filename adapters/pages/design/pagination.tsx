/** The way to the pages before and after; nothing where there is but one. */
export function Pagination({
  current,
  total,
  query = {},
}: {
  readonly current: number;
  readonly total: number;
  /** What else chooses the list, and stays as it is. */
  readonly query?: Readonly<Record<string, string>>;
}) {
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
      <span>{`Page ${current} of ${total}`}</span>
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
