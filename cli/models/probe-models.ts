import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/visible-text.ts'
import type { ApiClient } from '../api-client.ts'
import { pc } from '../colors.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../printable.ts'
import { exactUsd } from '../run-text.ts'

interface ProbeDeps extends Pick<CliDeps, 'out' | 'exit'> {
  api(): Pick<ApiClient, 'probeModel'>
}

/** Asks each model one tiny question, one after the other. */
export async function probeModels(deps: ProbeDeps, ids: string[], { json }: { json?: boolean }): Promise<void> {
  const api = deps.api()
  let failed = false
  for (const id of ids) {
    const probe = await api.probeModel(id)
    failed ||= !probe.ok
    deps.out(json ? visibleJson(probe) : probeLine(probe))
  }
  if (failed) deps.exit(EXIT.failed)
}

export function probeLine({ model, ok, latency_ms, cost_usd, failed }: Schema<'ModelProbe'>): string {
  const cost = cost_usd === undefined ? '' : `  ${exactUsd(cost_usd)}`
  const text = ok ? pc.green('ok') : pc.red('failed')
  return `${text}  ${printable(`${model}  ${latency_ms} ms${cost}${failed === undefined ? '' : `  ${failed.message}`}`)}`
}
