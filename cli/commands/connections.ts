import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { agoText } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import { connectionIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

interface ConnectionsDeps extends Pick<CliDeps, 'out' | 'err' | 'screen' | 'readInput' | 'exit'> {
  api(): Pick<ApiClient, 'connections' | 'testConnection' | 'updateConnection'>
}

const NAMED = 'its id or its name'

/** `svc connections`: lists and tests the connections of the console, and gives them new secrets. */
export function registerConnections(program: Command, deps: ConnectionsDeps): void {
  const connections = program.command('connections').description('connections of the console, without their secrets')
  withOutput(connections.command('list').description('list the connections, by name')).action(
    async (flags: ListFlags) => {
      const rows = await deps.api().connections()
      printList(deps, flags, { columns: columnsAt(Date.now()), rows, empty: 'there are no connections' })
    },
  )
  connections
    .command('test')
    .argument('<connection>', NAMED)
    .description('use it once as a step would, and keep the outcome')
    .option('--environment <name>', 'whose egress rules apply')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 healthy, 1 degraded or failed.')
    .action(async (named: string, { environment, json }: { environment?: string; json?: boolean }) => {
      const api = deps.api()
      const id = await connectionIdOf(api, named)
      const found = await api.testConnection({ id, ...(environment !== undefined && { environment }) })
      const { status, detail, latency_ms } = found
      deps.out(json === true ? visibleJson(found) : printable(`${status}  ${latency_ms} ms  ${detail}`))
      if (!found.ok) deps.exit(EXIT.failed)
    })
  connections
    .command('rotate')
    .argument('<connection>', NAMED)
    .description('give it a new secret, which is read from standard input')
    .action(async (named: string) => {
      const api = deps.api()
      const id = await connectionIdOf(api, named)
      const secret = (await deps.readInput()).replace(/\r?\n$/, '')
      if (secret === '') throw new DomainError('validation_failed', 'there is no secret on standard input')
      const { name, version } = await api.updateConnection(id, { secret })
      deps.out(printable(`${name} has the new secret, as version ${version}`))
    })
}

function columnsAt(now: number): Column<Schema<'Connection'>>[] {
  return [
    { title: 'CONNECTION', text: ({ id }) => id, wide: true },
    { title: 'NAME', text: ({ name }) => name, cut: true },
    { title: 'KIND', text: ({ kind }) => kind },
    { title: 'SECRET', text: ({ secret }) => secret.fingerprint ?? 'none' },
    { title: 'STATUS', text: ({ status }) => status },
    { title: 'WORKSPACES', text: ({ workspaces }) => workspaces.join(','), cut: true },
    {
      title: 'BOUND BY',
      text: ({ bound_by }) => bound_by.map(({ environment, name }) => `${environment}/${name}`).join(','),
      cut: true,
    },
    { title: 'LAST USED', text: ({ last_used_at }) => (last_used_at ? agoText(last_used_at, now) : 'never') },
    { title: 'VERSION', text: ({ version }) => String(version), wide: true },
  ]
}
