/** The way to the pages before and after; nothing where there is but one. */
export function Pagination({ current, total }: { readonly current: number; readonly total: number }) {
  if (total < 2 || current > total) return null;
  return (
    <nav class="pagination" aria-label="Pages">
      {current > 1 ? (
        <a href={`?page=${current - 1}`} rel="prev">
          Previous
        </a>
      ) : (
        <span />
      )}
      <span>{`Page ${current} of ${total}`}</span>
      {current < total ? (
        <a href={`?page=${current + 1}`} rel="next">
          Next
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
