import { join } from 'node:path'
import type { LabPrograms } from './lab.ts'
import { type Program, type ProgramName, SOURCES } from './programs/program.ts'
import { provideProgram } from './programs/provide-program.ts'

/** Prometheus and Alertmanager of this machine, brought into the cache where they are missing; refuses with the commands that bring them. */
export async function labPrograms(cache: string): Promise<LabPrograms> {
  const absent: string[] = []
  const provide = async (name: ProgramName): Promise<Program> => {
    const cacheDir = join(cache, 'programs')
    const onProgress = (line: string) => process.stdout.write(`${line}\n`)
    const found = await provideProgram(name, { cacheDir, onProgress })
    if (!('why' in found)) return found
    absent.push(`${SOURCES[name].title}: ${found.why}\n\n  ${found.cure}\n`)
    return { command: '', env: {} }
  }
  const programs = { prometheus: await provide('prometheus'), alertmanager: await provide('alertmanager') }
  if (absent.length > 0) throw new Error(`The lab needs programs that are not here.\n${absent.join('\n')}`)
  return programs
}
