import type { AskAnswer } from '#core/ask/ask-schema.ts'
import { DomainError } from '#core/errors.ts'
import type { ModelRole } from '#core/models/model.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { defineVerb } from '../define-verb.ts'
import { listModels } from '../models/find-models.ts'
import type { AskContext } from './ask-ports.ts'
import { type AskHooks, askQuestion } from './ask-question.ts'

const SMALL: ModelRole = 'small'
const DEFAULT: ModelRole = 'default'

/** Answers a request for an action with the form of a run: a turn without earlier turns. Throws `validation_failed` for an unknown model. */
export const resolvePlan = defineVerb(
  { role: 'viewer', access: 'write', scope: 'workspace' },
  async (
    ctx: AskContext,
    { query, model }: { query: string; model?: string | undefined },
    hooks: AskHooks,
  ): Promise<AskAnswer> => {
    return await askQuestion(ctx, { query, model: modelFor(ctx, model) }, hooks)
  },
)

/** Returns the requested model, else the small one, else the default one. */
function modelFor(ctx: AskContext, asked: string | undefined): string {
  const names = listModels(ctx).map(({ id }) => id)
  // where no model is bound, the call itself throws
  if (asked === undefined || names.length === 0) return names.includes(SMALL) ? SMALL : DEFAULT
  if (names.includes(asked)) return asked
  const msg = `there is no model or role ${asked}${didYouMean(asked, names)}`
  throw new DomainError('validation_failed', msg, {
    errors: [{ pointer: '/model', loc: ['model'], msg, type: 'unknown_model' }],
  })
}
