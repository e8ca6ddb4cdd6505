import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { eventLine } from '../views/event-line.ts'
import { printableLines } from '../views/format.ts'
import { showRun } from '../views/show-run.ts'
import { showStep } from '../views/show-step.ts'

interface ShowFlags {
  step?: string
  logs?: boolean
  report?: boolean
  json?: boolean
  workspace?: string
}

interface ShowDeps extends Pick<CliDeps, 'out' | 'screen'> {
  api(workspace?: string): ApiClient
}

/** `svc run show <run>`: a run, its steps and its gate. Template names have a slash, so none is called `show`. */
export function registerRunShow(run: Command, deps: ShowDeps): void {
  run
    .command('show')
    .description('show a run: its trigger, state, steps, gates and cost')
    .argument('<run>', 'its id, or the first characters of it')
    .option('--step <id>', 'one step in full: inputs, outputs, attempts, simulation, log')
    .option('--logs', 'with the events')
    .option('--report', 'the report that it made, and nothing else')
    .option('--json', 'print JSON')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    // options that `svc run` has too are parsed by it, wherever they are written
    .action((named: string, _: ShowFlags, command: Command) => show(named, command.optsWithGlobals(), deps))
}

async function show(named: string, { step, logs, report, json, workspace }: ShowFlags, deps: ShowDeps): Promise<void> {
  const api = deps.api(workspace)
  const id = await runIdOf(api, named)
  if (step !== undefined) {
    const detail = await api.step(id, step)
    return json ? deps.out(visibleJson(detail)) : showStep(detail, deps)
  }
  if (report) return deps.out(printableLines(await api.report(id)).join('\n'))
  const [run, steps] = await Promise.all([api.run(id), api.steps(id)])
  const pending = run.status === 'awaiting_approval' ? await pendingOf(api, id) : undefined
  const context = pending === undefined ? undefined : await api.context(id)
  const events = logs ? await eventsOf(api, id) : undefined
  if (json)
    return deps.out(
      visibleJson({
        ...run,
        steps,
        ...(pending !== undefined && { pending_approval: pending }),
        ...(context !== undefined && { context }),
        ...(events !== undefined && { events }),
      }),
    )
  showRun({ run, steps, pending, context, url: api.url, now: Date.now() }, deps)
  for (const event of events ?? []) deps.out(`  ${eventLine(event, widthIn(deps.screen()))}`)
}

function widthIn(screen: { width: number } | undefined): number | undefined {
  return screen === undefined ? undefined : screen.width - 2
}

/** Undefined when it was answered meanwhile. */
async function pendingOf(api: ApiClient, id: string): Promise<Schema<'PendingApproval'> | undefined> {
  return await api.pendingApproval(id).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error
    return undefined
  })
}

async function eventsOf(api: ApiClient, id: string): Promise<Schema<'RunEvent'>[]> {
  const all: Schema<'RunEvent'>[] = []
  for (let last = 0; ; ) {
    const { events, last_seq, has_more } = await api.events(id, last)
    all.push(...events)
    if (!has_more) return all
    last = last_seq
  }
}
