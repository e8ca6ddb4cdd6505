import { configPresets } from '#services/presets/presets.ts'
import { authoredRoutes } from '../../authored-routes.ts'
import { makeDefaultRoute, PRESETS } from '../../preset-routes.ts'

export const configPresetRoutes = authoredRoutes({
  verbs: configPresets,
  names: ['ConfigPreset', 'ConfigPresets'],
  path: '/console/api/config-presets',
  ...PRESETS,
  list: {
    summary: 'List the config presets of the workspace, by template and name',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. There are at most 200.',
    answer: 'The presets',
  },
  create: {
    summary: 'Keep inputs of a template as a config preset',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. What governs runs, and secrets, are 403 `governance_knob`.',
    answer: 'The preset',
    problems: ['governance_knob', 'not_found', 'conflict'],
  },
  get: {
    summary: 'Read a config preset',
    answer: 'The preset',
  },
  update: {
    summary: 'Rename a config preset, or change its values',
    description:
      '`version` counts changes of the values: a schedule that pins a version is refused its runs once it is another. A name that a schedule uses stays.',
    answer: 'The preset as it is now',
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Delete a config preset',
    description: 'One that a schedule uses is 409 `conflict`. Runs that began with it keep its values.',
    answer: 'It was deleted',
    problems: ['version_conflict', 'conflict'],
  },
})

export const makeConfigPresetDefaultRoute = makeDefaultRoute({
  verb: configPresets.makeDefault,
  operationId: 'makeConfigPresetDefault',
  path: '/console/api/config-presets/{id}/default',
  summary: 'Make a config preset the default of its template',
  description:
    'Starts that name no config preset take it, from any trigger. The previous default no longer is one. `PATCH` with `is_default: false` leaves none.',
})
