import { SearchButton } from './components.js';
import { Field, Select } from './form.js';

interface ListSearchProps {
  readonly path: string;
  /** The name of the search field. */
  readonly label: string;
  readonly search: string;
  readonly problem: string | undefined;
  readonly orders: readonly { readonly value: string; readonly text: string }[];
  readonly order: string;
  /** The filters of the list, which the form keeps. */
  readonly filters: Readonly<Record<string, string>>;
  /** The link that leads to the whole list. */
  readonly showAll: string;
}

/** Searches and sorts a list of people. The result has an address that can be bookmarked. */
export function ListSearch({
  path,
  label,
  search,
  problem,
  orders,
  order,
  filters,
  showAll,
}: ListSearchProps) {
  return (
    <search>
      <form class="search-form with-order" method="get" action={path} noValidate>
        {Object.entries(filters).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Field
          isRequired={false}
          name="search"
          label={label}
          autocomplete="off"
          value={search}
          help="Part of a name, email address or identity provider ID. Accents and case don’t matter."
          problem={problem}
        />
        <Select name="sort" label="Sort by" choices={orders} value={order} />
        <div class="actions">
          <SearchButton />
          {search !== '' && <a href={path}>{showAll}</a>}
        </div>
      </form>
    </search>
  );
}
