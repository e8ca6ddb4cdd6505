import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { dueText, formatDuration } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { momentOf, wholeNumber } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

type Notice = Schema<'NoticeDelivery'>

interface Flags extends ListFlags {
  failed?: boolean
  state?: string
  channel?: string
  since?: string
  limit: number
  workspace?: string
}

interface DeliveriesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(workspace?: string): Pick<ApiClient, 'deliveries' | 'runDeliveries' | 'runs'>
}

const MAX = 200
const EMPTY = 'no notices match; see whether channels work with: svc check --send'

/** `svc deliveries [run]`: what became of notices: who was reached, who was not, why, and when it is tried again. */
export function registerDeliveries(program: Command, deps: DeliveriesDeps): void {
  withOutput(
    program
      .command('deliveries')
      .description('list notices with their deliveries, of one run or of all, newest first')
      .argument('[run]', 'its id, or the first characters of it'),
  )
    .addOption(new Option('--failed', 'only what has not arrived').conflicts('state'))
    .option('--state <states>', 'planned, delivered, retrying, failed, cancelled, folded; several with commas between')
    .option('--channel <name>', 'only of this channel')
    .option('--since <time>', 'planned since then: 2h, 7d or a time (RFC 3339)', momentOf)
    .option('--limit <n>', `at most so many, up to ${MAX}`, wholeNumber(MAX), 50)
    .option('--workspace <id or name>', 'where they belong (default: SVC_WORKSPACE, else your own)')
    .action((run: string | undefined, flags: Flags) => list(deps, run, flags))
}

async function list(deps: DeliveriesDeps, run: string | undefined, flags: Flags): Promise<void> {
  const { failed, channel, since, limit, workspace } = flags
  const api = deps.api(workspace)
  const state = failed ? 'retrying,failed' : flags.state
  const query = {
    ...(state !== undefined && { state }),
    ...(channel !== undefined && { channel }),
    ...(since !== undefined && { since }),
  }
  const { items, total } =
    run === undefined ? await api.deliveries(query, limit) : await api.runDeliveries(await runIdOf(api, run), limit)
  // the list of a run has no filters of its own
  const rows = run === undefined ? items : items.filter((each) => isAsked(each, query))
  const isCut = total !== undefined && items.length < total.count
  printList(deps, flags, { columns: columnsAt(Date.now()), rows, empty: EMPTY, ...(isCut && { total }) })
}

function isAsked(notice: Notice, { state, channel, since }: { state?: string; channel?: string; since?: string }) {
  return (
    (state === undefined || state.split(',').includes(notice.state)) &&
    (channel === undefined || notice.channel === channel) &&
    (since === undefined || Date.parse(notice.planned_at) >= Date.parse(since))
  )
}

function columnsAt(now: number): Column<Notice>[] {
  return [
    {
      title: 'RUN',
      text: ({ run_id, halt_id, connection_id, digest_id }) => run_id ?? halt_id ?? connection_id ?? digest_id ?? '',
    },
    { title: 'NOTICE', text: ({ kind }) => kind },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'CHANNEL', text: ({ channel }) => channel },
    { title: 'RECIPIENT', text: ({ recipient }) => recipient, cut: true },
    { title: 'TRIES', text: ({ attempts }) => String(attempts) },
    { title: 'NEXT', text: ({ next_attempt_at }) => (next_attempt_at ? dueText(next_attempt_at, now) : '') },
    { title: 'AGE', text: ({ planned_at }) => formatDuration(now - Date.parse(planned_at), 1) },
    { title: 'ERROR', text: ({ last_error }) => last_error ?? '', cut: true },
    { title: 'GATE', text: ({ gate_id }) => gate_id ?? '', wide: true },
    { title: 'DIGEST', text: ({ digest_id }) => digest_id ?? '', wide: true },
    { title: 'PLANNED', text: ({ planned_at }) => planned_at, wide: true },
    { title: 'LAST TRY', text: ({ last_attempt_at }) => last_attempt_at ?? '', wide: true },
    { title: 'DELIVERED', text: ({ delivered_at }) => delivered_at ?? '', wide: true },
  ]
}
