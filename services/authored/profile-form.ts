import { PROFILE_FORM, type ProfileForm, type ProfileFormEdit } from '#core/environment/console-schema.ts'
import { defineVerb } from '../define-verb.ts'
import { profileKind, profiles } from './profiles.ts'
import type { SettingContext } from './setting-ports.ts'
import { findSetting, isDeployments, toSettingRecord } from './setting-record.ts'

/** Returns a profile for its form: the possible fields, the console's values, and the values in force. */
export async function getProfileForm(ctx: SettingContext, name: string): Promise<ProfileForm> {
  const kind = profileKind(ctx)
  const setting = await findSetting(ctx, kind, name)
  const in_force = await toSettingRecord(ctx, kind, setting)
  const { value: fields } =
    setting.row === undefined || !isDeployments(ctx) ? { value: undefined } : await kind.lint(setting.row.document)
  const { environment, requires_approval, require_plan_hash, limits } = fields ?? {}
  return {
    name,
    schema: { ...PROFILE_FORM },
    values: {
      ...(environment !== undefined && { environment }),
      ...(requires_approval !== undefined && { requires_approval }),
      ...(require_plan_hash !== undefined && { require_plan_hash }),
      ...(limits !== undefined && { limits }),
    },
    in_force,
    etag: setting.etag,
  }
}

const FIELDS = Object.keys(PROFILE_FORM.properties ?? {})

/** Saves a form as the console's document. The comments of the text stay. */
export const putProfileForm = defineVerb(
  profiles.update.needs,
  async (
    ctx: SettingContext,
    { name, if_match, values }: { name: string; if_match?: string | undefined } & ProfileFormEdit,
  ): Promise<ProfileForm> => {
    const fields = new Map<string, unknown>(Object.entries(values))
    const keys = Object.fromEntries(FIELDS.map((field) => [field, fields.get(field)]))
    const in_force = await profiles.change(ctx, { key: name, if_match }, ({ row }) =>
      ctx.setting_ports.edited(row?.document, name, keys),
    )
    return { ...(await getProfileForm(ctx, name)), in_force }
  },
)
