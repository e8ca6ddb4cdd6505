import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { installLocked } from './npm-locked.ts'
import type { Program } from './program.ts'

const LOCK = fileURLToPath(new URL('./mcp-peers/package-lock.json', import.meta.url))
const PACKAGES = 'node_modules/@modelcontextprotocol'
/** Starts one of the two by its name. */
const STARTER = `#!/bin/sh
here=$(dirname "$0")
peer=$1
shift
case $peer in
  everything) exec node "$here/${PACKAGES}/server-everything/dist/index.js" "$@" ;;
  conformance) exec node "$here/conformance.cjs" "$@" ;;
  --version) exec node "$here/conformance.cjs" --version ;;
esac
`

export const MCP_PEERS_VERSION = createHash('sha256').update(readFileSync(LOCK)).digest('hex').slice(0, 12)

/** Installs the reference server and the conformance suite of MCP into `dir`. */
export async function installMcpPeers(dir: string): Promise<void> {
  await installLocked('mcp-peers', dir)
  // as it is published it imports a function that Node 20 does not have, and that no client scenario calls
  await build({
    entryPoints: [join(dir, PACKAGES, 'conformance/dist/index.js')],
    ...{ bundle: true, platform: 'node', format: 'cjs', outfile: join(dir, 'conformance.cjs'), logLevel: 'error' },
    define: { 'import.meta.url': 'here' },
    banner: { js: 'const here = require("node:url").pathToFileURL(__filename).href' },
  })
  await writeFile(join(dir, 'mcp-peers'), STARTER)
  await chmod(join(dir, 'mcp-peers'), 0o755)
}

export function installedMcpPeers(dir: string): Program {
  return { command: join(dir, 'mcp-peers'), env: {} }
}
