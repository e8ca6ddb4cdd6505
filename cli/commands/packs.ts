import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

interface PacksDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'packs'>
}

interface PackRow {
  pack: string
  version: string
  digest: string
  templates: string[]
}

const COLUMNS: Column<PackRow>[] = [
  { title: 'PACK', text: ({ pack }) => pack },
  { title: 'VERSION', text: ({ version }) => version },
  { title: 'TEMPLATES', text: ({ templates }) => templates.join(', '), cut: true },
  { title: 'DIGEST', text: ({ digest }) => digest, wide: true },
]

/** `svc packs`: the packs that the service has loaded. */
export function registerPacks(program: Command, deps: PacksDeps): void {
  withOutput(program.command('packs').description('list the packs and their templates')).action(
    async (flags: ListFlags) => {
      const empty = 'no packs are loaded; docs/packs.md says how to add one'
      printList(deps, flags, { columns: COLUMNS, rows: byPack(await deps.api().packs()), empty })
    },
  )
}

function byPack(templates: readonly Schema<'PackTemplate'>[]): PackRow[] {
  const packs = new Map<string, PackRow>()
  for (const { pack, version, digest, template } of templates) {
    const row = packs.get(pack) ?? { pack, version, digest, templates: [] }
    packs.set(pack, { ...row, templates: [...row.templates, template] })
  }
  return [...packs.values()]
}
