import { didYouMean } from '#core/did-you-mean.ts'
import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../api-client.ts'
import { ApiProblem } from '../api-problem.ts'

/** A step that the pipeline does not have is answered with the one that was most likely meant; any other error stays as it is. */
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
