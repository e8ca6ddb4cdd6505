import { createWriteStream } from 'node:fs'
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import { fetch } from 'undici'

const DOWNLOAD = 'https://temporal.download/cli/archive/latest'
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'
const CONNECT_MS = 3_000
const DOWNLOAD_MS = 10 * 60_000
const BUILD_MS = 30 * 60_000

/** Fetches the current release into `target`. A host that does not answer within three seconds is given up. */
export async function downloadTemporal(target: string, onProgress: (line: string) => void): Promise<void> {
  const url = `${DOWNLOAD}?platform=${process.platform === 'win32' ? 'windows' : process.platform}&arch=${process.arch === 'x64' ? 'amd64' : process.arch}`
  const gaveUp = new AbortController()
  const timer = setTimeout(() => gaveUp.abort(new Error(`${new URL(url).host} did not answer`)), CONNECT_MS)
  try {
    const response = await fetch(url, { signal: gaveUp.signal })
    clearTimeout(timer)
    if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`)
    onProgress(`downloading the Temporal server from ${new URL(url).host}`)
    await intoPlace(target, async (dir) => {
      const archive = join(dir, 'archive')
      if (response.body)
        await pipeline(Readable.fromWeb(response.body), createWriteStream(archive), {
          signal: AbortSignal.timeout(DOWNLOAD_MS),
        })
      await execa('tar', ['-xf', archive, '-C', dir, basename(target)])
    })
  } catch (cause) {
    throw new Error(`download: ${gaveUp.signal.aborted ? `${new URL(url).host} did not answer` : reason(cause)}`, {
      cause,
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Builds the newest version that `go install` accepts into `target`: minutes, once. */
export async function buildTemporal(target: string, onProgress: (line: string) => void): Promise<void> {
  try {
    await execa('go', ['version'])
  } catch (cause) {
    throw new Error('build: Go is not installed', { cause })
  }
  const began = Date.now()
  onProgress('building the Temporal server with Go; this takes some minutes, once')
  const ticker = setInterval(
    () => onProgress(`building the Temporal server: ${Math.round((Date.now() - began) / 1_000)} s`),
    15_000,
  )
  try {
    await intoPlace(target, async (dir) => {
      await execa('go', ['install', GO_PACKAGE], { env: { CGO_ENABLED: '0', GOBIN: dir }, timeout: BUILD_MS })
    })
  } catch (cause) {
    throw new Error(`build: ${reason(cause)}`, { cause })
  } finally {
    clearInterval(ticker)
  }
}

/** `produce` leaves the program in a scratch directory beside the target; the rename is atomic. */
async function intoPlace(target: string, produce: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(dirname(target), '.install-'))
  try {
    await produce(dir)
    await chmod(join(dir, basename(target)), 0o755)
    await rename(join(dir, basename(target)), target)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function reason(cause: unknown): string {
  if (cause instanceof Error && 'stderr' in cause && typeof cause.stderr === 'string')
    return cause.stderr.trim().split('\n').at(-1) ?? cause.message
  if (cause instanceof Error && cause.cause instanceof Error) return `${cause.message}: ${cause.cause.message}`
  return cause instanceof Error ? cause.message : String(cause)
}
