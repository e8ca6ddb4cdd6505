import { DomainError } from '#core/errors.ts'
import { requesterIds } from '#core/gate/requester.ts'
import { findHalt } from '#core/halt/halt.ts'
import type { RunDraft } from '#store/run-drafts.ts'
import type { StartContext } from '../context.ts'
import type { Refused } from './refuse-denied.ts'

/** The refusal of a halt, with `halted` and its id; undefined where none covers what is asked for. */
export async function refuseHalted(
  ctx: StartContext,
  { pack, template, environment, provenance }: Pick<RunDraft, 'pack' | 'template' | 'environment' | 'provenance'>,
): Promise<Refused | undefined> {
  const halts = await ctx.halts.inForce()
  if (halts.length === 0) return undefined
  const name = `${pack}/${template}`
  const subject = { workspace_id: ctx.workspace_id, environment, template: name, requesters: requesterIds(provenance) }
  const halt = findHalt(halts, subject)
  if (halt === undefined) return undefined
  const { id: halt_id, reason, by } = halt
  return {
    error: new DomainError('halted', `a halt is in force: ${reason} (${by.display}, ${halt_id})`, { halt_id, reason }),
    audit: {
      category: 'trigger',
      action: 'run.halted',
      workspace_id: ctx.workspace_id,
      actor: { type: ctx.actor.type, id: ctx.actor.id, auth: ctx.actor.auth },
      channel: ctx.channel,
      subject: { type: 'template', id: name },
      data: { environment, halt_id },
    },
  }
}
