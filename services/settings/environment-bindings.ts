import { mustMatch } from '../authored-document.ts'
import { environmentKind } from './environment-kind.ts'
import type { SettingContext } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** Attaches these policies of the console to an environment, and no others. What else the console says about it stays. */
export async function attachPolicies(
  ctx: SettingContext,
  { policies, ...at }: { name: string; if_match?: string | undefined; policies: string[] },
) {
  return await editEnvironment(ctx, at, { policies })
}

/** Attaches these corpora to an environment, and no others. What else the console says about it stays. */
export async function attachKnowledge(
  ctx: SettingContext,
  { knowledge, ...at }: { name: string; if_match?: string | undefined; knowledge: string[] },
) {
  return await editEnvironment(ctx, at, { knowledge })
}

/** Changes some of what the console says about an environment; what else it says stays. */
async function editEnvironment(
  ctx: SettingContext,
  { name, if_match }: { name: string; if_match?: string | undefined },
  edit: { policies: string[] } | { knowledge: string[] },
) {
  mustStandAbove(ctx, 'an environment')
  const kind = environmentKind(ctx)
  const before = await findSetting(ctx, kind, name)
  mustMatch(if_match, before.etag)
  return await writeSetting(ctx, kind, { before, document: ctx.setting_ports.edited(before.row?.document, name, edit) })
}
