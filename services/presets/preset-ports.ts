import type { PresetStore } from '#store/authored/presets.ts'
import type { ServiceContext } from '../context.ts'

export type PresetContext = ServiceContext & { preset_store: PresetStore }

/** Those that starts name, and those that forms load. */
export type NamedKind = 'config' | 'input'
