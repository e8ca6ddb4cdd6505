import type { Actor } from '#core/actor.ts'
import { mustBe, type Need } from './auth/may.ts'

/** A verb's requirement on its caller. Routes read it from here. */
export interface Needs {
  /** `public` is anybody */
  role: Need | 'public'
  access: 'write'
  /** scope of its changes: a workspace, or the whole account */
  scope: 'workspace' | 'account'
}

/** Any verb, as a route names it. */
export type Verb = ((ctx: never, ...input: never[]) => Promise<unknown>) & { readonly needs: Needs }

/**
 * A verb that refuses a caller without its role (`forbidden`) before it does anything. Schedules, pipelines and recovery call it
 * as an actor of their own with a role: no type of actor is exempt.
 */
export function defineVerb<const Needed extends Needs, Ctx extends { actor: Actor }, Input extends unknown[], Answer>(
  needs: Needed,
  act: (ctx: Ctx, ...input: Input) => Promise<Answer>,
): ((ctx: Ctx, ...input: Input) => Promise<Answer>) & { readonly needs: Needed } {
  const verb = async (ctx: Ctx, ...input: Input) => {
    if (needs.role !== 'public') mustBe(ctx.actor, needs.role)
    return await act(ctx, ...input)
  }
  return Object.assign(verb, { needs })
}
