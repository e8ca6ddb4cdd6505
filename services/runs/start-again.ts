import type { Admitted } from '#store/runs/run-answers.ts'
import { defineVerb } from '../define-verb.ts'
import { admitRun } from './admit-run.ts'
import { findEnded, type RepeatContext, type RepeatRequest, repeatOf } from './repeat-run.ts'

/** Starts an ended run again, from its first step, with its template as it is installed now. */
export const startAgain = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: RepeatContext, { run_id, template_digest, ...asked }: RepeatRequest): Promise<Admitted> => {
    const { run, template } = await findEnded(ctx, run_id)
    const hasChanged = template.plan.digest !== run.template_digest
    return await admitRun(ctx, {
      ...(await repeatOf(ctx, run, { type: 'again', ...asked })),
      ...(template_digest !== undefined && { template_digest }),
      repeat: {
        again_of: run.id,
        ...(hasChanged && { template_before: { version: run.template_version, digest: run.template_digest } }),
      },
    })
  },
)
