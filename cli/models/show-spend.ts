import type { Schema } from '#client/create-client.ts'
import type { SummaryWindow } from '#core/models/gateway-summary-schema.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { counted, pc, printable } from '../views/format.ts'
import { exactUsd as usd } from '../views/run-text.ts'
import { tableLines } from '../views/table.ts'

export const SPEND_BY = ['model', 'run', 'person', 'day'] as const

interface SpendFlags {
  window: SummaryWindow
  by: (typeof SPEND_BY)[number]
  limit: number
  json?: boolean
}

interface SpendDeps extends Pick<CliDeps, 'out'> {
  api(): Pick<ApiClient, 'gatewaySummary'>
}

/** Shows the cost of model calls, by the requested groups. */
export async function showSpend(deps: SpendDeps, { window, by, limit, json }: SpendFlags): Promise<void> {
  const summary = await deps.api().gatewaySummary({ window, limit })
  if (json) return deps.out(visibleJson(summary))
  const { totals, open, refusals, complete } = summary
  const part = complete ? '' : ' (the newest 200,000 calls)'
  deps.out(`${pc.bold(usd(totals.usd))} in ${counted(totals.calls, 'call')} over ${window}${part}`)
  if (totals.overrun_usd > 0) deps.out(`  providers report ${usd(totals.overrun_usd)} beyond what was reserved`)
  if (totals.estimated > 0) deps.out(`  ${totals.estimated} charged in full, because their usage is unknown`)
  if (open.calls > 0) deps.out(`  under way: ${open.calls}, for which ${usd(open.reserved_usd)} are reserved`)
  for (const { code, count } of refusals) deps.out(`  refused: ${counted(count, 'call')} with ${printable(code)}`)
  const rows = linesBy(by, summary)
  const columns = [
    { title: by.toUpperCase(), text: ({ name }: Line) => name },
    { title: 'CALLS', text: ({ calls }: Line) => String(calls) },
    { title: 'COST', text: (line: Line) => usd(line.usd) },
  ]
  if (rows.length > 0) for (const line of tableLines(columns, rows)) deps.out(line)
}

interface Line {
  name: string
  calls: number
  usd: number
}

function linesBy(by: SpendFlags['by'], summary: Schema<'GatewaySummary'>): Line[] {
  if (by === 'model') return summary.by_model.map(({ model, ...rest }) => ({ name: model, ...rest }))
  if (by === 'run') return summary.by_run.map(({ run_id, ...rest }) => ({ name: run_id ?? '(no run)', ...rest }))
  if (by === 'day') return summary.by_day.map(({ day, ...rest }) => ({ name: day, ...rest }))
  return summary.by_person.map(({ person, name, key_id, key_name, ...rest }) => {
    const key = key_id === undefined ? '' : ` with the key ${key_name ?? key_id}`
    return { name: `${name ?? person}${key}`, ...rest }
  })
}
