import { type Command, Option } from 'commander'
import { DomainError } from '#core/errors.ts'
import type { HaltRecord } from '#core/halt/schema.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { pc, printable } from '../views/format.ts'

interface HaltFlags {
  workspace?: string
  environment?: string
  template?: string
  requester?: string
  reason?: string
  list?: boolean
  lift?: string
  json?: boolean
}

interface HaltDeps extends Pick<CliDeps, 'out'> {
  api(): Pick<ApiClient, 'halts' | 'setHalt' | 'liftHalt'>
}

/** `svc halt`: stops everything, or what its options narrow it to; `--list` and `--lift` show it and end it. */
export function registerHalt(program: Command, deps: HaltDeps): void {
  const other = (flags: string, description: string) => new Option(flags, description).conflicts('reason')
  program
    .command('halt')
    .description('stop everything, or what the options narrow it to, until it is lifted')
    .option('--workspace <id>', 'only in this workspace')
    .option('--environment <name>', 'only in this environment')
    .option('--template <pack/template>', 'only runs of this template')
    .option('--requester <id or e-mail>', 'only what this person, service account or schedule asked for')
    .option('--reason <text>', 'why; everybody who is stopped reads it')
    .addOption(other('--list', 'list the halts in force').conflicts('lift'))
    .addOption(other('--lift <id>', 'lift a halt: held runs continue'))
    .option('--json', 'print JSON')
    .action((flags: HaltFlags) => halt(deps, flags))
}

async function halt(deps: HaltDeps, { list, lift, json, reason, ...named }: HaltFlags): Promise<void> {
  if (lift !== undefined) {
    await deps.api().liftHalt(lift)
    return deps.out(json ? visibleJson({ id: lift, lifted: true }) : `${printable(lift)}  lifted; held runs continue`)
  }
  if (list) {
    const halts = await deps.api().halts()
    if (json) return deps.out(visibleJson(halts))
    for (const each of halts) deps.out(haltLine(each))
    return
  }
  if (reason === undefined) throw new DomainError('validation_failed', 'say why: svc halt --reason "…"')
  const made = await deps.api().setHalt({ scope: { ...named }, reason })
  if (json) return deps.out(visibleJson(made))
  deps.out(haltLine(made))
  deps.out(pc.dim(`  lift it with: svc halt --lift ${made.id}`))
}

/** Formats one halt. */
export function haltLine({
  id,
  scope,
  reason,
  by,
  created_at,
  held,
}: Omit<HaltRecord, 'by'> & { by: { display: string } }): string {
  const named = Object.entries(scope).map(([name, value]) => `${name} ${value}`)
  const covers = named.length === 0 ? 'everything' : named.join(', ')
  const runs = `${held.runs} ${held.runs === 1 ? 'run' : 'runs'}`
  return printable(`${id}  ${covers}  ${runs}  ${by.display}  ${created_at}  ${reason}`)
}
