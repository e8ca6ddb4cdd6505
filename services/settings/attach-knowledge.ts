import { mustMatch } from '../must-match.ts'
import { environmentKind } from './environment-kind.ts'
import type { SettingContext } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** Attaches these corpora to an environment, and no others. What else the console says about it stays. */
export async function attachKnowledge(
  ctx: SettingContext,
  { name, if_match, knowledge }: { name: string; if_match?: string | undefined; knowledge: string[] },
) {
  mustStandAbove(ctx, 'an environment')
  const kind = environmentKind(ctx)
  const before = await findSetting(ctx, kind, name)
  mustMatch(if_match, before.etag)
  return await writeSetting(ctx, kind, {
    before,
    document: ctx.setting_ports.edited(before.row?.document, name, { knowledge }),
  })
}
