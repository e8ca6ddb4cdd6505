import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { LANES } from '#core/contract.ts'
import { RUN_STATUSES } from '#core/run/status.ts'
import { visibleJson } from '#core/visible-text.ts'
import type { ApiClient } from '../api-client.ts'
import type { Listed } from '../api-lists.ts'
import type { CliDeps } from '../deps.ts'
import { isJson, type ListFlags, type ListView, listLines, printList, withOutput } from '../list-output.ts'
import { printable } from '../printable.ts'
import { spanText } from '../relative-time.ts'
import { aboutRun, paintStatus, startedBy, usd } from '../run-text.ts'
import type { Column } from '../table.ts'
import { watchList } from '../watch/watch-list.ts'
import { wholeNumber } from '../whole-number.ts'

type Run = Schema<'Run'>

interface RunsFlags extends ListFlags {
  status?: string
  lane?: (typeof LANES)[number]
  limit: number
  watch?: boolean
  workspace?: string
}

interface RunsDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(workspace?: string): Pick<ApiClient, 'runs'>
}

const EMPTY = 'no runs match; see what can be started with: svc templates'

/** `svc runs`: the runs of the workspace, newest first. */
export function registerRuns(program: Command, deps: RunsDeps): void {
  withOutput(program.command('runs').description('list runs, newest first'))
    .option('--status <status>', `one or several with commas between: ${RUN_STATUSES.join(', ')}`)
    .addOption(new Option('--lane <lane>', 'only of this lane').choices([...LANES]))
    .option('--limit <n>', 'at most so many', wholeNumber, 20)
    .option('--watch', 'show it again whenever something changes, until Ctrl-C')
    .option('--workspace <id or name>', 'where they belong (default: SVC_WORKSPACE, else your own)')
    .action((flags: RunsFlags) => list(flags, deps))
}

async function list(flags: RunsFlags, deps: RunsDeps): Promise<void> {
  const api = deps.api(flags.workspace)
  const look = async () => viewOf(await api.runs(queryOf(flags), flags.limit), Date.now())
  if (!flags.watch) return printList(deps, flags, await look())
  await watchList(deps, {
    look: async () => {
      const view = await look()
      const rows = view.rows.map((run) => [run.id, isJson(flags) ? visibleJson(run) : plainLine(run)] as const)
      const lines = view.rows.length === 0 ? [view.empty] : listLines(view, flags, deps.screen()?.width)
      return { lines, rows: new Map(rows.reverse()) }
    },
  })
}

function queryOf({ status, lane }: RunsFlags) {
  return { ...(status !== undefined && { status }), ...(lane !== undefined && { lane }) }
}

function viewOf({ items, total }: Listed<Run>, now: number): ListView<Run> {
  return { columns: columnsAt(now), rows: items, empty: EMPTY, ...(total !== undefined && { total }) }
}

function columnsAt(now: number): Column<Run>[] {
  return [
    { title: 'RUN', text: ({ id }) => id },
    { title: 'STATUS', text: ({ status }) => status, paint: (text, { status }) => paintStatus(text, status) },
    { title: 'TEMPLATE', text: ({ pack, template }) => `${pack}/${template}` },
    { title: 'ABOUT', text: aboutRun, cut: true },
    { title: 'ENVIRONMENT', text: ({ environment }) => environment },
    { title: 'LANE', text: ({ lane }) => lane, wide: true },
    { title: 'RISK', text: ({ risk }) => risk, wide: true },
    { title: 'TRIGGER', text: (run) => startedBy(run).trigger, wide: true },
    { title: 'BY', text: (run) => startedBy(run).by, wide: true },
    { title: 'COST', text: ({ total_usd }) => usd(total_usd), wide: true },
    { title: 'AGE', text: ({ created_at }) => spanText(now - Date.parse(created_at)) },
  ]
}

/** One line that stays the same until the run changes. */
function plainLine(run: Run): string {
  const { id, status, pack, template, environment, updated_at } = run
  return printable([updated_at, id, status, `${pack}/${template}`, environment, aboutRun(run)].join('  ')).trimEnd()
}
