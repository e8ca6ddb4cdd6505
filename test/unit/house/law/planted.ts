import { CHOKE_POINTS, CLIENTS } from './planted/choke-points.ts'
import { HANDLERS } from './planted/handlers.ts'
import { LAYERS, PACKAGES } from './planted/imports.ts'
import { PARAMETERS } from './planted/parameters.ts'
import { STATEMENTS, TWICE } from './planted/statements.ts'
import { SURROUNDINGS } from './planted/surroundings.ts'

/** Every violation that was thought of; each must be found. */
export const PLANTED = [
  ...LAYERS,
  ...PACKAGES,
  ...SURROUNDINGS,
  ...CLIENTS,
  ...CHOKE_POINTS,
  ...HANDLERS,
  ...STATEMENTS,
  ...TWICE,
  ...PARAMETERS,
]
