import type { Actor } from '#core/actor.ts'
import type { HaltRecord } from '#core/halt/schema.ts'
import type { HaltStore } from '#store/halts.ts'

/** The halts in force that may stop something in the caller's workspaces, the newest first. */
export async function listHalts(ctx: {
  actor: Pick<Actor, 'workspaces'>
  halts: Pick<HaltStore, 'list'>
}): Promise<HaltRecord[]> {
  const halts = await ctx.halts.list(ctx.actor.workspaces)
  return halts.map(({ held_runs, ...halt }) => ({ ...halt, held: { runs: held_runs } }))
}
