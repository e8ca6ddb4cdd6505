import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { dueText, durationWords } from '#core/time-words.ts'
import type { ApiClient } from '../api-client.ts'
import type { RunQuery } from '../api-lists.ts'
import { ApiProblem } from '../api-problem.ts'
import { pc } from '../colors.ts'
import type { CliDeps } from '../deps.ts'
import { type ListFlags, printList, withOutput } from '../list-output.ts'
import type { Column } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

type Pending = Schema<'PendingApproval'>
type Gate = Pending & { template: string }

interface GatesFlags extends ListFlags {
  mine?: boolean
  limit: number
  workspace?: string
}

interface GatesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(workspace?: string): Pick<ApiClient, 'runs' | 'pendingApproval'>
}

/** more than wait at once anywhere; the list comes newest first, and the oldest is wanted */
const LOOKED_AT = 1_000
const AT_ONCE = 8
const SOON_MS = 3_600_000

/** `svc gates`: what waits for an answer, the oldest first. */
export function registerGates(program: Command, deps: GatesDeps): void {
  withOutput(program.command('gates').description('list what waits for an approval, the oldest first'))
    .option('--mine', 'only what you may answer')
    .option('--limit <n>', 'at most so many', wholeNumber(), 20)
    .option('--workspace <id or name>', 'where they belong (default: SVC_WORKSPACE, else your own)')
    .action((flags: GatesFlags) => list(flags, deps))
}

async function list(flags: GatesFlags, deps: GatesDeps): Promise<void> {
  const api = deps.api(flags.workspace)
  const query: RunQuery = { status: 'awaiting_approval', ...(flags.mine && { awaiting_me: 'true' }) }
  const { items } = await api.runs(query, LOOKED_AT)
  const waiting = items.sort((one, other) => waitsSince(one).localeCompare(waitsSince(other)))
  const rows: Gate[] = []
  for (let from = 0; from < waiting.length && rows.length < flags.limit; from += AT_ONCE) {
    const some = waiting.slice(from, from + AT_ONCE)
    const pending = await Promise.all(some.map(async (run) => gateOf(run, await openGateOf(api, run.id))))
    rows.push(...pending.flat())
  }
  const empty = flags.mine ? 'nothing waits for you; see what waits for others with: svc gates' : 'nothing waits'
  const view = { columns: columnsAt(Date.now()), rows: rows.slice(0, flags.limit), empty }
  printList(deps, flags, { ...view, total: { count: waiting.length, at_least: false } })
}

function gateOf({ pack, template }: Schema<'Run'>, pending: Pending | undefined): Gate[] {
  return pending === undefined ? [] : [{ ...pending, template: `${pack}/${template}` }]
}

/** Undefined when it was answered meanwhile. */
async function openGateOf(api: Pick<ApiClient, 'pendingApproval'>, runId: string): Promise<Pending | undefined> {
  return await api.pendingApproval(runId).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || (error.status !== 409 && error.status !== 404)) throw error
    return undefined
  })
}

function waitsSince({ awaiting_since, created_at }: Schema<'Run'>): string {
  return awaiting_since ?? created_at
}

function columnsAt(now: number): Column<Gate>[] {
  return [
    { title: 'RUN', text: ({ run_id }) => run_id },
    { title: 'WAITS', text: ({ opened_at }) => durationWords(now - Date.parse(opened_at), 1) },
    {
      title: 'DUE',
      text: ({ expires_at }) => dueText(expires_at, now),
      paint: (text, { expires_at }) => (Date.parse(expires_at) - now < SOON_MS ? pc.red(text) : text),
    },
    { title: 'TEMPLATE', text: ({ template }) => template },
    { title: 'WHAT', text: ({ plan }) => plan.summary, cut: true },
    { title: 'ENVIRONMENT', text: ({ operation }) => operation.environment },
    { title: 'RISK', text: ({ operation }) => operation.risk },
    { title: 'NEEDS', text: ({ missing }) => missing.text, cut: true },
    { title: 'STEP', text: ({ step }) => step, wide: true },
    { title: 'BECAUSE', text: ({ because }) => because.join('; '), wide: true },
  ]
}
