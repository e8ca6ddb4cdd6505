import { DomainError } from '#core/errors.ts'
import { requesterIds } from '#core/gate/requester.ts'
import { findHalt, type Halt, setterFor } from '#core/halt/halt.ts'
import type { RunDraft } from '#store/run-drafts.ts'
import type { ServiceContext } from '../context.ts'
import { placeInPipeline } from './place-in-pipeline.ts'
import type { Refused } from './refuse-denied.ts'
import { startAudit } from './start-audit.ts'

/** The refusal of one of these halts, with `halted` and its id; undefined where none covers what is asked for. */
export function refuseHalted(
  ctx: ServiceContext,
  { pack, template, environment, provenance }: Pick<RunDraft, 'pack' | 'template' | 'environment' | 'provenance'>,
  halts: readonly Halt[],
): Refused | undefined {
  const name = `${pack}/${template}`
  const subject = { workspace_id: ctx.workspace_id, environment, template: name, requesters: requesterIds(provenance) }
  const halt = findHalt(halts, subject)
  if (halt === undefined) return undefined
  const { id: halt_id, reason } = halt
  const { display } = setterFor(ctx.actor, halt)
  return {
    error: new DomainError('halted', `a halt is in force: ${reason} (${display}, ${halt_id})`, { halt_id, reason }),
    audit: startAudit(ctx, {
      action: 'run.halted',
      subject: { type: 'template', id: name },
      data: { environment, halt_id, ...placeInPipeline(provenance) },
    }),
  }
}
