import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/visible-text.ts'
import type { ApiClient } from '../api-client.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../printable.ts'

interface Flags {
  failed?: boolean
  state?: string
  channel?: string
  since?: string
  limit: number
  json?: boolean
  workspace?: string
}

interface DeliveriesDeps extends Pick<CliDeps, 'out'> {
  api(workspace?: string): Pick<ApiClient, 'deliveries' | 'runDeliveries'>
}

/** `svc deliveries [run_id]`: what became of notices: who was reached, who was not, why, and when it is tried again. */
export function registerDeliveries(program: Command, deps: DeliveriesDeps): void {
  program
    .command('deliveries [run_id]')
    .description('list what became of notices, of one run or of all, newest first')
    .addOption(new Option('--failed', 'only what has not arrived').conflicts('state'))
    .option('--state <states>', 'planned, delivered, retrying, failed, cancelled; several with commas between')
    .option('--channel <name>', 'only of this channel')
    .option('--since <time>', 'only what was planned since then, as 2026-01-05T09:30:00Z')
    .option('--limit <n>', 'so many at most, up to 200', atMost200, 50)
    .option('--json', 'print JSON')
    .addOption(new Option('--workspace <id>', 'the workspace (default: SVC_WORKSPACE, else your own)'))
    .action((runId: string | undefined, flags: Flags) => list(deps, runId, flags))
}

async function list(deps: DeliveriesDeps, runId: string | undefined, flags: Flags): Promise<void> {
  const { failed, channel, since, limit, json, workspace } = flags
  const api = deps.api(workspace)
  const state = failed ? 'retrying,failed' : flags.state
  const found =
    runId === undefined
      ? await api.deliveries({
          limit,
          ...(state === undefined ? {} : { state }),
          ...(channel === undefined ? {} : { channel }),
          ...(since === undefined ? {} : { since }),
        })
      : (await api.runDeliveries(runId, limit)).filter(
          (each) =>
            (state === undefined || state.split(',').includes(each.state)) &&
            (channel === undefined || each.channel === channel) &&
            (since === undefined || Date.parse(each.planned_at) >= Date.parse(since)),
        )
  if (json) return deps.out(visibleJson(found))
  for (const each of found) deps.out(deliveryLine(each))
}

/** One notice on one line, the reason last. */
function deliveryLine(notice: Schema<'NoticeDelivery'>): string {
  const { state, channel, recipient, kind, run_id, attempts, last_error, next_attempt_at, delivered_at } = notice
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  const next = next_attempt_at === undefined ? '' : `  next ${next_attempt_at}`
  const at = delivered_at ?? notice.last_attempt_at ?? notice.planned_at
  const why = last_error === undefined ? '' : `  ${last_error}`
  return printable(`${at}  ${state}  ${channel}  ${recipient}  ${kind}  ${run_id}  ${tries}${next}${why}`)
}

function atMost200(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 200) return Number(text)
  throw new InvalidArgumentError('takes a whole number from 1 to 200')
}
