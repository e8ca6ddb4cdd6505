import { mustMatch } from '../must-match.ts'
import { environmentKind } from './environment-kind.ts'
import type { SettingContext } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** Attaches these policies of the console to an environment, and no others. What else the console says about it stays. */
export async function attachPolicies(
  ctx: SettingContext,
  { name, if_match, policies }: { name: string; if_match?: string | undefined; policies: string[] },
) {
  mustStandAbove(ctx, 'an environment')
  const kind = environmentKind(ctx)
  const before = await findSetting(ctx, kind, name)
  mustMatch(if_match, before.etag)
  return await writeSetting(ctx, kind, {
    before,
    document: ctx.setting_ports.edited(before.row?.document, name, { policies }),
  })
}
