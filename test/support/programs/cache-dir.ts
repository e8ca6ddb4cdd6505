import { dirname, join } from 'node:path'
import { loadConfig } from '#platform/config.ts'

/** Where programs that were brought are kept: beside the Temporal server. */
export const programsCacheDir = (): string => join(dirname(loadConfig(process.env).cacheDir), 'programs')
