import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { idByPrefix } from '../client/find-named.ts'

const MAX_PIPELINES = 200

/** Returns the full id of a pipeline for an id, or for its unique first characters. */
export async function pipelineIdOf(api: Pick<ApiClient, 'pipelines'>, named: string): Promise<string> {
  return await idByPrefix(named, {
    what: 'pipeline',
    prefix: 'pl_',
    candidates: async (start) => (await api.pipelines({ id: `pl_${start}` }, MAX_PIPELINES)).items.map(({ id }) => id),
    none: (start) =>
      new DomainError('not_found', `no pipeline begins with pl_${start}; see which there are with: svc pipeline list`),
  })
}

/** Adds the nearest name to the error for an unknown step; other errors stay the same. */
export async function noStep(
  error: unknown,
  api: Pick<ApiClient, 'pipeline'>,
  id: string,
  step: string,
): Promise<unknown> {
  if (!(error instanceof ApiProblem) || error.status !== 404) return error
  const known = (await api.pipeline(id).catch(() => undefined))?.steps.map((each) => each.id)
  if (known === undefined || known.includes(step)) return error
  return new DomainError(
    'not_found',
    `the pipeline has no step ${step}${didYouMean(step, known) || `; there are ${known.join(', ')}`}`,
  )
}
