import type { Command } from 'commander'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'
import { pc, printable, workspaceNames } from '../views/format.ts'

const MAX_WORKSPACES = 1_000

/** `svc whoami`: the caller's identity for the API. */
export function registerWhoami(program: Command, deps: CliDeps): void {
  program
    .command('whoami')
    .description('print whom the API takes you for')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const api = deps.api()
      const me = await api.me()
      if (json) return deps.out(visibleJson(me))
      const row = (label: string, value: string) => deps.out(`${pc.dim(label.padEnd(10))} ${printable(value)}`)
      row('account', [me.email, me.display_name, me.id].filter(Boolean).join('  '))
      row('roles', [...me.roles, ...(me.approval_roles ?? [])].join(', ') || 'none')
      const { items } = await api.workspaces(MAX_WORKSPACES)
      row('workspaces', workspaceNames(me.workspaces, items, true) || 'none')
      row('API', api.url)
    })
}
