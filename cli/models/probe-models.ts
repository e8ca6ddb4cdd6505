import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { pc, printable } from '../views/format.ts'
import { exactUsd } from '../views/run-text.ts'

interface ProbeDeps extends Pick<CliDeps, 'out' | 'exit'> {
  api(): Pick<ApiClient, 'probeModel' | 'models'>
}

/** Sends each model one tiny question, one after the other. */
export async function probeModels(deps: ProbeDeps, ids: string[], { json }: { json?: boolean }): Promise<void> {
  const api = deps.api()
  let failed = false
  for (const id of ids) {
    const probe = await api.probeModel(id).catch((error: unknown) => orNearest(api, id, error))
    failed ||= !probe.ok
    deps.out(json ? visibleJson(probe) : probeLine(probe))
  }
  if (failed) deps.exit(EXIT.failed)
}

/** Finds the nearest name: the API does not suggest unknown models, and a user who may probe may list them. */
async function orNearest(api: Pick<ApiClient, 'models'>, named: string, error: unknown): Promise<never> {
  if (!(error instanceof ApiProblem) || error.status !== 404) throw error
  const models = await api.models().catch(() => undefined)
  if (models === undefined || models.some(({ id }) => id === named)) throw error
  const holder = models.find(({ roles }) => roles.some(({ role, as }) => role === named && as === 'model'))
  const names = models.map(({ id }) => id)
  const hint = holder === undefined ? didYouMean(named, names) : `; it is a role, which ${holder.id} has`
  throw new DomainError('not_found', `there is no model ${named}${hint}`)
}

export function probeLine({ model, ok, latency_ms, cost_usd, failed }: Schema<'ModelProbe'>): string {
  const cost = cost_usd === undefined ? '' : `  ${exactUsd(cost_usd)}`
  const text = ok ? pc.green('ok') : pc.red('failed')
  return `${text}  ${printable(`${model}  ${latency_ms} ms${cost}${failed === undefined ? '' : `  ${failed.message}`}`)}`
}
