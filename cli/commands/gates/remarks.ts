import type { Command } from 'commander'
import type { ApiClient } from '#cli/client/api-client.ts'
import { runIdOf } from '#cli/client/named-records.ts'
import type { CliDeps } from '#cli/deps.ts'
import { printable } from '#cli/views/format.ts'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'

interface RemarkFlags {
  json?: boolean
  workspace?: string
}

interface RemarkDeps extends Pick<CliDeps, 'out'> {
  api(workspace?: string): Pick<ApiClient, 'runs' | 'pendingApproval' | 'acknowledgeGate' | 'commentOnGate'>
}

/** `svc gates acknowledge` and `svc gates comment`: what is said of a gate that waits. Neither is a vote. */
export function registerRemarks(gates: Command, deps: RemarkDeps): void {
  const verb = (usage: string, description: string) =>
    gates
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .option('--workspace <id or name>', 'where the run belongs (default: SVC_WORKSPACE, else your own)')
  // options that `svc gates` has too are parsed by it, wherever they are written
  verb('acknowledge <run>', 'say that you are looking at the gate of a run; it is no vote').action(
    (run: string, _: RemarkFlags, command: Command) =>
      remark(deps, run, command.optsWithGlobals(), (api, gate) => api.acknowledgeGate(gate)),
  )
  verb('comment <run> <text>', 'comment on the gate of a run; it is no vote').action(
    (run: string, text: string, _: RemarkFlags, command: Command) =>
      remark(deps, run, command.optsWithGlobals(), (api, gate) => api.commentOnGate(gate, { text })),
  )
}

async function remark(
  deps: RemarkDeps,
  named: string,
  { json, workspace }: RemarkFlags,
  say: (api: ReturnType<RemarkDeps['api']>, gate: string) => Promise<Schema<'GateRemarks'>>,
): Promise<void> {
  const api = deps.api(workspace)
  const run = await runIdOf(api, named)
  const remarks = await say(api, (await api.pendingApproval(run)).gate_id)
  if (json) return deps.out(visibleJson(remarks))
  for (const line of remarkLines(remarks)) deps.out(line)
}

function remarkLines({ run_id, acknowledged, comments }: Schema<'GateRemarks'>): string[] {
  const lookers = acknowledged.map(({ name }) => name).join(', ')
  return [
    `${run_id}  ${lookers === '' ? 'nobody says that they look at it' : `looked at by ${lookers}`}`,
    ...comments.map(({ name, at, text }) => `  ${at}  ${name}: ${text}`),
  ].map(printable)
}
