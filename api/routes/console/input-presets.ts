import { inputPresets } from '#services/presets/presets.ts'
import { authoredRoutes } from '../../authored-routes.ts'
import { makeDefaultRoute, PRESETS } from '../../preset-routes.ts'

export const inputPresetRoutes = authoredRoutes({
  verbs: inputPresets,
  names: ['InputPreset', 'InputPresets'],
  path: '/console/api/input-presets',
  ...PRESETS,
  list: {
    summary: 'List the input presets of the workspace, by template and name',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. There are at most 200.',
    answer: 'The presets',
  },
  create: {
    summary: 'Keep inputs of a template as an input preset',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. What governs runs, and secrets, are 403 `governance_knob`.',
    answer: 'The preset',
    problems: ['governance_knob', 'not_found', 'conflict'],
  },
  get: {
    summary: 'Read an input preset',
    answer: 'The preset',
  },
  update: {
    summary: 'Rename an input preset, or change its values',
    description: '`values` take the place of all that were kept.',
    answer: 'The preset as it is now',
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Delete an input preset',
    description: 'Nothing but forms knew of it.',
    answer: 'It was deleted',
    problems: ['version_conflict', 'conflict'],
  },
})

export const makeInputPresetDefaultRoute = makeDefaultRoute({
  verb: inputPresets.makeDefault,
  operationId: 'makeInputPresetDefault',
  path: '/console/api/input-presets/{id}/default',
  summary: 'Make an input preset the default of its template',
  description:
    'The form of the template begins with it. It replaces the previous default. `PATCH` with `is_default: false` leaves none.',
})
