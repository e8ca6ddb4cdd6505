import type { Command } from 'commander'
import { notTakenBackText } from '#client/compensated-text.ts'
import type { Schema } from '#client/create-client.ts'
import { isOpen } from '#core/pipeline/pipeline-facts.ts'
import { PIPELINE_STATUSES } from '#core/pipeline/transitions.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { formatDuration } from '#core/time/format-time.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { Listed, PipelineQuery } from '../../client/api-lists.ts'
import type { CliDeps } from '../../deps.ts'
import { printable, wholeNumber } from '../../views/format.ts'
import { isJson, type ListFlags, type ListView, listLines, printList, withOutput } from '../../views/list-output.ts'
import { paintStatus, statusText } from '../../views/pill-text.ts'
import { pairsText, startedBy, usd } from '../../views/run-text.ts'
import type { Column } from '../../views/table.ts'
import { watchList } from '../../watch/watch-list.ts'

type Pipeline = Schema<'Pipeline'>

interface ListedFlags extends ListFlags {
  status?: string
  name?: string
  environment?: string
  limit: number
  watch?: boolean
  workspace?: string
}

interface ListDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(workspace?: string): Pick<ApiClient, 'pipelines'>
}

/** `svc pipeline list`: the pipelines of the workspace, newest first. */
export function registerPipelineList(pipeline: Command, deps: ListDeps): void {
  withOutput(pipeline.command('list').description('list pipelines, newest first'))
    .option('--status <status>', `one or several with commas between: ${PIPELINE_STATUSES.join(', ')}`)
    .option('--name <name>', 'only those of this name')
    .option('--environment <name>', 'where they act')
    .option('--limit <n>', 'at most so many', wholeNumber(), 20)
    .option('--watch', 'refresh it whenever something changes, until Ctrl-C')
    .option('--workspace <id or name>', 'where they belong (default: SVC_WORKSPACE, else your own)')
    .action((flags: ListedFlags) => list(flags, deps))
}

async function list(flags: ListedFlags, deps: ListDeps): Promise<void> {
  const api = deps.api(flags.workspace)
  const fetchView = async () => viewOf(await api.pipelines(queryOf(flags), flags.limit), Date.now())
  if (!flags.watch) return printList(deps, flags, await fetchView())
  await watchList(deps, {
    fetchView: async () => {
      const view = await fetchView()
      const rows = view.rows.map((row) => [row.id, isJson(flags) ? visibleJson(row) : plainLine(row)] as const)
      const lines = view.rows.length === 0 ? [view.empty] : listLines(view, flags, deps.screen()?.width)
      return { lines, rows: new Map([...rows].reverse()) }
    },
  })
}

function queryOf({ status, name, environment }: ListedFlags): PipelineQuery {
  const given = Object.entries({ status, name, environment }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function viewOf({ items, total }: Listed<Pipeline>, now: number): ListView<Pipeline> {
  const empty = 'no pipelines match; start one with: svc pipeline run <bundle>'
  return { columns: columnsAt(now), rows: items, empty, total }
}

function columnsAt(now: number): Column<Pipeline>[] {
  return [
    { title: 'PIPELINE', text: ({ id }) => id },
    {
      title: 'STATUS',
      text: ({ status }) => statusText(status),
      paint: (text, { status }) => paintStatus(text, status),
    },
    { title: 'NAME', text: ({ name }) => name },
    { title: 'AT', text: formatOpenSteps, cut: true },
    { title: 'ABOUT', text: aboutPipeline, cut: true },
    { title: 'ENVIRONMENT', text: ({ environment }) => environment },
    { title: 'BUNDLE', text: ({ bundle }) => bundle.path, wide: true },
    { title: 'BY', text: (pipeline) => startedBy(pipeline).by, wide: true },
    { title: 'COST', text: ({ total_usd }) => usd(total_usd), wide: true },
    { title: 'AGE', text: ({ created_at }) => formatDuration(now - Date.parse(created_at), 1) },
  ]
}

/** Formats the current steps, those that wait for people first; then running and failed compensations. */
function formatOpenSteps({ steps, not_taken_back }: Pipeline): string {
  const open = steps.filter(({ state, ended_at }) => ended_at === undefined && state !== 'pending')
  const forPeople = open.filter(({ state }) => state === 'ready' || state === 'awaiting_approval')
  const taken = steps.flatMap(({ id, runs }) =>
    runs
      .filter((run) => run.role === 'compensation' && isOpen(run))
      .map(({ status }) => `${id} being taken back, ${status}`),
  )
  const at = [...new Set([...forPeople, ...open])].map(({ id, state }) => `${id} ${state}`)
  return [...at, ...taken, notTakenBackText(not_taken_back)].filter(Boolean).join(', ')
}

function aboutPipeline({ reason, error, inputs }: Pipeline): string {
  return reason ?? (error === undefined ? pairsText(inputs) : `${error.code}: ${error.message}`)
}

/** Formats one line that stays the same until the pipeline changes. */
function plainLine(pipeline: Pipeline): string {
  const { id, status, name, environment, updated_at } = pipeline
  return printable([updated_at, id, status, name, environment, formatOpenSteps(pipeline)].join('  ')).trimEnd()
}
