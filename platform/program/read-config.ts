import process from 'node:process'
import { type Config, ConfigError, loadConfig } from '../config.ts'

export const EXIT_CONFIG = 78

/** The settings of this process. Where they are wrong, it says all that is, and ends. */
export function readConfig(): Config {
  try {
    return loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(EXIT_CONFIG)
  }
}
