import type { Actor } from '#core/actor.ts'
import { concerns } from '#core/halt/concerns.ts'
import { setterFor } from '#core/halt/halt.ts'
import type { HaltRecord } from '#core/halt/schema.ts'
import type { HaltStore } from '#store/halts.ts'
import type { ServiceContext } from '../context.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'

export interface ListHaltsContext {
  actor: Pick<Actor, 'workspaces'>
  halts: Pick<HaltStore, 'list'>
  environments: Pick<ServiceContext['environments'], 'list'>
  directory: Pick<WorkspaceDirectory, 'find'>
}

/** The halts in force that may stop something in the caller's workspaces, the newest first; they name nobody elsewhere. */
export async function listHalts(ctx: ListHaltsContext): Promise<HaltRecord[]> {
  const { workspaces } = ctx.actor
  const halts = await ctx.halts.list(workspaces)
  const slugs = workspaces === '*' ? undefined : await Promise.all(workspaces.map((id) => slugOf(ctx, id)))
  return halts
    .filter(({ scope }) => slugs === undefined || concerns(scope, ctx.environments.list(), slugs))
    .map(({ held_runs, ...halt }) => ({ ...halt, by: setterFor(ctx.actor, halt), held: { runs: held_runs } }))
}

async function slugOf(
  { directory }: { directory: Pick<WorkspaceDirectory, 'find'> },
  id: string,
): Promise<string | undefined> {
  return (await directory.find(id))?.slug
}
