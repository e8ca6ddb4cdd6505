import type { Schema } from '#client/create-client.ts'
import { NO_MODEL } from '#core/models/model.ts'
import { agoText } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { pc } from '../views/format.ts'
import { type ListFlags, printList } from '../views/list-output.ts'
import { exactUsd } from '../views/run-text.ts'
import type { Column } from '../views/table.ts'

type Model = Schema<'RegisteredModel'>

interface ListDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'models'>
}

/** The models of the deployment, a line each. */
export async function listModels(deps: ListDeps, flags: ListFlags): Promise<void> {
  const rows = await deps.api().models()
  printList(deps, flags, { columns: columnsAt(Date.now()), rows, empty: NO_MODEL })
}

function columnsAt(now: number): Column<Model>[] {
  return [
    { title: 'MODEL', text: ({ id }) => id },
    { title: 'PROVIDER', text: ({ provider }) => provider },
    { title: 'AT', text: ({ base_url }) => base_url ?? '', cut: true },
    {
      title: 'KEY',
      text: ({ key }) => (key === undefined ? '' : `${key.reference}${key.resolves ? '' : ' (not set)'}`),
    },
    { title: 'IN', text: ({ prices }) => usd(prices?.input_usd) },
    { title: 'OUT', text: ({ prices }) => usd(prices?.output_usd) },
    { title: 'CONTEXT', text: ({ limits }) => String(limits?.context ?? ''), wide: true },
    { title: 'OUTPUT', text: ({ limits }) => String(limits?.output ?? ''), wide: true },
    {
      title: 'ROLES',
      text: ({ roles }) => roles.map(({ role, as }) => (as === 'model' ? role : `${role} (fallback)`)).join(', '),
    },
    { title: 'PROBED', text: ({ last_probe }) => probed(last_probe, now) },
    {
      title: 'CALLABLE',
      text: ({ callable, why_not }) => (callable ? 'yes' : `never: ${why_not ?? ''}`),
      paint: (text, { callable }) => (callable ? text : pc.yellow(text)),
    },
  ]
}

function usd(amount: number | undefined): string {
  return amount === undefined ? '' : exactUsd(amount)
}

function probed(probe: Model['last_probe'], now: number): string {
  return probe === undefined ? '' : `${probe.ok ? 'ok' : 'failed'} ${agoText(probe.at, now)}`
}
