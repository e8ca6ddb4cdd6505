import type { ReactNode } from 'react'

interface Props {
  label: string
  columns: readonly string[]
  rows: readonly { key: string; cells: readonly ReactNode[] }[]
}

/** A table of what fits on a page. On a phone each row is a card, with the name of the column before each value. */
export function PlainTable({ label, columns, rows }: Props) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border"
    >
      <table aria-label={label} className="w-full text-left text-sm max-sm:block">
        <thead className="bg-muted text-muted-foreground max-sm:hidden">
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map(({ key, cells }) => (
            <tr key={key} className="border-t align-top max-sm:block max-sm:px-3 max-sm:py-2 max-sm:first:border-t-0">
              {cells.map((cell, place) => (
                <td
                  key={columns[place]}
                  data-column={columns[place]}
                  className="min-w-24 max-w-96 px-3 py-2 break-words max-sm:block max-sm:max-w-none max-sm:px-0 max-sm:py-1 max-sm:before:block max-sm:before:text-xs max-sm:before:text-muted-foreground max-sm:before:content-[attr(data-column)] max-sm:empty:hidden"
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
