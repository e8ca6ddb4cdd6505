import { defineVerb } from '../define-verb.ts'
import { environments } from './environments.ts'
import type { SettingContext } from './setting-ports.ts'

interface At {
  name: string
  if_match?: string | undefined
}

/** Attaches these policies of the console to an environment, and no others. What else the console says about it stays. */
export const attachPolicies = defineVerb(
  environments.update.needs,
  async (ctx: SettingContext, { policies, ...at }: At & { policies: string[] }) =>
    await editEnvironment(ctx, at, { policies }),
)

/** Attaches these corpora to an environment, and no others. What else the console says about it stays. */
export const attachKnowledge = defineVerb(
  environments.update.needs,
  async (ctx: SettingContext, { knowledge, ...at }: At & { knowledge: string[] }) =>
    await editEnvironment(ctx, at, { knowledge }),
)

async function editEnvironment(ctx: SettingContext, { name, if_match }: At, edit: Record<string, string[]>) {
  return await environments.change(ctx, { key: name, if_match }, ({ row }) =>
    ctx.setting_ports.edited(row?.document, name, edit),
  )
}
