import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { evidenceText } from '#client/gate-text.ts'
import { dueText, formatDuration } from '#core/time/format-time.ts'
import { HOUR_MS } from '#core/time/time.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { pc, wholeNumber } from '../views/format.ts'
import { haltLines, printHalts } from '../views/halt-lines.ts'
import { isJson, type ListFlags, printList, withOutput } from '../views/list-output.ts'
import { paintRisk, paintSeverity, riskText } from '../views/pill-text.ts'
import type { Column } from '../views/table.ts'
import { registerRemarks } from './gates/remarks.ts'

type Gate = Schema<'WaitingGate'>

interface GatesFlags extends ListFlags {
  mine?: boolean
  limit: number
  workspace?: string
}

interface GatesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(
    workspace?: string,
  ): Pick<ApiClient, 'gates' | 'halts' | 'workspace' | 'runs' | 'pendingApproval' | 'acknowledgeGate' | 'commentOnGate'>
}

const SOON_MS = HOUR_MS

/** `svc gates`: what waits for an answer, the most urgent in front; and what is said of a gate. */
export function registerGates(program: Command, deps: GatesDeps): void {
  const gates = withOutput(
    program
      .command('gates')
      .description('list what waits for an approval: critical alerts first, then high ones, then what expires first'),
  )
    .option('--mine', 'only what you may answer')
    .option('--limit <n>', 'at most so many', wholeNumber(), 20)
    .option('--workspace <id or name>', 'where they belong (default: SVC_WORKSPACE, else your own)')
    .action((flags: GatesFlags) => list(flags, deps))
  registerRemarks(gates, deps)
}

async function list(flags: GatesFlags, deps: GatesDeps): Promise<void> {
  const api = deps.api(flags.workspace)
  const [{ items: rows, ...counted }, halts] = await Promise.all([
    api.gates(flags.mine ? { awaiting_me: 'true' } : {}, flags.limit),
    haltLines(api),
  ])
  const empty = flags.mine ? 'nothing waits for you; see what waits for others with: svc gates' : 'nothing waits'
  printHalts(deps, halts, isJson(flags))
  printList(deps, flags, { columns: columnsAt(Date.now()), rows, empty, ...counted })
}

function columnsAt(now: number): Column<Gate>[] {
  return [
    { title: 'RUN', text: ({ run_id }) => run_id },
    {
      title: 'SEVERITY',
      text: ({ alert }) => alert?.severity ?? '',
      paint: (text, { alert }) => (alert === undefined ? text : paintSeverity(text, alert.severity)),
    },
    { title: 'WAITS', text: ({ opened_at }) => formatDuration(now - Date.parse(opened_at), 1) },
    {
      title: 'DUE',
      text: ({ expires_at }) => dueText(expires_at, now),
      paint: (text, { expires_at }) => (Date.parse(expires_at) - now < SOON_MS ? pc.red(text) : text),
    },
    { title: 'TEMPLATE', text: ({ pack, template }) => `${pack}/${template}` },
    { title: 'ABOUT', text: ({ alert, reason }) => alert?.title ?? reason ?? '', cut: true },
    { title: 'WHAT', text: ({ summary }) => summary, cut: true },
    { title: 'FOUND', text: evidenceText, cut: true },
    { title: 'COMMENTS', text: ({ comment_count }) => (comment_count === 0 ? '' : String(comment_count)) },
    { title: 'ENVIRONMENT', text: ({ environment }) => environment },
    { title: 'RISK', text: ({ risk }) => riskText(risk), paint: (text, { risk }) => paintRisk(text, risk) },
    { title: 'NEEDS', text: ({ missing }) => missing.text, cut: true },
    { title: 'STEP', text: ({ step }) => step, wide: true },
    { title: 'BECAUSE', text: ({ because }) => because.join('; '), wide: true },
  ]
}
