import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../views/format.ts'
import { paintStatus, statusText } from '../views/pill-text.ts'

interface EndFlags {
  reason?: string
  json?: boolean
  workspace?: string
}

interface EndDeps extends Pick<CliDeps, 'out'> {
  api(workspace?: string): Pick<ApiClient, 'runs' | 'cancel' | 'expire'>
}

/** `svc cancel <run>` and `svc expire <run>`: end a run, or the gate that it waits at. */
export function registerEndRun(program: Command, deps: EndDeps): void {
  const command = (verb: string, description: string) =>
    program
      .command(verb)
      .description(description)
      .argument('<run>', 'its id, or the first characters of it')
      .option('--json', 'print the run as JSON')
      .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')

  command('cancel', 'cancel a run: its gate is closed, a running step is notified and waited for')
    .option('--reason <text>', 'why, for the record')
    .addHelpText('after', '\nExit status: 0 it is being cancelled, 66 no such run, 75 it has ended already.')
    .action(async (named: string, { reason, ...flags }: EndFlags) => {
      const api = deps.api(flags.workspace)
      const run = await api.cancel(await runIdOf(api, named), reason === undefined ? {} : { reason })
      report(run, flags, deps)
    })

  command('expire', 'dismiss the stale gate of a run: it ends as expired, no step of the plan runs')
    .option('--reason <text>', 'why, for the record; needed')
    .addHelpText('after', '\nExit status: 0 expired, 64 no reason, 66 no such run, 75 it does not wait.')
    .action(async (named: string, { reason, ...flags }: EndFlags) => {
      if (!reason?.trim()) throw new DomainError('validation_failed', `say why: svc expire ${named} --reason "…"`)
      const api = deps.api(flags.workspace)
      report(await api.expire(await runIdOf(api, named), { reason }), flags, deps)
    })
}

function report(run: Schema<'Run'>, { json }: EndFlags, { out }: EndDeps): void {
  if (json) {
    out(visibleJson(run))
    return
  }
  const why = run.status_reason === undefined ? '' : ` (${run.status_reason})`
  out(`${printable(run.id)}  ${paintStatus(statusText(run.status), run.status)}${printable(why)}`)
}
