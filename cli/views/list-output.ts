import { type Command, Option } from 'commander'
import { visibleJson } from '#core/text/visible-text.ts'
import type { Listed } from '../client/api-lists.ts'
import type { CliDeps } from '../deps.ts'
import { pc } from './format.ts'
import { type Column, tableLines } from './table.ts'

export interface ListFlags {
  output?: 'table' | 'wide' | 'json'
  json?: boolean
}

export interface ListView<Row> {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** advice for an empty list */
  empty: string
  total?: Listed<Row>['total']
}

/** The options that every list has. */
export function withOutput(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <form>', 'how to print it').choices(['table', 'wide', 'json']))
    .option('--json', 'one record a line, the same as -o json')
}

export function isJson({ json, output }: ListFlags): boolean {
  return json === true || output === 'json'
}

/** Prints a list: a table that fits the window, or one record a line. That more were found is told beside it, so that no reader takes a page for all. */
export function printList<Row>(
  deps: Pick<CliDeps, 'out' | 'err' | 'screen'>,
  flags: ListFlags,
  view: ListView<Row>,
): void {
  if (isJson(flags)) {
    for (const row of view.rows) deps.out(visibleJson(row))
  } else if (view.rows.length === 0) deps.err(view.empty)
  else for (const line of listLines(view, flags, deps.screen()?.width)) deps.out(line)
  const rest = restOf(view)
  if (rest !== undefined) deps.err(pc.dim(rest))
}

/** The table of a list; `-o wide` shows every column and cuts none. */
export function listLines<Row>({ columns, rows }: ListView<Row>, { output }: ListFlags, width?: number): string[] {
  const wide = output === 'wide'
  const shown = columns.filter((column) => wide || column.wide !== true)
  return tableLines(shown, rows, wide ? undefined : width)
}

/** Says how many are shown of more. */
export function restOf({ rows, total }: Pick<ListView<unknown>, 'rows' | 'total'>): string | undefined {
  if (total === undefined || total.count <= rows.length) return undefined
  return `${rows.length} of ${total.at_least ? 'more than ' : ''}${total.count} ${rows.length === 1 ? 'is' : 'are'} shown; --limit shows more`
}
