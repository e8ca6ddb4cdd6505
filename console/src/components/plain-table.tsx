import type { ReactNode } from 'react'

interface Props {
  label: string
  columns: readonly string[]
  rows: readonly { key: string; cells: readonly ReactNode[] }[]
}

/** A table of what fits on a page; it scrolls in its own frame where the page is narrow. */
export function PlainTable({ label, columns, rows }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table aria-label={label} className="w-full text-left">
        <thead className="border-b border-line text-sm text-soft">
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-2 py-1 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} className="border-b border-line align-top">
              {cells.map((cell, place) => (
                <td key={columns[place]} className="min-w-24 max-w-96 break-words px-2 py-1">
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
