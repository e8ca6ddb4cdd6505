import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { wholeNumber } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

interface WorkspacesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'workspaces'>
}

const COLUMNS: Column<Schema<'Workspace'>>[] = [
  { title: 'WORKSPACE', text: ({ slug }) => slug },
  { title: 'NAME', text: ({ name }) => name, cut: true },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ENVIRONMENT', text: ({ default_environment }) => default_environment },
  { title: 'PROTECTED', text: (each) => (each.protected ? 'yes' : ''), wide: true },
  { title: 'ID', text: ({ id }) => id },
]

/** `svc workspaces`: those that the caller may enter. */
export function registerWorkspaces(program: Command, deps: WorkspacesDeps): void {
  withOutput(program.command('workspaces').description('list the workspaces that you may enter'))
    .option('--limit <n>', 'at most so many', wholeNumber(), 200)
    .action(async (flags: ListFlags & { limit: number }) => {
      const { items, total } = await deps.api().workspaces(flags.limit)
      const empty = 'you may enter no workspace: an owner or admin lets you in'
      printList(deps, flags, { columns: COLUMNS, rows: items, empty, total })
    })
}
