import { PROFILE_FORM, type ProfileForm, type ProfileFormEdit } from '#core/environment-console-schema.ts'
import { mustMatch } from '../must-match.ts'
import { getProfileForm } from './get-profile-form.ts'
import { profileKind } from './profile-kind.ts'
import type { SettingContext } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

const FIELDS = Object.keys(PROFILE_FORM.properties ?? {})

/** Says in the console what a form says. The comments of the text stay. */
export async function putProfileForm(
  ctx: SettingContext,
  { name, if_match, values }: { name: string; if_match?: string | undefined } & ProfileFormEdit,
): Promise<ProfileForm> {
  mustStandAbove(ctx, 'a profile')
  const kind = profileKind(ctx)
  const before = await findSetting(ctx, kind, name)
  mustMatch(if_match, before.etag)
  const said = new Map<string, unknown>(Object.entries(values))
  const keys = Object.fromEntries(FIELDS.map((field) => [field, said.get(field)]))
  const written = await writeSetting(ctx, kind, {
    before,
    document: ctx.setting_ports.edited(before.row?.document, name, keys),
  })
  return { ...(await getProfileForm(ctx, name)), in_force: written }
}
