/** Links to the previous and next page. Shows nothing if there is only one page. */
export function Pagination({
  current,
  total,
  query = {},
}: {
  readonly current: number;
  readonly total: number;
  /** The other parameters of the list, which the links keep. */
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
