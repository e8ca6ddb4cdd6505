import { mustMatch } from '../must-match.ts'
import { environmentKind } from './environment-kind.ts'
import type { SettingContext } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** Changes some of what the console says about an environment; what else it says stays. */
export async function editEnvironment(
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
