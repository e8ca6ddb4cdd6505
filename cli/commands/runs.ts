import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { LANES } from '#core/contract.ts'
import { TRIGGER_TYPES, type TriggerType } from '#core/run/search.ts'
import { RUN_STATUSES } from '#core/run/status.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { formatDuration } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { Listed, RunQuery } from '../client/api-lists.ts'
import type { CliDeps } from '../deps.ts'
import { pipelineIdOf } from '../pipelines/pipeline-id.ts'
import { momentOf, pc, printable, wholeNumber } from '../views/format.ts'
import { haltLines, printHalts } from '../views/halt-lines.ts'
import { isJson, type ListFlags, type ListView, listLines, printList, withOutput } from '../views/list-output.ts'
import { paintRisk, paintStatus, riskText, statusText } from '../views/pill-text.ts'
import { aboutRun, startedBy, usd } from '../views/run-text.ts'
import type { Column } from '../views/table.ts'
import { watchList } from '../watch/watch-list.ts'

const MAX_FILTERED = 200

/** Returns the nearest name for an unknown one in a filter of the list of runs, for the end of a message; empty where none is near. */
async function nearFilter(
  api: Pick<ApiClient, 'runs' | 'packs'>,
  { environment, pack, template }: { environment?: string; pack?: string; template?: string },
): Promise<string> {
  const near = (option: string, meant: string | undefined, names: string[]) => {
    if (meant === undefined || names.includes(meant)) return ''
    return didYouMean(meant, names, (nearest) => `${option} ${nearest}`)
  }
  if (environment !== undefined) {
    const { items } = await api.runs({}, MAX_FILTERED)
    return near('--environment', environment, [...new Set(items.map((run) => run.environment))])
  }
  if (pack === undefined && template === undefined) return ''
  const templates = await api.packs()
  const names = templates.map((each) => (template?.includes('/') ? `${each.pack}/${each.template}` : each.template))
  return near('--template', template, names) || near('--pack', pack, [...new Set(templates.map((each) => each.pack))])
}

type Run = Schema<'Run'>

interface RunsFlags extends ListFlags {
  status?: string
  lane?: (typeof LANES)[number]
  pack?: string
  template?: string
  environment?: string
  trigger?: TriggerType
  pipeline?: string
  label?: string
  query?: string
  since?: string
  until?: string
  mine?: boolean
  awaitingMe?: boolean
  limit: number
  watch?: boolean
  workspace?: string
}

interface RunsDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(workspace?: string): Pick<ApiClient, 'runs' | 'packs' | 'pipelines' | 'halts' | 'workspace'>
}

const EMPTY = 'no runs match; see what can be started with: svc templates'

/** `svc runs`: the runs of the workspace, newest first. */
export function registerRuns(program: Command, deps: RunsDeps): void {
  withOutput(program.command('runs').description('list runs, newest first'))
    .option('--status <status>', `one or several with commas between: ${RUN_STATUSES.join(', ')}`)
    .addOption(new Option('--lane <lane>', 'only of this lane').choices([...LANES]))
    .option('--pack <name>')
    .option('--template <pack/template>', 'with or without its pack')
    .option('--environment <name>', 'where they act')
    .addOption(new Option('--trigger <type>', 'what started them').choices([...TRIGGER_TYPES]))
    .option('--pipeline <id>', 'only those of this pipeline; the first characters of its id are enough')
    .option('--label <name=value>', 'a name alone takes any value')
    .option('-q, --query <text>', 'text in the id, template, reason, alert title or environment')
    .option('--since <time>', 'begun since then: 2h, 7d or a time (RFC 3339)', momentOf)
    .option('--until <time>', 'begun before then', momentOf)
    .option('--mine', 'only what waits for your answer')
    .option('--awaiting-me', 'the same as --mine')
    .option('--limit <n>', 'at most so many', wholeNumber(), 20)
    .option('--watch', 'show it again whenever something changes, until Ctrl-C')
    .option('--workspace <id or name>', 'where they belong (default: SVC_WORKSPACE, else your own)')
    .action((flags: RunsFlags) => list(flags, deps))
}

async function list(flags: RunsFlags, deps: RunsDeps): Promise<void> {
  const api = deps.api(flags.workspace)
  const of = flags.pipeline === undefined ? {} : { pipeline: await pipelineIdOf(api, flags.pipeline) }
  const fetchView = async () => viewOf(await api.runs({ ...queryOf(flags), ...of }, flags.limit), Date.now())
  if (!flags.watch) {
    const [view, halts] = await Promise.all([fetchView(), haltLines(api)])
    printHalts(deps, halts, isJson(flags))
    const hint = view.rows.length === 0 && !isJson(flags) ? await nearFilter(api, flags) : ''
    return printList(deps, flags, hint === '' ? view : { ...view, empty: `no runs match${hint}` })
  }
  let warned = ''
  await watchList(deps, {
    fetchView: async () => {
      const [view, halts] = await Promise.all([fetchView(), haltLines(api)])
      if (deps.screen() === undefined && halts.join() !== warned) printHalts(deps, halts, true)
      warned = halts.join()
      const rows = view.rows.map((run) => [run.id, isJson(flags) ? visibleJson(run) : plainLine(run)] as const)
      const lines = view.rows.length === 0 ? [view.empty] : listLines(view, flags, deps.screen()?.width)
      return { lines: [...halts.map(pc.red), ...lines], rows: new Map(rows.reverse()) }
    },
  })
}

function queryOf({ status, lane, query, mine, awaitingMe, ...flags }: RunsFlags): RunQuery {
  const { pack, template, environment, trigger, label, since, until } = flags
  const asked = { status, lane, pack, template, environment, trigger, label, q: query, since, until }
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(given), ...((mine || awaitingMe) && { awaiting_me: 'true' }) }
}

function viewOf({ items, total }: Listed<Run>, now: number): ListView<Run> {
  return { columns: columnsAt(now), rows: items, empty: EMPTY, total }
}

function columnsAt(now: number): Column<Run>[] {
  return [
    { title: 'RUN', text: ({ id }) => id },
    {
      title: 'STATUS',
      text: ({ status }) => statusText(status),
      paint: (text, { status }) => paintStatus(text, status),
    },
    { title: 'TEMPLATE', text: ({ pack, template }) => `${pack}/${template}` },
    { title: 'ABOUT', text: aboutRun, cut: true },
    { title: 'ENVIRONMENT', text: ({ environment }) => environment },
    { title: 'LANE', text: ({ lane }) => lane, wide: true },
    { title: 'RISK', text: ({ risk }) => riskText(risk), paint: (text, { risk }) => paintRisk(text, risk), wide: true },
    { title: 'TRIGGER', text: (run) => startedBy(run).trigger, wide: true },
    { title: 'BY', text: (run) => startedBy(run).by, wide: true },
    { title: 'COST', text: ({ total_usd }) => usd(total_usd), wide: true },
    { title: 'AGE', text: ({ created_at }) => formatDuration(now - Date.parse(created_at), 1) },
  ]
}

/** Formats one line that stays the same until the run changes. */
function plainLine(run: Run): string {
  const { id, status, pack, template, environment, updated_at } = run
  return printable([updated_at, id, status, `${pack}/${template}`, environment, aboutRun(run)].join('  ')).trimEnd()
}
