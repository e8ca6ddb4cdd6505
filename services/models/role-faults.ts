import type { FileFault } from '#core/file-fault.ts'
import { MODEL_ROLES } from '#core/models/model.ts'
import { noSuchModel } from '#core/models/no-such-model.ts'
import type { ModelAdminPorts } from './model-admin-ports.ts'

/** Roles that the console gave to models which `models.yaml` does not have any more. */
export function roleFaults(models: Pick<ModelAdminPorts['models'], 'bound' | 'layers'>): FileFault[] {
  const ids = models.bound().models.map(({ id }) => id)
  const said = models.layers().console
  return MODEL_ROLES.flatMap((role) =>
    [said[role]?.model, said[role]?.fallback].flatMap((name) => {
      if (name === undefined || ids.includes(name)) return []
      return [{ file: 'what the console says about models', message: `the role ${role}: ${noSuchModel(name, ids)}` }]
    }),
  )
}
