import { loosenedGates } from '#core/config/changes.ts'
import type { ConsoleProfile, ProfileRecord, SettingLayers } from '#core/environment/console-schema.ts'
import { isGranted, type Profile } from '#core/environment/environment.ts'
import { defineSetting } from './define-setting.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'

/** Every profile that the caller may know of. */
export const profiles = defineSetting(
  {
    kind: 'profile',
    called: 'a profile',
    audit: {
      created: { action: 'profile.created' },
      updated: { action: 'profile.updated' },
      deleted: { action: 'profile.deleted' },
    },
  },
  profileKind,
)

type Shown = Omit<ProfileRecord, keyof SettingLayers>

/** Profiles; of their environments those that the caller may know of. */
export function profileKind(ctx: SettingContext): SettingKind<Profile, ConsoleProfile, Shown> {
  const sees = (name: string) => {
    const environment = ctx.environments.get(name)
    return ctx.actor.workspaces === '*' || (environment !== undefined && isGranted(environment, ctx.workspace_slug))
  }
  return {
    kind: 'profile',
    lint: ctx.setting_ports.lintProfile,
    composed: (document, name) => ctx.setting_ports.source.composedProfile(name, document),
    loosened: async (before, after) => loosenedGates(before, after),
    names: () => ctx.setting_ports.source.profiles().map(({ name }) => name),
    isSeen: () => true,
    shown: ({ name, environment, requires_approval, require_plan_hash, limits }) => ({
      name,
      requires_approval,
      ...(environment !== undefined && sees(environment) && { environment }),
      ...(require_plan_hash !== undefined && { require_plan_hash }),
      ...(limits !== undefined && { limits }),
    }),
  }
}
