import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../views/format.ts'
import { paintStatus, statusText } from '../views/pill-text.ts'

interface RepeatFlags {
  reason?: string
  json?: boolean
  workspace?: string
}

type RepeatApi = Pick<ApiClient, 'runs' | 'startAgain' | 'retryRun'>

interface RepeatDeps extends Pick<CliDeps, 'out'> {
  api(workspace?: string): RepeatApi
}

/** `svc start-again <run>` and `svc retry <run>`: repeat an ended run, from its first step or from the one that failed. */
export function registerRepeatRun(program: Command, deps: RepeatDeps): void {
  const command = (
    verb: string,
    description: string,
    send: (api: RepeatApi, id: string, body: Schema<'RunRepeat'>) => Promise<Schema<'Run'>>,
  ) =>
    program
      .command(verb)
      .description(description)
      .argument('<run>', 'its id, or the first characters of it')
      .option('--reason <text>', 'why, for those who approve and for the record (default: the reason of that run)')
      .option('--json', 'print the new run as JSON')
      .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
      .addHelpText(
        'after',
        '\nIt is not followed: svc logs <run> --follow does that. Exit status: 0 it is under way, 66 no such run, 75 it cannot be repeated now.',
      )
      .action(async (named: string, { reason, json, workspace }: RepeatFlags) => {
        const api = deps.api(workspace)
        const run = await send(api, await runIdOf(api, named), reason === undefined ? {} : { reason })
        for (const line of json ? [visibleJson(run)] : linesOf(run)) deps.out(line)
      })

  command('start-again', 'start an ended run again, from its first step, with the inputs on record', (api, id, body) =>
    api.startAgain(id, body),
  )
  command('retry', 'retry a failed run from the step that failed; earlier steps keep their outputs', (api, id, body) =>
    api.retryRun(id, body),
  )
}

function linesOf({ id, status, provenance, template_version }: Schema<'Run'>): string[] {
  const { template_before: before } = provenance
  return [
    `${printable(id)}  ${paintStatus(statusText(status), status)}`,
    ...(before === undefined
      ? []
      : [`its template has changed since that run: it is version ${printable(template_version)} now`]),
  ]
}
