import type { LabPrograms } from './lab.ts'
import { programsCacheDir } from './programs/cache-dir.ts'
import { type ProgramName, SOURCES } from './programs/program.ts'
import { provideProgram } from './programs/provide-program.ts'

/** Prometheus and Alertmanager of this machine, brought into the cache where they are missing; refuses with the commands that bring them. */
export async function labPrograms(): Promise<LabPrograms> {
  const cacheDir = programsCacheDir()
  const onProgress = (line: string) => process.stdout.write(`${line}\n`)
  const provide = (name: ProgramName) => provideProgram(name, { cacheDir, onProgress })
  const prometheus = await provide('prometheus')
  const alertmanager = await provide('alertmanager')
  if (!('why' in prometheus || 'why' in alertmanager)) return { prometheus, alertmanager }
  const absent = [
    { ...SOURCES.prometheus, ...prometheus },
    { ...SOURCES.alertmanager, ...alertmanager },
  ].flatMap((each) => ('why' in each ? [`${each.title}: ${each.why}\n\n  ${each.cure}\n`] : []))
  throw new Error(`The lab needs programs that are not here.\n${absent.join('\n')}`)
}
