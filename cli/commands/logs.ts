import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { eventLine } from '../views/event-line.ts'
import { followLog } from '../watch/follow-log.ts'

type RunEvent = Schema<'RunEvent'>

interface LogsFlags {
  follow?: boolean
  step?: string
  json?: boolean
  workspace?: string
}

interface LogsDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(workspace?: string): ApiClient
}

/** `svc logs <run>`: what happened in a run, a line each. */
export function registerLogs(program: Command, deps: LogsDeps): void {
  program
    .command('logs')
    .description('print the events of a run, a line each')
    .argument('<run>', 'its id, or the first characters of it')
    .option('-f, --follow', 'follow until the run ends')
    .option('--step <id>', 'only those of one step')
    .option('--json', 'one event a line')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .action((named: string, flags: LogsFlags) => print(named, flags, deps))
}

async function print(named: string, flags: LogsFlags, deps: LogsDeps): Promise<void> {
  const api = deps.api(flags.workspace)
  const id = await runIdOf(api, named)
  const show = (event: RunEvent) => {
    if (flags.step !== undefined && event.step !== flags.step) return
    deps.out(flags.json ? visibleJson(event) : eventLine(event, deps.screen()?.width))
  }
  for (let last = 0; ; ) {
    const { events, last_seq, has_more, terminal } = await api.events(id, last)
    events.forEach(show)
    last = last_seq
    if (has_more) continue
    if (terminal || !flags.follow) return
    await followLog(api.stream, id, {
      afterSeq: last,
      onEvent: (event) => {
        show(event)
        return 'continue'
      },
      onCut: () => deps.err('the stream was cut; taking it up again'),
    })
    return
  }
}
